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
#include "servers/bridge/budget.h"
#include "servers/bridge/news.h"

/* Bridge 90 of this node, which has a beat of a second. Its carrier is for the
 * test to set. */
static void bridge_begin(struct ow_bridge *b, uint32_t node)
{
	memset(b, 0, sizeof(*b));
	pthread_mutex_init(&b->lock, NULL);
	b->changed_fd = -1;
	b->id = 90;
	b->opt.node = node;
	b->opt.beat_ms = 1000;
	snprintf(b->opt.root, sizeof(b->opt.root), "ow.test");
	assert_int_equal(ow_br_batch_make(b), 0);
}

static void bridge_end(struct ow_bridge *b)
{
	uint32_t i;

	for (i = 0; i < b->npeers; i++) {
		struct ow_br_peer *p = b->peer[i];

		ow_br_lane_clear(&p->lane[0]);
		ow_br_lane_clear(&p->lane[1]);
		ow_br_gathering_drop(&p->gathering);
		ow_br_names_free(&p->offers);
		free(p);
	}
	ow_br_budget_free(b);
	ow_br_names_free(&b->own);
	ow_br_names_free(&b->wanted);
	ow_br_names_free(&b->shown);
	ow_br_names_free(&b->beyond);
	free(b->owner);
	free(b->first);
	free(b->batch);
}

#endif
