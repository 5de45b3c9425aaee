/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_post.c - a post goes to one bridge of each node that wants it
 *
 * One bridge, and others that it knows by the messages that this program makes
 * for them. Its own messages are found by their subjects.
 */
#include "tests/unit/servers/bridge/bridge_fixture.h"

#include "libatmi/post/message.h"
#include "servers/bridge/out/post.h"
#include "libatmi/wire/msg.h"
#include "libubf/regex/regex.h"

static struct ow_bridge bridge;
static char sent[16][96]; /* subjects of requests */
static int nsent, nasked;

static int carry(void *arg, const char *subject, const char *reply,
		 const void *data, size_t len)
{
	struct ow_br_batch h;
	struct ow_br_frame f;
	size_t at = 0;

	assert_int_equal(ow_br_batch_check(data, len, &h), 0);
	while (ow_br_frame_next(data, len, &at, &f) != NULL)
		nasked += f.kind == OW_BR_ASK_INTEREST;
	if (h.lane == OW_BR_REQUESTS && nsent < 16)
		snprintf(sent[nsent++], sizeof(sent[0]), "%s", subject);
	return 0;
}

/* What bridge `id` of `node` says to all. */
static void hear(uint32_t node, uint32_t id, struct ow_br_frame f,
		 const void *payload)
{
	char data[4096], subject[64];
	struct ow_br_batch h = { .magic = OW_BR_MAGIC,
				 .version = OW_BR_VERSION,
				 .lane = OW_BR_CONTROL,
				 .node = node,
				 .bridge = id,
				 .session = node * 100 + id };

	memcpy(data, &h, sizeof(h));
	snprintf(subject, sizeof(subject), "ow.test.%u.all", node);
	ow_br_message(&bridge.peers, subject, data, sizeof(h) +
		      ow_br_frame_put(data + sizeof(h), &f, payload));
}

static void hear_heartbeat(uint32_t node, uint32_t id, uint64_t gen)
{
	struct ow_br_heartbeat heartbeat = { .heartbeat_ms = 1000 };

	hear(node, id,
	     (struct ow_br_frame){
		 .kind = OW_BR_HEARTBEAT, .id = gen, .len = sizeof(heartbeat) },
	     &heartbeat);
}

static void hear_interest(uint32_t node, uint32_t id, const char *word)
{
	struct ow_interest i = { 0 };

	ow_interest_add(&i, OW_REGEX_EQUAL, word, (uint32_t)strlen(word));
	hear(node, id, (struct ow_br_frame){ .kind = OW_BR_INTEREST, .id = 5,
					     .len = sizeof(i) }, &i);
}

static void settle(void)
{
	pthread_mutex_lock(&bridge.peers.lock);
	ow_br_offers_settle(&bridge.dir);
	pthread_mutex_unlock(&bridge.peers.lock);
}

static int post(const char *event)
{
	struct ow_br_frame f = { .kind = OW_BR_POST,
				 .buftype = OW_BUF_CARRAY, .total = 4 };
	int n = ow_br_message_queue(&bridge.calls, &f, event, true, "abc");

	nsent = 0;
	ow_br_flush(&bridge.peers);
	assert_int_equal(n, nsent);
	return n;
}

static int set_up(void **state)
{
	bridge_begin(&bridge, 1);
	bridge.peers.carrier.send = carry;
	ow_br_up(&bridge.peers);
	nasked = 0;
	return 0;
}

static int tear_down(void **state)
{
	bridge_end(&bridge);
	return 0;
}

static void one_bridge_of_each_node_that_wants_it_gets_a_post(void **state)
{
	uint32_t id;

	for (id = 90; id < 93; id++) {
		hear_interest(2, id, "NEWS");
		hear_interest(3, id, "NEWS");
		hear_interest(4, id, "OTHER");
	}
	assert_int_equal(post("NEWS"), 2);
	assert_true(strstr(sent[0], "ow.test.1.2.9") != NULL);
	assert_true(strstr(sent[1], "ow.test.1.3.9") != NULL);
	assert_int_equal(post("OTHER"), 1);
	assert_true(strstr(sent[0], "ow.test.1.4.9") != NULL);
	assert_int_equal(post("NOTHING"), 0);
}

