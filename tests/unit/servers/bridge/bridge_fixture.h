/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridge_fixture.h - a bridge without a process, a domain and NATS
 */
#ifndef TEST_BRIDGE_FIXTURE_H
#define TEST_BRIDGE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "servers/bridge/bridge.h"
#include "servers/bridge/directory/advertisement.h"
#include "servers/bridge/directory/interest.h"
#include "servers/bridge/directory/offers.h"
#include "servers/bridge/out/choose.h"
#include "servers/bridge/out/remote.h"
#include "servers/bridge/peers/allowance.h"
#include "servers/bridge/peers/budget.h"
#include "servers/bridge/peers/heartbeat.h"
#include "servers/bridge/peers/link.h"
#include "servers/bridge/peers/rows.h"
#include "servers/bridge/peers/send.h"
#include "servers/bridge/peers/twins.h"

/* Bridge 90 of this node, which has a heartbeat of a second. Its carrier is for
 * the test to set. */
static void bridge_begin(struct ow_bridge *b, uint32_t node)
{
	memset(b, 0, sizeof(*b));
	pthread_mutex_init(&b->peers.lock, NULL);
	ow_br_layers_join(b);
	b->dir.changed_fd = -1;
	b->peers.id = 90;
	b->peers.opt.node = node;
	b->peers.opt.heartbeat_ms = 1000;
	snprintf(b->peers.opt.root, sizeof(b->peers.opt.root), "ow.test");
	assert_int_equal(ow_br_batch_make(&b->peers), 0);
}

static void bridge_end(struct ow_bridge *b)
{
	uint32_t i;

	for (i = 0; i < b->peers.npeers; i++) {
		struct ow_br_peer *p = b->peers.peer[i];

		ow_br_allowances_clear(&b->peers, p);
		ow_br_lane_clear(&b->peers, &p->lane[0]);
		ow_br_lane_clear(&b->peers, &p->lane[1]);
		ow_br_gathering_drop(&p->gathering);
		ow_br_names_free(&p->offers);
		free(p);
	}
	ow_br_budget_free(&b->peers);
	ow_br_who_free(&b->peers);
	ow_br_names_free(&b->dir.own);
	ow_br_names_free(&b->dir.wanted);
	ow_br_names_free(&b->dir.shown);
	ow_br_names_free(&b->dir.overflow);
	free(b->dir.owner);
	free(b->dir.first);
	free(b->peers.batch);
}

#endif
