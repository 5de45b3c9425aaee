/* SPDX-License-Identifier: Apache-2.0 */
/* test_budget.c - rows of bridges, and what a node may send */
#include "tests/unit/servers/bridge/bridge_fixture.h"

#include "libatmi/base/clock.h"
#include "servers/bridge/peers/budget.h"

static struct ow_bridge bridge;

static int set_up(void **state)
{
	bridge_begin(&bridge, 1);
	return 0;
}

static int tear_down(void **state)
{
	bridge_end(&bridge);
	return 0;
}

static void heard(struct ow_br_peer *p, uint64_t ago_s)
{
	assert_non_null(p);
	p->heard_ns = ow_clock_mono_ns() - ago_s * OW_NS_PER_SEC;
}

static void fill_node(uint32_t node)
{
	uint32_t i;

	for (i = 0; i < OW_BR_NODE_ROWS; i++)
		heard(ow_br_peer_need(&bridge.peers, node, 100 + i), 1);
}

static void a_node_has_a_number_of_rows_and_others_have_theirs(void **state)
{
	fill_node(5);
	assert_true(ow_br_node_has_rows(&bridge.peers, 5));
	assert_null(ow_br_peer_need(&bridge.peers, 5, 999));
	assert_non_null(ow_br_peer_need(&bridge.peers, 5, 100));
	assert_non_null(ow_br_peer_need(&bridge.peers, 6, 999));
	assert_false(ow_br_node_has_rows(&bridge.peers, 6));
}

static void the_row_of_a_silent_bridge_becomes_another_ones(void **state)
{
	struct ow_br_peer *old, *p, *q = NULL;
	uint32_t epoch, n = 0;

	fill_node(5);
	old = ow_br_peer_need(&bridge.peers, 5, 100); /* the first of its node */
	epoch = old->epoch;
	heard(old, 100);
	p = ow_br_peer_need(&bridge.peers, 5, 999);
	assert_ptr_equal(p, old);
	assert_int_not_equal(p->epoch, epoch);
	assert_int_equal(p->bridge, 999);
	assert_string_equal(p->subject, "ow.test.1.5.999");
	assert_int_equal(bridge.peers.npeers, OW_BR_NODE_ROWS);
	for (uint32_t i = 0; i < bridge.peers.npeers; i++) {
		n += bridge.peers.peer[i]->is_first;
		q = bridge.peers.peer[i]->is_first ? bridge.peers.peer[i] : q;
	}
	assert_int_equal(n, 1);
	for (n = 0; q != NULL; q = q->sibling)
		n++;
	assert_int_equal(n, OW_BR_NODE_ROWS);
}

static void a_row_in_use_is_nobody_elses(void **state)
{
	struct ow_br_peer *p;

	fill_node(5);
	p = ow_br_peer_need(&bridge.peers, 5, 107);
	heard(p, 100);
	p->outstanding = 1;
	assert_null(ow_br_peer_need(&bridge.peers, 5, 999));
	p->outstanding = 0;
	p->up = true;
	assert_null(ow_br_peer_need(&bridge.peers, 5, 999));
	p->up = false;
	assert_ptr_equal(ow_br_peer_need(&bridge.peers, 5, 999), p);
}

static void messages_without_credit_have_a_rate(void **state)
{
	struct ow_br_batch h = { .lane = OW_BR_CONTROL };
	struct ow_br_call *lost = NULL;
	uint32_t n = 0;

	while (ow_br_budget_message(&bridge.peers, 5, &h, 100, &lost))
		n++;
	assert_in_range(n, OW_BR_NODE_MESSAGES, OW_BR_NODE_MESSAGES * 10);
	assert_int_equal(ow_br_budget_why(&bridge.peers, 5), OW_NODES_CUT_RATE);
	assert_int_equal(ow_br_budget_why(&bridge.peers, 6), OW_NODES_CUT_NONE);
	assert_true(ow_br_budget_message(&bridge.peers, 6, &h, 100, &lost));
	h.lane = OW_BR_REQUESTS; /* a node that is cut off is not heard at all */
	assert_false(ow_br_budget_message(&bridge.peers, 5, &h, 100, &lost));
	assert_false(ow_br_budget_message(&bridge.peers, 5, NULL, 4, &lost));
	/* Until its time is over. */
	bridge.peers.tallies->next->cut_until_ns = 1;
	assert_true(ow_br_budget_message(&bridge.peers, 5, &h, 100, &lost));
	assert_int_equal(ow_br_budget_why(&bridge.peers, 5), OW_NODES_CUT_NONE);
}

static void bytes_without_credit_have_one_too(void **state)
{
	struct ow_br_batch h = { .lane = OW_BR_CONTROL };
	struct ow_br_call *lost = NULL;
	size_t mega = 1 << 20;
	uint32_t n = 0;

	while (ow_br_budget_message(&bridge.peers, 5, &h, mega, &lost))
		n++;
	assert_in_range(n, 64, 1000);
	assert_int_equal(ow_br_budget_why(&bridge.peers, 5), OW_NODES_CUT_RATE);
}

/* What is shown is copied with each of them: 500 fit into a message. */
static void frames_that_tell_of_waits_cost_what_they_make_us_do(void **state)
{
	struct ow_br_frame f = { .size = sizeof(f), .kind = OW_BR_WAITS };
	struct ow_br_batch h = { .lane = OW_BR_CONTROL };
	struct ow_br_call *lost = NULL;
	struct {
		struct ow_br_batch h;
		struct ow_br_frame f[500];
	} many = { h, { f } };
	struct ow_br_peer *p;
	uint32_t i, n = 0;

	for (i = 0; i < 500; i++)
		many.f[i] = f;
	p = ow_br_peer_need(&bridge.peers, 5, 100);
	while (n < 1000 && ow_br_budget_message(&bridge.peers, 5, &h,
						sizeof(many), &lost) &&
	       ow_br_budget_frames(&bridge.peers, p, &h, &many, sizeof(many),
				   &lost))
		n++;
	assert_in_range(n, 1, 20);
	assert_int_equal(ow_br_budget_why(&bridge.peers, 5), OW_NODES_CUT_RATE);
	/* One a second of each bridge is what an honest node sends. */
	for (i = 0; i < OW_BR_NODE_ROWS; i++) {
		p = ow_br_peer_need(&bridge.peers, 6, 100 + i);
		assert_true(ow_br_budget_frames(&bridge.peers, p, &h, &many,
						sizeof(h) + sizeof(f), &lost));
	}
}

#define FACT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(a_node_has_a_number_of_rows_and_others_have_theirs),
		FACT(the_row_of_a_silent_bridge_becomes_another_ones),
		FACT(a_row_in_use_is_nobody_elses),
		FACT(messages_without_credit_have_a_rate),
		FACT(bytes_without_credit_have_one_too),
		FACT(frames_that_tell_of_waits_cost_what_they_make_us_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
