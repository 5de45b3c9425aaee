/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callers.h - who stands behind a client slot, in shared memory
 *
 * One segment, `<shm>/<prefix>,shm/callers`, sparse: a row for each client
 * slot. The gate writes it: for guests, whose user the kernel has told it, and
 * for contexts that have logged in with tpinit(). A server writes the rows of
 * contexts by which it calls for others (call/tpsetcaller.c). Servers read it, if
 * there are rules (rules.h). A slot without a row is that of a process of the
 * domain's user who has not logged in.
 *
 * A row counts for one generation of its slot, so it need not be cleared: the
 * next user of the slot has another generation. It is written before the
 * first request of that generation is sent.
 *
 * A row has two entries. The writer fills the one that does not count, then
 * adds 1 to `live`: readers never see half a caller, and a guest that logs in
 * is at each moment somebody. Writers of one row take turns (gate/login.c). A
 * writer that is killed leaves `live` as it was. A reader that finds `live`
 * changed reads again.
 */
#ifndef OW_CALLERS_H
#define OW_CALLERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ow_domain;

#define OW_LOGIN_NAME	  32u /* 31 characters: as in a TPINIT buffer */
#define OW_CALLER_GROUPS  48u /* Unix groups of a guest that count */

struct ow_caller {
	uint32_t gen; /* of the slot */
	uint32_t uid, gid;
	uint32_t n_groups;
	int64_t appkey; /* tpurcode of the service that has let it in */
	uint32_t groups[OW_CALLER_GROUPS]; /* beside gid */
	char login[OW_LOGIN_NAME]; /* the name that it has proved; "": none */
};

enum ow_callers_result {
	OW_CALLERS_ABSENT = 1, /* nothing is known of this generation */
	OW_CALLERS_NOSPACE = 2, /* no shared memory */
};

/* Have the segment; `create`: make it if there is none. 0, ABSENT, NOSPACE,
 * -errno. */
int ow_callers_need(struct ow_domain *d, bool create);
/* Unmap it, when the domain is left. */
void ow_callers_unmap(struct ow_domain *d);
/* Say who it is: 0, NOSPACE, -errno. By one thread of the domain at a time. */
int ow_callers_write(struct ow_domain *d, uint32_t slot,
		     const struct ow_caller *c);
/* Who is it? 0, ABSENT, -errno. */
int ow_callers_read(struct ow_domain *d, uint32_t slot, uint32_t gen,
		    struct ow_caller *ret);
/* The number of the next rules: counted for the life of the domain. By
 * ndrxd. */
int ow_callers_next_epoch(struct ow_domain *d, uint32_t *ret);

#endif
