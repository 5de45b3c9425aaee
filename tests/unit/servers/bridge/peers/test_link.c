/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_link.c - two bridges without processes: who hears what, once
 *
 * The carrier of each hands messages to the other, or loses, repeats or keeps
 * them back. Requests are one-way, and are found in the lane state.
 */
#include "tests/unit/servers/bridge/bridge_fixture.h"

#include "libatmi/wire/msg.h"

static struct ow_bridge bridge[2];
static int lose, twice; /* so many messages of lanes with numbers */
static size_t allowed, longest; /* bytes of a message; 0: any */

static uint8_t lane_of(const void *data)
{
	struct ow_br_batch h;

	memcpy(&h, data, sizeof(h));
	return h.lane;
}

static int requests, callers; /* frames of lane REQUESTS: they end here */

static void count_requests(const void *data, size_t len)
{
	struct ow_br_frame f;
	struct ow_br_batch h;
	size_t at = 0;

	assert_int_equal(ow_br_batch_check(data, len, &h), 0);
	while (ow_br_frame_next(data, len, &at, &f) != NULL) {
		requests += f.kind == OW_BR_REQUEST;
		callers += f.kind == OW_BR_CALLER;
	}
}

static int carry(void *arg, const char *subject, const char *reply,
		 const void *data, size_t len)
{
	struct ow_bridge *to = arg;

	(void)reply;
	if (len > longest)
		longest = len;
	if (lane_of(data) == OW_BR_REQUESTS) {
		count_requests(data, len);
		return 0;
	}
	if (lane_of(data) != OW_BR_CONTROL && lose > 0) {
		lose--;
		return 0;
	}
	ow_br_message(&to->peers, subject, data, len);
	if (lane_of(data) != OW_BR_CONTROL && twice > 0) {
		twice--;
		ow_br_message(&to->peers, subject, data, len);
	}
	return 0;
}

static size_t largest(void *arg)
{
	(void)arg;
	return allowed;
}

static int set_up(void **state)
{
	int i;

	for (i = 0; i < 2; i++) {
		bridge_begin(&bridge[i], (uint32_t)i + 1);
		bridge[i].peers.carrier = (struct ow_br_carrier){ &bridge[1 - i],
							    carry, largest };
		bridge[i].dir.gen = 1;
		bridge[i].peers.connected = true;
	}
	lose = twice = 0;
	requests = callers = 0;
	allowed = longest = 0;
	for (i = 0; i < 2; i++)
		ow_br_up(&bridge[i].peers);
	return 0;
}

static int tear_down(void **state)
{
	bridge_end(&bridge[0]);
	bridge_end(&bridge[1]);
	return 0;
}

/* What bridge 0 knows of bridge 1, and the other way round. */
static struct ow_br_peer *peer(int i)
{
	assert_int_equal(bridge[i].peers.npeers, 1);
	return bridge[i].peers.peer[0];
}

/* A reply for a call that nobody knows: it is counted, and no more. */
static void send_reply(int from, size_t len)
{
	struct ow_br_out *o = ow_br_out_new(len);

	memset(o->payload, 0, len);
	o->frame.kind = OW_BR_REPLY;
	o->frame.buftype = OW_BUF_CARRAY;
	o->frame.id = 12345;
	o->frame.total = len;
	ow_br_queue(peer(from), OW_BR_REPLIES, o);
	ow_br_flush(&bridge[from].peers);
}

static void send_one(int from)
{
	send_reply(from, 8);
}

static uint64_t taken(int at)
{
	return peer(at)->lane[OW_BR_REPLIES].taken / (OW_BR_COST + 8);
}

static void bridges_meet_when_they_join(void **state)
{
	assert_true(peer(0)->up);
	assert_true(peer(1)->up);
	assert_true(peer(0)->session == bridge[1].peers.session);
	assert_true(peer(1)->session == bridge[0].peers.session);
}

