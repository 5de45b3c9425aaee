/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family.h - one family of OpenMetrics
 *
 * Most samples are one word of a structure; the row of the table in families.c
 * names it by `off` and `size`. Other processes write to shared structures
 * meanwhile, so a word is read by one atomic load.
 */
#ifndef OW_FAMILY_H
#define OW_FAMILY_H

#include <stddef.h>
#include <stdint.h>

#include "libatmi/domain/buckets.h"
#include "libndrx/figures/figures.h"
#include "libndrx/figures/text.h"

#define OW_FAMILY_COUNTER "counter"

struct ow_family;
typedef void ow_family_fn(const struct ow_figures *f,
			  const struct ow_family *fam, struct ow_text *t);

struct ow_family {
	const char *name, *type, *unit, *help;
	ow_family_fn *write;
	size_t off, size; /* of the word, for writers of one word */
};

/* The word of the family in the structure at `base`: 4 or 8 bytes. */
uint64_t ow_family_word(const struct ow_family *fam, const void *base);

/* Write one sample; the type of the family decides its suffix. */
void ow_family_uint(const struct ow_family *fam, struct ow_text *t,
		    const struct ow_text_label *labels, uint64_t value);
void ow_family_us(const struct ow_family *fam, struct ow_text *t,
		  const struct ow_text_label *labels, uint64_t us);

/* Of each bucket one, or none (trace_id NULL). */
struct ow_family_exemplars {
	struct ow_text_exemplar of[OW_HIST_BUCKETS];
};

/* Write a histogram of OW_HIST_BUCKETS buckets. Behind `labels` there is room
 * for one more. `x` may be NULL. */
void ow_family_write_hist(const struct ow_family *fam, struct ow_text *t,
			  struct ow_text_label *labels, const uint64_t *hist,
			  uint64_t sum_us, const struct ow_family_exemplars *x);

/* Times are exported in seconds. */
static inline double ow_family_seconds(uint64_t us)
{
	return (double)us / 1e6;
}

/* ---- writers ---- */

/* family_domain.c */
ow_family_fn ow_family_info;
ow_family_fn ow_family_up;
ow_family_fn ow_family_ndrxd;
ow_family_fn ow_family_events;
ow_family_fn ow_family_head; /* a word of the tables' head */
ow_family_fn ow_family_looks; /* a word of struct ow_look_figures */
ow_family_fn ow_family_look_time; /* the same, nanoseconds */
ow_family_fn ow_family_mq_limit;
ow_family_fn ow_family_clients; /* a word of struct ow_totals_clients */
ow_family_fn ow_family_health;

/* family_link.c */
ow_family_fn ow_family_bridge; /* a word of struct ow_nodes_snapshot */
ow_family_fn ow_family_link; /* a word of struct ow_nodes_link */
ow_family_fn ow_family_link_time; /* the same, nanoseconds */
ow_family_fn ow_family_remote_times; /* struct ow_nodes_time */

/* family_host.c */
ow_family_fn ow_family_host; /* a word of struct ow_host */

/* family_http.c */
ow_family_fn ow_family_http_gate;
ow_family_fn ow_family_http_time;
ow_family_fn ow_family_http_route; /* a word of struct ow_http_route */

/* family_service.c */
ow_family_fn ow_family_calls;
ow_family_fn ow_family_servers;
ow_family_fn ow_family_suspended;
ow_family_fn ow_family_total; /* a word of struct ow_total */
ow_family_fn ow_family_service; /* a word of struct ow_svc */
ow_family_fn ow_family_cache; /* a word of struct ow_cache_figures */
ow_family_fn ow_family_depth;
ow_family_fn ow_family_oldest;
ow_family_fn ow_family_histogram; /* one of the histograms of struct ow_total */

/* family_server.c */
ow_family_fn ow_family_alive;
ow_family_fn ow_family_wanted;
ow_family_fn ow_family_server_calls;
ow_family_fn ow_family_server; /* a word of struct ow_srv */
ow_family_fn ow_family_age;

/* family_trans.c */
ow_family_fn ow_family_tm; /* a word of struct ow_tm_snapshot */
ow_family_fn ow_family_tm_states;
ow_family_fn ow_family_tm_ends;
ow_family_fn ow_family_tm_doubt;
ow_family_fn ow_family_tm_late;
ow_family_fn ow_family_tm_silent;
ow_family_fn ow_family_tm_commits;

/* family_durable.c */
ow_family_fn ow_family_space;	/* a word of struct ow_mq_snapshot */
ow_family_fn ow_family_durable; /* a word of struct ow_mq_snapshot_queue */
ow_family_fn ow_family_durable_age;

#endif
