/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h - what this domain wants of others, and others of it
 *
 * In the segment of subscriptions each bridge of the domain has a place for
 * what all other nodes want (interest.h), and is its only writer; posters read
 * it. Each word is one store, and bits that stay are never cleared meanwhile:
 * whoever reads during a change sees what was wanted before and after. A bridge
 * that is killed leaves its place as it was: a false yes at worst, until it is
 * back or another bridge takes the place.
 */
#ifndef OW_SUBS_REMOTE_H
#define OW_SUBS_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/subs/interest.h"

struct ow_domain;

/* Have the subscriptions of this domain changed since *seen (0 at first)? */
bool ow_interest_is_old(struct ow_domain *d, uint64_t *seen);
/* Those of this domain: 0; BUSY: again later (subs.h). */
int ow_interest_of_domain(struct ow_domain *d, struct ow_interest *ret);

/* For the bridge `srvid`, one thread at a time: what other nodes want. 0;
 * ABSENT (subs.h); -ENOSPC: there are too many bridges. */
int ow_interest_show(struct ow_domain *d, uint32_t srvid,
		     const struct ow_interest *i);
/* For posters: may another node want the event? */
bool ow_interest_remote(struct ow_domain *d, const char *event);

#endif