static void messages_come_once_each(void **state)
{
	int i;

	for (i = 0; i < 100; i++)
		send_one(0);
	assert_int_equal(taken(1), 100);
	twice = 5;
	for (i = 0; i < 10; i++)
		send_one(0);
	assert_int_equal(taken(1), 110);
}

static void after_a_loss_the_link_begins_anew_and_works(void **state)
{
	uint32_t epoch = peer(1)->epoch;

	send_one(0);
	lose = 1;
	send_one(0);
	peer(1)->convs = 2;
	send_one(0); /* its number shows the gap */
	assert_true(peer(1)->epoch != epoch); /* conversations end */
	assert_int_equal(peer(1)->convs, 0);
	assert_int_equal(taken(1), 0); /* of the new link */
	assert_true(peer(0)->up && peer(1)->up);
	send_one(0);
	send_one(1);
	assert_int_equal(taken(1), 1);
	assert_int_equal(taken(0), 1);
}

static void a_side_that_gave_up_is_understood_by_the_other(void **state)
{
	struct ow_br_call *lost = NULL;

	send_one(0);
	ow_br_peer_give_up(&bridge[1].peers, peer(1), &lost);
	assert_null(lost);
	send_one(0); /* not for the link that bridge 1 wants now */
	assert_true(peer(1)->up);
	send_one(0);
	assert_int_equal(taken(1), 1);
	send_one(1);
	assert_int_equal(taken(0), 1);
}

static void a_new_session_forgets_the_old_one(void **state)
{
	uint64_t old = bridge[0].peers.session;

	send_one(0);
	ow_br_down(&bridge[0].peers);
	ow_br_up(&bridge[0].peers);
	assert_true(bridge[0].peers.session != old);
	assert_true(peer(1)->session == bridge[0].peers.session);
	send_one(0);
	send_one(1);
	assert_int_equal(taken(1), 1);
	assert_int_equal(taken(0), 1);
}

static void a_bridge_that_left_is_not_heard_until_it_is_back(void **state)
{
	ow_br_heartbeat(&bridge[0].peers, NULL, false, true); /* leaves */
	assert_false(peer(1)->up);
	ow_br_heartbeat(&bridge[0].peers, NULL, false, false); /* of its clock, late */
	assert_false(peer(1)->up);
	ow_br_up(&bridge[0].peers);
	assert_true(peer(1)->up);
	send_one(0);
	assert_int_equal(taken(1), 1);
}

static void credit_holds_back_and_comes_back(void **state)
{
	struct ow_br_lane_state *l = &peer(0)->lane[OW_BR_REPLIES];
	int i;

	for (i = 0; i < 50000; i++)
		send_one(0);
	assert_int_equal(l->waiting, 0);
	assert_true(l->sent - l->acked <= OW_BR_WINDOW);
	assert_int_equal(taken(1), 50000);
}

/* Units that a payload costs in `parts` parts. */
static uint64_t cost(size_t len, unsigned int parts)
{
	return len + parts * (uint64_t)OW_BR_COST;
}

static void parts_are_as_large_as_nats_allows(void **state)
{
	uint64_t part, before;

	send_reply(0, 1000000);
	assert_true(peer(1)->lane[OW_BR_REPLIES].taken == cost(1000000, 4));
	allowed = 65536;
	ow_br_up(&bridge[0].peers); /* connected anew, to another nats-server */
	longest = 0;
	before = peer(1)->lane[OW_BR_REPLIES].taken;
	send_reply(0, 1000000);
	assert_true(longest <= 65536);
	part = 65536 - sizeof(struct ow_br_batch) - sizeof(struct ow_br_frame);
	assert_true(peer(1)->lane[OW_BR_REPLIES].taken - before ==
		    cost(1000000, (unsigned int)(1000000 / part + 1)));
}

