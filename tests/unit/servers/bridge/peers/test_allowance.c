/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_allowance.c - a service with an allowance holds up no other one
 *
 * One bridge that sends; its carrier notes what goes. The other end is a row.
 */
#include "tests/unit/servers/bridge/bridge_fixture.h"

#include "libatmi/base/clock.h"
#include "libatmi/base/deadline.h"
#include "libatmi/post/message.h"
#include "libatmi/wire/msg.h"

static struct ow_bridge bridge;
static struct ow_br_peer *peer;
static char sent[4096]; /* names, and C for CONFIRM */

static int carry(void *arg, const char *subject, const char *reply,
		 const void *data, size_t len)
{
	struct ow_br_frame f;
	struct ow_br_batch h;
	size_t at = 0;

	(void)arg;
	(void)subject;
	(void)reply;
	assert_int_equal(ow_br_batch_check(data, len, &h), 0);
	while (h.lane == OW_BR_REQUESTS &&
	       ow_br_frame_next(data, len, &at, &f) != NULL) {
		if (f.kind == OW_BR_CONFIRM)
			strcat(sent, "C");
		else if (f.kind == OW_BR_REQUEST)
			snprintf(sent + strlen(sent),
				 sizeof(sent) - strlen(sent), "%s%.15s", f.svc,
				 (const char *)f.trace_id);
	}
	return 0;
}

static int set_up(void **state)
{
	bridge_begin(&bridge, 1);
	bridge.peers.carrier = (struct ow_br_carrier){ NULL, carry, NULL };
	bridge.peers.connected = true;
	bridge.peers.session = 1;
	peer = ow_br_peer_need(&bridge.peers, 2, 90);
	peer->up = true;
	ow_br_names_parse("s,t,f", &peer->offers);
	sent[0] = '\0';
	return 0;
}

static int tear_down(void **state)
{
	bridge_end(&bridge);
	return 0;
}

static struct ow_br_out *make(enum ow_br_kind kind, const char *svc)
{
	struct ow_br_out *o = ow_br_out_new(0);

	o->frame.kind = (uint8_t)kind;
	o->frame.buftype = OW_BUF_NULL;
	o->frame.urcode = kind == OW_BR_CONFIRM;
	o->deadline = OW_DEADLINE_NEVER;
	strcpy(o->frame.svc, svc);
	return o;
}

static void put(struct ow_br_out *o)
{
	ow_br_queue(peer, OW_BR_REQUESTS, o);
	ow_br_flush(&bridge.peers);
}

static void request(const char *svc)
{
	put(make(OW_BR_REQUEST, svc));
}

static void confirm(void)
{
	put(make(OW_BR_CONFIRM, ""));
}

static void allow(const char *svc, int64_t units)
{
	struct ow_br_frame f = { .kind = OW_BR_ALLOW, .urcode = units };

	strcpy(f.svc, svc);
	ow_br_allowance_take(&bridge.peers, peer, &f);
	ow_br_flush(&bridge.peers);
}

static void others_pass_what_stands_aside(void **state)
{
	allow("s", 0);
	request("s");
	request("f");
	request("s");
	request("t");
	assert_string_equal(sent, "ft");
	assert_int_equal(peer->aside, 2);
	assert_int_equal(ow_br_allowance_waiting(peer, "s"), 2);
	assert_true(ow_br_allowance_holds(peer, "s"));
	assert_false(ow_br_allowance_holds(peer, "f"));
	allow("s", -1);
	request("s");
	assert_string_equal(sent, "ftsss");
	assert_int_equal(peer->aside, 0);
	assert_null(peer->allowances);
}

static void as_many_go_as_are_allowed_and_one_at_least(void **state)
{
	int i;

	allow("s", 0);
	for (i = 0; i < 6; i++)
		request("s");
	allow("s", 1);
	assert_string_equal(sent, "s");
	allow("s", 2 * OW_BR_COST);
	assert_string_equal(sent, "sss");
	allow("s", 10 * OW_BR_COST);
	assert_string_equal(sent, "ssssss");
	request("s"); /* of what is left */
	assert_string_equal(sent, "sssssss");
}

/* The lane has no credit: what waits in it makes way. */
static void what_waits_in_the_lane_leaves_it(void **state)
{
	peer->lane[OW_BR_REQUESTS].sent = OW_BR_WINDOW;
	request("s");
	request("s");
	request("f");
	confirm();
	request("f");
	allow("s", 0);
	assert_int_equal(peer->lane[OW_BR_REQUESTS].waiting, 2);
	assert_int_equal(peer->aside, 2);
	peer->lane[OW_BR_REQUESTS].acked = OW_BR_WINDOW;
	ow_br_flush(&bridge.peers);
	assert_string_equal(sent, "ff");
	request("f"); /* the lane has kept its end */
	allow("s", OW_BR_COST);
	assert_string_equal(sent, "fffs");
	allow("s", OW_BR_COST);
	assert_string_equal(sent, "fffssC");
}

static void a_higher_priority_passes(void **state)
{
	const uint8_t prio[] = { 50, 40, 50, 60, 40, 60 };
	size_t i;

	allow("s", 0);
	for (i = 0; i < sizeof(prio); i++) {
		struct ow_br_out *o = make(OW_BR_REQUEST, "s");

		o->frame.prio = prio[i];
		snprintf((char *)o->frame.trace_id, sizeof(o->frame.trace_id), "%zu", i);
		put(o);
	}
	for (i = 0; i < sizeof(prio); i++)
		allow("s", 1);
	assert_string_equal(sent, "s3s5s0s2s1s4");
}

