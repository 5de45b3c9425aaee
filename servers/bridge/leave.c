/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.c - a bridge goes, and comes back, without an error for anybody
 */
#include "servers/bridge/leave.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "servers/bridge/conversation/conversation.h"
#include "servers/bridge/directory/offers.h"
#include "servers/bridge/peers/send.h"

#define STEP_MS	  10
#define HEARD_NS  (200 * OW_NS_PER_MS)	/* others know that it goes */
#define QUIET_NS  (100 * OW_NS_PER_MS)	/* then nothing more comes */

static void pass(void)
{
	const struct timespec moment = { .tv_nsec = STEP_MS * 1000000L };
	struct ow_ctx *c = ow_ctx_peek();

	if (c != NULL && c->attend != NULL)
		c->attend(); /* ndrxd's pings */
	nanosleep(&moment, NULL);
}

/* Is nothing under way, either way? */
static bool is_idle(struct ow_bridge *b)
{
	uint32_t i;
	bool idle;

	pthread_mutex_lock(&b->peers.lock);
	idle = HASH_COUNT(b->calls.calls) == 0;
	for (i = 0; i < b->peers.npeers; i++)
		idle &= !b->peers.peer[i]->up ||
			b->peers.peer[i]->lane[OW_BR_REPLIES].waiting == 0;
	pthread_mutex_unlock(&b->peers.lock);
	return idle && ow_br_inbound_is_idle(b->in) &&
	       ow_br_convs_is_idle(b->convs);
}

void ow_br_leave(struct ow_bridge *b)
{
	uint64_t begun = ow_clock_mono_ns(), now = begun, quiet = begun;
	uint64_t most = b->peers.opt.leave_ms * OW_NS_PER_MS;

	atomic_store(&b->dir.leaving, true); /* the clock tells it */
	while (b->peers.connected && now - begun < most &&
	       (now - begun < HEARD_NS || now - quiet < QUIET_NS)) {
		pass();
		now = ow_clock_mono_ns();
		if (!is_idle(b))
			quiet = now;
	}
	if (now - begun >= most)
		log_warn("requests or conversations are under way that do not "
			 "end: they are given up");
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
