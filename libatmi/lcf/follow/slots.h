/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.h - commands of applications to all processes of a domain
 *
 * One segment beside the tables, `<shm>/<prefix>,shm/lcf`, made by the first
 * publication, has numbered slots with one command each. Processes that have
 * registered functions (follow.h) look into it once a second.
 *
 * Who writes what, and what a crash leaves
 *   seq	  2n + 1 while publication n is being written, 2n + 2 after it.
 *		  Publishers exclude each other by flock(). A reader that finds
 *		  it odd, or changed, has read nothing. A killed publisher
 *		  leaves it odd: no process carries the command out, and the
 *		  next publication in the slot overwrites it.
 *   counts	  any process, by atomic additions; zeroed by a publication
 *   feedback	  the process that has set `writing`. If it is killed there,
 *		  nobody writes it until the next publication.
 */
#ifndef OW_LCF_SLOTS_H
#define OW_LCF_SLOTS_H

#include <lcf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OW_LCF_SLOTS 64u /* of a domain; NDRX_LCFMAX (20) are used */

struct ow_domain;
struct ow_lcf;

enum ow_lcf_result {
	OW_LCF_NONE = 1, /* open: there is no segment; read: nothing new */
};

/* What became of a command. */
struct ow_lcf_counts {
	uint32_t seen, applied, failed;
	uint64_t published_ns; /* monotonic */
	char feedback[NDRX_LCF_FEEDBACK_MAX];
};

/* 0, NONE (unless `make`), -EPERM (not ours), -EBADMSG, -errno. */
int ow_lcf_open(const struct ow_domain *d, bool make, struct ow_lcf **ret);
/* Has its domain been removed? */
bool ow_lcf_is_removed(const struct ow_lcf *l);
/* Accepts NULL, returns NULL. */
struct ow_lcf *ow_lcf_close(struct ow_lcf *l);

/* Publish: 0 or -errno. The command's version is the slot's next. */
int ow_lcf_publish(struct ow_lcf *l, uint32_t slot,
		   const ndrx_lcf_command_t *cmd);
/* Read a slot whose last version read is `known` (0: none): 0, or NONE. */
int ow_lcf_read(struct ow_lcf *l, uint32_t slot, uint32_t known,
		ndrx_lcf_command_t *ret, struct ow_lcf_counts *ret_counts);
/* This process has seen version `version`; then what it did with it: `result`
 * 0 applied, else failed. */
void ow_lcf_seen(struct ow_lcf *l, uint32_t slot, uint32_t version);
void ow_lcf_done(struct ow_lcf *l, uint32_t slot, uint32_t version, int result,
		 const char *feedback);

#endif