static void offers_come_in_full_and_as_differences(void **state)
{
	struct ow_bridge *b = &bridge[0];

	ow_br_names_parse("A,B", &b->dir.own);
	b->dir.gen = 5;
	ow_br_heartbeat(&b->peers, NULL, false, false); /* another generation: it asks */
	assert_int_equal(peer(1)->offers.n, 2);
	assert_int_equal(peer(1)->gen, 5);
	ow_br_offers_settle(&bridge[1].dir);
	assert_true(ow_br_names_has(&bridge[1].dir.wanted, "A"));
	assert_true(ow_br_names_has(&bridge[1].dir.wanted, "B"));
	ow_br_heartbeat(&b->peers, NULL, false, true); /* leaves */
	ow_br_offers_settle(&bridge[1].dir);
	assert_false(ow_br_names_has(&bridge[1].dir.wanted, "A"));
	ow_br_names_free(&b->dir.own);
}

static void send_request(const char *login)
{
	struct ow_br_out *o = ow_br_out_new(0);

	o->frame.kind = OW_BR_REQUEST;
	o->frame.buftype = OW_BUF_NULL;
	strcpy(o->frame.svc, "A");
	strcpy(o->caller.login, login);
	ow_br_queue(peer(0), OW_BR_REQUESTS, o);
	ow_br_flush(&bridge[0].peers);
}

/* A heartbeat of bridge 1 with these flags. */
static void heartbeat_with(uint32_t flags)
{
	struct ow_br_heartbeat heartbeat = { .gen = 1, .heartbeat_ms = 1000 };
	struct ow_br_frame f = { .kind = OW_BR_HEARTBEAT,
				 .len = sizeof(heartbeat),
				 .flags = flags };

	ow_br_say(&bridge[1].peers, NULL, &f, &heartbeat, false);
}

/* Bridges of an older version do not ask, and would drop what they do not
 * know. */
static void callers_are_named_to_those_that_asked(void **state)
{
	send_request("anna");
	assert_int_equal(requests, 1);
	assert_int_equal(callers, 0);
	heartbeat_with(OW_BR_WANTS_CALLERS);
	send_request("anna");
	assert_int_equal(callers, 1);
	send_request("");
	assert_int_equal(callers, 1);
	heartbeat_with(0);
	send_request("anna");
	assert_int_equal(requests, 4);
	assert_int_equal(callers, 1);
}

static void a_call_goes_to_those_that_offer_its_service(void **state)
{
	struct ow_bridge *b = &bridge[0];

	assert_null(ow_br_choose(&bridge[1].calls, "A"));
	ow_br_names_parse("A,B", &b->dir.own);
	b->dir.gen = 5;
	ow_br_heartbeat(&b->peers, NULL, false, false);
	assert_true(bridge[1].dir.unsettled);
	assert_ptr_equal(ow_br_choose(&bridge[1].calls, "A"), peer(1));
	ow_br_offers_settle(&bridge[1].dir);
	assert_false(bridge[1].dir.unsettled);
	assert_ptr_equal(ow_br_choose(&bridge[1].calls, "A"), peer(1));
	assert_ptr_equal(ow_br_choose(&bridge[1].calls, "B"), peer(1));
	assert_null(ow_br_choose(&bridge[1].calls, "C"));
	ow_br_heartbeat(&b->peers, NULL, false, true); /* leaves */
	assert_null(ow_br_choose(&bridge[1].calls, "A"));
	ow_br_offers_settle(&bridge[1].dir);
	assert_null(ow_br_choose(&bridge[1].calls, "A"));
	ow_br_names_free(&b->dir.own);
}

#define FACT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(bridges_meet_when_they_join),
		FACT(messages_come_once_each),
		FACT(after_a_loss_the_link_begins_anew_and_works),
		FACT(a_side_that_gave_up_is_understood_by_the_other),
		FACT(a_new_session_forgets_the_old_one),
		FACT(a_bridge_that_left_is_not_heard_until_it_is_back),
		FACT(credit_holds_back_and_comes_back),
		FACT(parts_are_as_large_as_nats_allows),
		FACT(offers_come_in_full_and_as_differences),
		FACT(callers_are_named_to_those_that_asked),
		FACT(a_call_goes_to_those_that_offer_its_service),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
