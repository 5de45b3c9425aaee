/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.h - one sample after the other, and what differs
 *
 * For changes.c, comparison.c and comparison_system.c. Steps of a figure are told when it doubles or
 * halves, so that noise makes no lines; bursts of errors when they end.
 */
#ifndef OW_BB_COMPARISON_H
#define OW_BB_COMPARISON_H

#include "libndrx/blackbox/change.h"
#include "libndrx/model/model.h"
#include "libndrx/model/sample.h"

#define OW_BB_SPAN_NS (5 * UINT64_C(1000000000)) /* of the model's window */

struct ow_bb_player;
struct ow_bb_service_past;
struct ow_bb_client_past;
struct ow_bb_system_past;

struct ow_bb_comparison {
	uint64_t from_ns, to_ns, now_ns, last_ns; /* last: 0, no sample yet */
	bool telling; /* false: before `from` */
	bool failed;  /* no memory */
	struct ow_bb_changes *changes;
	struct ow_model *model;
	struct ow_bb_player *player;
	struct ow_seen_server *servers; /* of the last sample */
	size_t n_servers;
	struct ow_seen_link *links;
	size_t n_links;
	struct ow_bb_service_past *services;
	struct ow_bb_client_past *clients;
	struct ow_bb_system_past *system;
	size_t n_system;
	uint32_t looks;
	uint64_t last_mono_ns;
	int32_t ndrxd_pid;
	bool ndrxd_stopped;
	enum ow_disk_state disk;
};

/* Add a change of now; NULL: not told, or no memory. */
__attribute__((format(printf, 5, 6))) struct ow_bb_change *
ow_bb_say(struct ow_bb_comparison *c, int grade, const char *kind,
	  const char *who, const char *fmt, ...);

void ow_bb_compare_services(struct ow_bb_comparison *c,
			    const struct ow_sample *s);
void ow_bb_compare_clients(struct ow_bb_comparison *c,
			   const struct ow_sample *s);
void ow_bb_keep_clients(struct ow_bb_comparison *c, const struct ow_sample *s);
void ow_bb_compare_links(struct ow_bb_comparison *c, const struct ow_sample *s);
/* What tmsrv and tmqueue show of databases and disks: compare, then keep. */
void ow_bb_compare_system(struct ow_bb_comparison *c,
			  const struct ow_sample *s);
/* The records end: tell what has not ended. */
void ow_bb_compare_end(struct ow_bb_comparison *c);
void ow_bb_comparison_free(struct ow_bb_comparison *c);

#endif