static void confirm_waits_for_what_was_there_and_no_more(void **state)
{
	allow("s", 0);
	allow("t", 0);
	confirm(); /* nothing stands aside */
	assert_string_equal(sent, "C");
	request("s");
	request("t");
	confirm();
	request("s");
	request("f");
	assert_string_equal(sent, "Cf");
	allow("s", OW_BR_COST);
	assert_string_equal(sent, "Cfs");
	allow("t", OW_BR_COST);
	assert_string_equal(sent, "CfstC");
}

/* They are behind the request of "t" in what CONFIRM waits for, too. */
static void confirm_waits_for_what_leaves_the_lane_later(void **state)
{
	allow("t", 0);
	request("t");
	peer->lane[OW_BR_REQUESTS].sent = OW_BR_WINDOW; /* no credit */
	request("s");
	confirm();
	allow("s", 0);
	peer->lane[OW_BR_REQUESTS].acked = OW_BR_WINDOW;
	allow("t", OW_BR_COST);
	assert_string_equal(sent, "t");
	allow("s", OW_BR_COST);
	assert_string_equal(sent, "tsC");
}

static void confirm_waits_for_nothing_newer_that_leaves_the_lane(void **state)
{
	allow("s", 0);
	request("s");
	confirm();
	peer->lane[OW_BR_REQUESTS].sent = OW_BR_WINDOW;
	request("t");
	allow("s", OW_BR_COST); /* s and CONFIRM are behind t now */
	allow("t", 0);
	peer->lane[OW_BR_REQUESTS].acked = OW_BR_WINDOW;
	ow_br_flush(&bridge.peers);
	assert_string_equal(sent, "sC");
	assert_null(peer->confirm);
	allow("t", OW_BR_COST);
	assert_string_equal(sent, "sCt");
}

static void what_is_late_is_dropped_and_confirm_goes(void **state)
{
	struct ow_br_out *o = make(OW_BR_REQUEST, "s");

	allow("s", 0);
	o->deadline = 1000;
	put(o);
	request("s");
	confirm();
	ow_br_allowances_expire(&bridge.peers, peer, 999);
	assert_int_equal(peer->aside, 2);
	ow_br_allowances_expire(&bridge.peers, peer, 1001);
	assert_int_equal(peer->aside, 1);
	allow("s", OW_BR_COST);
	assert_string_equal(sent, "sC");
}

static void a_lost_link_forgets_all(void **state)
{
	struct ow_br_call *lost = NULL;

	allow("s", 0);
	request("s");
	confirm();
	ow_br_peer_give_up(&bridge.peers, peer, &lost);
	assert_null(lost);
	assert_int_equal(peer->aside, 0);
	assert_null(peer->confirm);
	assert_null(peer->allowances);
	peer->up = true;
	request("s");
	assert_string_equal(sent, "s");
}

/* The clock has given the link up while its message was read. */
static void what_comes_by_a_lost_link_counts_no_more(void **state)
{
	peer->up = false;
	allow("s", 0);
	assert_null(peer->allowances);
	peer->up = true;
	request("s");
	assert_string_equal(sent, "s");
}

static void nothing_is_allowed_for_what_is_not_offered(void **state)
{
	allow("x", 0);
	assert_null(peer->allowances);
	request("x");
	assert_string_equal(sent, "x");
}

/* That of posts is known without an offer, and would stay for the next link. */
static void nothing_is_allowed_on_a_link_that_is_lost(void **state)
{
	peer->up = false;
	allow(OW_EVENT_POST, 0);
	assert_null(peer->allowances);
	assert_int_equal(peer->lane[OW_BR_REPLIES].taken, 0);
}

static void services_with_an_allowance_are_bounded(void **state)
{
	char svc[16];
	uint32_t i;

	for (i = 0; i <= 65536; i++) {
		snprintf(svc, sizeof(svc), "x%06u", i);
		ow_br_names_free(&peer->offers); /* it offers others each time */
		ow_br_names_parse(svc, &peer->offers);
		allow(svc, 0);
	}
	assert_true(ow_br_allowance_holds(peer, "x065535"));
	assert_false(ow_br_allowance_holds(peer, "x065536"));
}

static void the_more_stands_aside_the_less_may(void **state)
{
	uint32_t alone, both;

	allow("s", 0);
	allow("t", 0);
	while (!ow_br_allowance_is_full(peer, "s", 1))
		request("s");
	alone = ow_br_allowance_waiting(peer, "s");
	assert_true(ow_br_allowance_is_full(peer, "s", 2));
	assert_false(ow_br_allowance_is_full(peer, "t", 1));
	while (!ow_br_allowance_is_full(peer, "t", 1))
		request("t");
	both = ow_br_allowance_waiting(peer, "t");
	assert_in_range(alone, OW_BR_HOLD / 6, OW_BR_HOLD / 4);
	assert_in_range(both, OW_BR_HOLD / 8, alone - 1);
}

#define FACT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(others_pass_what_stands_aside),
		FACT(as_many_go_as_are_allowed_and_one_at_least),
		FACT(what_waits_in_the_lane_leaves_it),
		FACT(a_higher_priority_passes),
		FACT(confirm_waits_for_what_was_there_and_no_more),
		FACT(confirm_waits_for_what_leaves_the_lane_later),
		FACT(confirm_waits_for_nothing_newer_that_leaves_the_lane),
		FACT(what_is_late_is_dropped_and_confirm_goes),
		FACT(a_lost_link_forgets_all),
		FACT(what_comes_by_a_lost_link_counts_no_more),
		FACT(nothing_is_allowed_for_what_is_not_offered),
		FACT(nothing_is_allowed_on_a_link_that_is_lost),
		FACT(services_with_an_allowance_are_bounded),
		FACT(the_more_stands_aside_the_less_may),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
