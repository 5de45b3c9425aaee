/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_hand.h - look at the request that a living server has in hand
 *
 * ndrxd judges a server that answers no ping by what it does. Server and
 * ndrxd share no lock: the service is read from the server's slot, the
 * deadline from the in-flight record, between two reads of the time at which
 * the request was begun. If that has changed, the result is a later request,
 * or none.
 */
#ifndef OW_IN_HAND_H
#define OW_IN_HAND_H

#include <stdint.h>

#include "libatmi/domain/tables.h"

struct ow_domain;

struct ow_in_hand_view {
	char service[OW_SVC_NAME];
	uint64_t since_ns;    /* when it was begun */
	uint64_t deadline_ns; /* OW_DEADLINE_NEVER: none, or not on record */
};

enum ow_in_hand_result {
	OW_IN_HAND_ONE = 0,
	OW_IN_HAND_NONE = 1, /* it is in no service */
};

/* ONE: *ret has it. */
enum ow_in_hand_result ow_in_hand(struct ow_domain *d, uint32_t srvid,
				  struct ow_in_hand_view *ret);

#endif
