/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.c - a bridge goes, and comes back, without an error for anybody
 */
#include "servers/bridge/leave.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "servers/bridge/conversation/conversation.h"
#include "servers/bridge/directory/confirmation.h"
#include "servers/bridge/directory/offers.h"
#include "servers/bridge/peers/send.h"
#include "servers/bridge/transaction/transaction.h"

#define STEP_MS 10

static void pass(void)
{
	const struct timespec moment = { .tv_nsec = STEP_MS * 1000000L };
	struct ow_ctx *c = ow_ctx_peek();

	if (c != NULL && c->attend != NULL)
		c->attend(); /* ndrxd's pings */
	nanosleep(&moment, NULL);
}

static bool is_connected(struct ow_bridge *b)
{
	bool is;

	pthread_mutex_lock(&b->peers.lock);
	is = b->peers.connected;
	pthread_mutex_unlock(&b->peers.lock);
	return is;
}

/* Is nothing under way to or from another node? */
static bool is_idle(struct ow_bridge *b)
{
	const struct ow_br_peer *p;
	uint32_t i;
	bool idle;

	pthread_mutex_lock(&b->peers.lock);
	idle = HASH_COUNT(b->calls.calls) == 0 && !b->peers.flushing;
	for (i = 0; i < b->peers.npeers && idle; i++) {
		p = b->peers.peer[i];
		idle = !p->up || (p->lane[OW_BR_REPLIES].waiting == 0 &&
				  p->lane[OW_BR_REQUESTS].waiting == 0 &&
				  p->aside == 0);
	}
	pthread_mutex_unlock(&b->peers.lock);
	return idle && ow_br_unplaced_is_empty(&b->peers.unplaced) &&
	       ow_br_inbound_is_idle(b->in) && ow_br_convs_is_idle(b->convs) &&
	       ow_br_tran_is_idle(b->tran);
}

/* Who does not know yet that this bridge offers nothing: its node; 0: all know.
 * Its own node: it has not been told. */
static uint32_t who_expects_it(struct ow_bridge *b)
{
	const struct ow_br_peer *p;
	uint32_t node = 0;

	pthread_mutex_lock(&b->peers.lock);
	p = ow_br_unconfirmed(&b->dir);
	if (b->dir.own.n > 0)
		node = b->peers.opt.node;
	else if (p != NULL)
		node = p->node;
	pthread_mutex_unlock(&b->peers.lock);
	return node;
}

static void warn(struct ow_bridge *b, uint32_t node)
{
	if (node != 0 && node != b->peers.opt.node)
		log_warn("node %u has not confirmed that this bridge leaves: "
			 "its calls may fail", node);
	else
		log_warn("requests or conversations are under way that do not "
			 "end: they are given up");
}

void ow_br_leave(struct ow_bridge *b)
{
	uint64_t until = ow_clock_mono_ns() +
			 b->peers.opt.leave_ms * OW_NS_PER_MS;
	uint32_t node;

	atomic_store(&b->dir.leaving, true); /* the clock tells it */
	while (is_connected(b) &&
	       ((node = who_expects_it(b)) != 0 || !is_idle(b))) {
		if (ow_clock_mono_ns() >= until) {
			warn(b, node);
			return;
		}
		pass();
	}
}

/* Will what the server offered be offered again at once? */
static bool is_known(struct ow_bridge *b)
{
	const struct ow_tables *t = b->peers.dom->tables;
	uint32_t row, word, n = atomic_load(&t->srv[b->peers.id].nawait);
	char name[OW_SVC_NAME] = "";
	bool known = true;

	pthread_mutex_lock(&b->peers.lock);
	for (row = 0; row < n && row < OW_ADV_MAX && known; row++) {
		word = ow_tables_row_awaits(t, b->peers.id, row);
		if (word == 0 || word > OW_SVC_MAX)
			continue;
		memcpy(name, t->svc[word - 1].name, sizeof(name) - 1);
		known = ow_br_names_has(&b->dir.wanted, name);
	}
	pthread_mutex_unlock(&b->peers.lock);
	return known;
}

void ow_br_return(struct ow_bridge *b)
{
	uint64_t until = ow_clock_mono_ns() +
			 3 * b->peers.opt.heartbeat_ms * OW_NS_PER_MS;

	if (atomic_load(&b->peers.dom->tables->srv[b->peers.id].nawait) == 0)
		return;
	while (!is_known(b) && ow_clock_mono_ns() < until)
		pass();
	(void)ow_br_offers_show(&b->dir);
}
