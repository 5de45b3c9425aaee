/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.h - attach this process to the shared segments of its domain
 *
 * One domain per process, joined by the first call that needs it. When the
 * domain is stopped and started again its segments are new ones: a context
 * that finds the domain gone leaves it and joins anew.
 */
#ifndef OW_JOIN_H
#define OW_JOIN_H

#include <stdbool.h>
#include <stddef.h>

struct ow_domain;
struct ow_load;

/*
 * The domain of this process, joined by the first call. `create` false: never
 * make segments (clients, xadmin). 0, OW_TABLES_* or -errno; the reason in
 * words in `why` (`size` bytes) when not 0.
 */
int ow_domain_join(bool create, struct ow_domain **ret, char *why, size_t size);
/* The same for a process that knows what the domain is for (ndrxd), and makes
 * it if it is not there. */
int ow_domain_join_for(const struct ow_load *load, struct ow_domain **ret,
		       char *why, size_t size);
/* The counterpart. The domain stays mapped for the next thread that joins,
 * unless it was removed meanwhile. */
void ow_domain_leave(struct ow_domain *d);

/* Only the environment, no segment: for tools that work without a domain
 * (xadmin provision, doctor, down). 0 or -EINVAL with `why`. */
int ow_domain_read_env(struct ow_domain *d, char *why, size_t size);
/* Set transport and wake mode as the open tables (d->tables) say: for
 * onlookers. */
void ow_domain_learn(struct ow_domain *d);

#endif
