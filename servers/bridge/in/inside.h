/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside.h - what arrive.c and inbound.c have in common
 */
#ifndef OW_BRIDGE_INSIDE_H
#define OW_BRIDGE_INSIDE_H

#include "libatmi/call/calls.h"
#include "servers/bridge/in/authorize.h"
#include "servers/bridge/in/backlog.h"
#include "servers/bridge/in/listing.h"
#include "servers/bridge/in/pending.h"
#include "servers/bridge/in/usher.h"
#include "servers/bridge/in/wakeup.h"

struct ow_br_directory;
struct ow_br_inbound_above;

struct ow_br_inbound {
	struct ow_br_peers *peers;
	struct ow_br_directory *dir;
	const struct ow_br_inbound_above *above;
	pthread_t thread;
	/* of the delivery thread: the requests of the message in hand */
	struct {
		struct ow_br_item *first, **last;
		struct ow_br_origin from;
		struct ow_br_caller caller; /* of the request that follows */
		uint32_t n, lost;
	} arriving;
	/* With it, the last lock that a thread takes: */
	pthread_mutex_t lock;
	struct ow_br_item *arrived, **last; /* what has come */
	struct ow_br_errand *over; /* errands that are */
	bool asleep, ready;
	struct ow_br_wakeup wakeup;
	/* of the thread */
	struct ow_ctx *c;
	struct ow_br_item *pending;
	struct ow_br_backlogs backlogs;
	struct ow_br_ushers ushers;
	_Atomic uint32_t busy; /* calls that are out, or wait for room */
	struct ow_br_origin settling; /* whose credit is `credit`, not yet given */
	uint64_t credit;
	struct ow_br_door door;
	struct ow_br_origin origin[OW_CD_MAX]; /* of calls that are out */
	struct ow_br_listing listing;
};

#endif