static void a_heartbeat_with_another_generation_is_asked_about(void **state)
{
	hear_heartbeat(2, 90, 7);
	assert_int_equal(nasked, 1);
	hear_interest(2, 90, "NEWS"); /* generation 5 */
	hear_heartbeat(2, 90, 5);
	assert_int_equal(nasked, 1);
	hear_heartbeat(2, 90, 6);
	assert_int_equal(nasked, 2);
}

static void whoever_is_gone_wants_nothing(void **state)
{
	struct ow_br_call *lost = NULL;

	hear_interest(2, 90, "NEWS");
	settle();
	assert_false(ow_interest_is_empty(&bridge.dir.remote_interest));
	ow_br_peer_give_up(&bridge.peers, bridge.peers.peer[0], &lost);
	assert_int_equal(post("NEWS"), 0);
	settle();
	assert_true(ow_interest_is_empty(&bridge.dir.remote_interest));
}

static void the_service_is_wanted_while_others_want_events(void **state)
{
	const struct ow_br_names *wanted = &bridge.dir.wanted;

	assert_int_equal(wanted->n, 0);
	hear_interest(2, 90, "NEWS");
	settle();
	assert_true(ow_br_names_has(wanted, OW_EVENT_REMOTE));
	ow_br_down(&bridge.peers);
	settle();
	assert_int_equal(bridge.dir.wanted.n, 0);
}

static void field_tables_that_differ_keep_fields_back(void **state)
{
	hear_interest(2, 90, "NEWS");
	bridge.dir.tables = 1;
	bridge.peers.peer[0]->tables = 2;
	assert_int_equal(post("NEWS"), 0);
	assert_int_equal(bridge.peers.peer[0]->lost, 1);
	bridge.peers.peer[0]->tables = 1;
	assert_int_equal(post("NEWS"), 1);
}

static void a_full_node_misses_the_post_and_nobody_waits(void **state)
{
	hear_interest(2, 90, "NEWS");
	hear_interest(3, 90, "NEWS");
	bridge.peers.peer[0]->lane[OW_BR_REQUESTS].waiting = OW_BR_HOLD;
	assert_int_equal(post("NEWS"), 1);
	assert_int_equal(bridge.peers.peer[0]->lost, 1);
	bridge.peers.peer[0]->lane[OW_BR_REQUESTS].waiting = 0;
}

static void names_of_the_runtime_are_nobodys_to_offer(void **state)
{
	struct {
		struct ow_br_advert n;
		char name[3][OW_BR_NAME];
	} news = { { .gen = 1, .full = 1, .plus = 3 },
		   { "@TPEVPOST", ".TMIB", "ECHO" } };

	hear(2, 90, (struct ow_br_frame){ .kind = OW_BR_ADVERT,
					  .len = sizeof(news) }, &news);
	settle();
	assert_true(ow_br_names_has(&bridge.dir.wanted, "ECHO"));
	assert_false(ow_br_names_has(&bridge.dir.wanted, "@TPEVPOST"));
	assert_false(ow_br_names_has(&bridge.dir.wanted, ".TMIB"));
}

#define FACT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(one_bridge_of_each_node_that_wants_it_gets_a_post),
		FACT(a_heartbeat_with_another_generation_is_asked_about),
		FACT(whoever_is_gone_wants_nothing),
		FACT(the_service_is_wanted_while_others_want_events),
		FACT(field_tables_that_differ_keep_fields_back),
		FACT(a_full_node_misses_the_post_and_nobody_waits),
		FACT(names_of_the_runtime_are_nobodys_to_offer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
