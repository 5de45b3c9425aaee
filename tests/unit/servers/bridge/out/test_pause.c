/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pause.c - a queue of which too much waits is left alone, and no other one
 *
 * The test is the server that the bridge is: it notes which queue is paused.
 */
#include "tests/unit/servers/bridge/bridge_fixture.h"

#include <xatmi.h>

#include "libatmi/base/deadline.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/deferred.h"
#include "servers/bridge/out/pause.h"
#include "servers/bridge/out/refuse.h"

static struct ow_bridge bridge;
static struct ow_br_peer *two, *three; /* bridges of these nodes */
static bool shared, paused;
static int refused;

bool __wrap_ow_deferred_is_shared(void);
bool __wrap_ow_deferred_more(void);
const char *__wrap_ow_deferred_pause(void);
int __wrap_ow_deferred_resume(const char *queue);
int __wrap_ow_deferred_begin(uint64_t *ret_number);
void __wrap_ow_br_refuse(int tperr);
void __wrap_tpreturn(int rval, long rcode, char *data, long len, long flags);

bool __wrap_ow_deferred_is_shared(void)
{
	return shared;
}

bool __wrap_ow_deferred_more(void)
{
	return false;
}

const char *__wrap_ow_deferred_pause(void)
{
	paused = true;
	return "QUEUE";
}

int __wrap_ow_deferred_resume(const char *queue)
{
	assert_string_equal(queue, "QUEUE");
	paused = false;
	return 0;
}

int __wrap_ow_deferred_begin(uint64_t *ret_number)
{
	*ret_number = 1;
	return 0;
}

void __wrap_ow_br_refuse(int tperr)
{
	refused = tperr;
}

void __wrap_tpreturn(int rval, long rcode, char *data, long len, long flags)
{
}

static int carry(void *arg, const char *subject, const char *reply,
		 const void *data, size_t len)
{
	return 0;
}

static struct ow_br_peer *join(uint32_t node)
{
	struct ow_br_peer *p = ow_br_peer_need(&bridge.peers, node, 90);

	p->up = true;
	ow_br_names_parse("s,t", &p->offers);
	return p;
}

static int set_up(void **state)
{
	bridge_begin(&bridge, 1);
	bridge.peers.carrier = (struct ow_br_carrier){ NULL, carry, NULL };
	bridge.peers.connected = true;
	bridge.peers.session = 1;
	two = join(2);
	three = join(3);
	shared = paused = false;
	refused = 0;
	return 0;
}

static int tear_down(void **state)
{
	bridge_end(&bridge);
	return 0;
}

/* A one-way call, or (NOTIFY) a call that goes to `node`. */
static void send(enum ow_br_kind kind, const char *svc, uint32_t node)
{
	struct ow_msg m = { .cd = kind == OW_BR_NOTIFY };
	struct ow_br_out *o = ow_br_out_new(0);

	o->frame.kind = (uint8_t)kind;
	o->frame.buftype = OW_BUF_NULL;
	o->deadline = OW_DEADLINE_NEVER;
	o->node = node;
	strcpy(o->frame.svc, svc);
	ow_br_send_remote(&bridge.calls, o, &m);
}

static void allow(struct ow_br_peer *p, int64_t units)
{
	struct ow_br_frame f = { .kind = OW_BR_ALLOW, .svc = "s" };

	f.urcode = units;
	ow_br_allowance_take(&bridge.peers, p, &f);
	ow_br_flush(&bridge.peers);
}

/* One-way calls until the queue is paused. */
static void flood(void)
{
	int n = 0;

	while (!paused && ++n < 100000)
		send(OW_BR_REQUEST, "s", 0);
	assert_true(paused);
	ow_br_pauses_end(&bridge.calls);
	assert_true(paused);
}

static void a_pause_ends_when_half_of_what_waited_is_gone(void **state)
{
	three->up = false;
	allow(two, 0);
	flood();
	while (two->aside > OW_BR_HOLD / 4) {
		allow(two, OW_BR_COST);
		ow_br_pauses_end(&bridge.calls);
	}
	while (paused) {
		assert_int_not_equal(two->aside, 0);
		allow(two, OW_BR_COST);
		ow_br_pauses_end(&bridge.calls);
	}
	assert_in_range(two->aside, OW_BR_HOLD / 10, OW_BR_HOLD / 8);
}

/* The one of which the last request made it full stands still. */
static void a_pause_ends_when_another_node_has_room(void **state)
{
	struct ow_br_peer *still, *other;

	allow(two, 0);
	allow(three, 0);
	flood();
	still = two->aside > three->aside ? two : three;
	other = still == two ? three : two;
	allow(other, -1);
	assert_int_equal(other->aside, 0);
	ow_br_pauses_end(&bridge.calls);
	assert_false(paused);
	send(OW_BR_REQUEST, "s", 0);
	assert_false(paused);
}

/* Their queue has those for all nodes. */
static void a_message_to_a_client_is_refused_and_pauses_nothing(void **state)
{
	two->lane[OW_BR_REQUESTS].waiting = OW_BR_HOLD;
	send(OW_BR_NOTIFY, "", 2);
	assert_int_equal(refused, TPEBLOCK);
	assert_false(paused);
	two->lane[OW_BR_REQUESTS].waiting = 0;
}

static void a_shared_queue_is_paused_until_half_is_gone(void **state)
{
	shared = true;
	three->up = false;
	two->aside = 2 * OW_BR_HOLD;
	send(OW_BR_REQUEST, "t", 0); /* of which nothing waits */
	assert_true(paused);
	ow_br_pauses_end(&bridge.calls);
	assert_true(paused);
	two->aside = OW_BR_HOLD - 1;
	ow_br_pauses_end(&bridge.calls);
	assert_false(paused);
	two->aside = 0;
}

#define FACT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(a_pause_ends_when_half_of_what_waited_is_gone),
		FACT(a_pause_ends_when_another_node_has_room),
		FACT(a_message_to_a_client_is_refused_and_pauses_nothing),
		FACT(a_shared_queue_is_paused_until_half_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
