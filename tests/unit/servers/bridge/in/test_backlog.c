/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_backlog.c - when a sender is told to send less of a service, and how much it
 * is allowed
 *
 * What it is told waits in the lane of replies of the row.
 */
#include "tests/unit/servers/bridge/bridge_fixture.h"

#include "libatmi/base/clock.h"
#include "servers/bridge/in/backlog.h"

#define LEN 1536u
#define UNITS (LEN + OW_BR_COST)

static struct ow_bridge bridge;
static struct ow_br_peer *peer;
static struct ow_br_backlogs all;
static uint64_t now;

static int set_up(void **state)
{
	bridge_begin(&bridge, 1);
	peer = ow_br_peer_need(&bridge.peers, 2, 90);
	peer->up = peer->knows_allow = true;
	all = (struct ow_br_backlogs){ .peers = &bridge.peers };
	now = OW_NS_PER_SEC;
	return 0;
}

static int tear_down(void **state)
{
	ow_br_backlogs_free(&all);
	bridge_end(&bridge);
	return 0;
}

static struct ow_br_frame frame(const char *svc)
{
	struct ow_br_frame f = { .kind = OW_BR_REQUEST, .total = LEN };

	strcpy(f.svc, svc);
	return f;
}

static struct ow_br_origin link_of(struct ow_br_peer *p)
{
	return (struct ow_br_origin){ .peer = p, .epoch = p->epoch };
}

/* One comes, and finds no room: its backlog. */
static struct ow_br_backlog *come(const char *svc, bool *told)
{
	struct ow_br_origin from = link_of(peer);
	struct ow_br_frame f = frame(svc);

	peer->lane[OW_BR_REQUESTS].came += UNITS;
	ow_br_backlog_came(&all, &from, &f);
	return ow_br_backlog_join(&all, &from, &f, told);
}

static void go(struct ow_br_backlog *b, const char *svc, bool kept)
{
	struct ow_br_frame f = frame(svc);

	(void)ow_br_backlog_leave(&all, b, &f, kept);
}

/* What the other end is told next; -2: nothing. */
static int64_t said(void)
{
	struct ow_br_out *o = peer->lane[OW_BR_REPLIES].first;
	int64_t units;

	if (o == NULL)
		return -2;
	assert_int_equal(o->frame.kind, OW_BR_ALLOW);
	units = o->frame.urcode;
	peer->lane[OW_BR_REPLIES].first = o->next;
	free(o);
	return units;
}

/* Let requests come until the sender is told; how many. */
static int fill(const char *svc, struct ow_br_backlog **ret)
{
	bool told = false;
	int n = 0;

	while (!told && ++n < 100000)
		*ret = come(svc, &told);
	return n;
}

static void a_third_of_the_window_is_too_long(void **state)
{
	struct ow_br_backlog *b;
	int n = fill("s", &b);

	assert_in_range((uint64_t)n * UNITS, OW_BR_WINDOW / 3,
			OW_BR_WINDOW / 3 + 2 * UNITS);
	assert_int_equal(said(), 0);
	assert_int_equal(said(), -2);
}

/* None of them has given its credit back: all share the window. */
static void several_are_told_earlier_and_leave_a_share(void **state)
{
	struct ow_br_backlog *b;
	char svc[8];
	bool told = false;
	int i, n = 0;

	while (!told) {
		n++;
		for (i = 0; i < 9 && !told; i++) {
			snprintf(svc, sizeof(svc), "s%d", i);
			b = come(svc, &told);
		}
	}
	assert_non_null(b);
	assert_in_range((uint64_t)n * UNITS, OW_BR_WINDOW / 12,
			OW_BR_WINDOW / 10);
}

static void one_that_does_not_know_is_told_nothing(void **state)
{
	struct ow_br_frame f = frame("s");
	struct ow_br_backlog *b = NULL;
	bool told = false;
	int i;

	peer->knows_allow = false;
	for (i = 0; i < 4000; i++) {
		b = come("s", &told);
		assert_false(told);
		assert_false(ow_br_backlog_keep(&all, b, &f));
	}
	assert_false(ow_br_backlogs_look(&all, now));
	assert_int_equal(said(), -2);
}

static void what_is_allowed_is_a_window_and_ends_after_a_second(void **state)
{
	struct ow_br_backlog *b;
	int n = fill("s", &b);
	bool told;

	assert_int_equal(said(), 0);
	assert_false(ow_br_backlogs_look(&all, now)); /* too much waits */
	while (n > 100) {
		go(b, "s", false);
		n--;
	}
	assert_true(ow_br_backlogs_look(&all, now));
	assert_int_equal(said(), OW_BR_WINDOW / 4 - 100 * UNITS);
	assert_false(ow_br_backlogs_look(&all, now)); /* that is on its way */
	assert_ptr_equal(come("s", &told), b);
	assert_false(ow_br_backlogs_look(&all, now));
	for (n = 101; n > 0; n--)
		go(b, "s", false);
	ow_br_backlogs_look(&all, now);
	while (said() != -2)
		;
	assert_false(ow_br_backlogs_look(&all, now + OW_NS_PER_SEC - 1));
	assert_true(ow_br_backlogs_look(&all, now + OW_NS_PER_SEC));
	assert_int_equal(said(), -1);
	assert_null(all.table);
	assert_int_equal(peer->backlogs, 0);
}

static void a_thousand_get_a_small_share_each(void **state)
{
	struct ow_br_backlog *b;
	char svc[8];
	int i;

	peer->lane[OW_BR_REQUESTS].came = OW_BR_WINDOW;
	for (i = 0; i < 1000; i++) {
		snprintf(svc, sizeof(svc), "s%d", i);
		assert_int_equal(fill(svc, &b), 1);
		assert_int_equal(said(), 0);
		go(b, svc, false);
	}
	assert_true(ow_br_backlogs_look(&all, now));
	for (i = 0; i < 1000; i++)
		assert_in_range(said(), 16000, 17000);
	assert_int_equal(said(), -2);
}

static void what_is_kept_of_a_link_is_bounded(void **state)
{
	struct ow_br_frame f = frame("s");
	struct ow_br_backlog *b;
	bool told;
	int n = fill("s", &b), kept = 0;

	while (ow_br_backlog_keep(&all, b, &f)) {
		kept++;
		if (kept > n)
			come("s", &told);
	}
	assert_in_range((uint64_t)kept * UNITS, 31u << 20, 32u << 20);
	while (kept-- > 0)
		go(b, "s", true);
	assert_int_equal(peer->kept, 0);
	assert_int_equal(all.kept, 0);
}

static void credit_of_parts_is_withheld_while_too_much_waits(void **state)
{
	struct ow_br_backlog *b = NULL;
	bool told;
	int n = 0;

	peer->knows_allow = false;
	while (peer->held <= OW_BR_HELD) {
		b = come("s", &told);
		n++;
	}
	assert_in_range((uint64_t)n * UNITS, OW_BR_HELD, OW_BR_HELD + UNITS);
	peer->withheld = 5; /* arrive.c */
	assert_int_equal(peer->lane[OW_BR_REQUESTS].taken, 0);
	go(b, "s", false);
	assert_int_equal(peer->lane[OW_BR_REQUESTS].taken, 5);
	assert_int_equal(peer->withheld, 0);
	while (--n > 0)
		go(b, "s", false);
	assert_int_equal(peer->held, 0);
}

/* Its requests that came before wait on, and are of the old link. */
static void another_link_begins_without(void **state)
{
	struct ow_br_backlog *b, *next;
	struct ow_br_call *lost = NULL;
	bool told;
	int n = fill("s", &b);

	ow_br_peer_give_up(&bridge.peers, peer, &lost);
	peer->up = peer->knows_allow = true;
	next = come("s", &told);
	assert_ptr_not_equal(next, b);
	assert_false(told);
	while (n-- > 0)
		go(b, "s", false);
	assert_false(ow_br_backlogs_look(&all, now));
	go(next, "s", false);
	assert_false(ow_br_backlogs_look(&all, now));
	assert_false(ow_br_backlogs_look(&all, now + OW_NS_PER_SEC));
	assert_null(all.table);
}

#define FACT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(a_third_of_the_window_is_too_long),
		FACT(several_are_told_earlier_and_leave_a_share),
		FACT(one_that_does_not_know_is_told_nothing),
		FACT(what_is_allowed_is_a_window_and_ends_after_a_second),
		FACT(a_thousand_get_a_small_share_each),
		FACT(what_is_kept_of_a_link_is_bounded),
		FACT(credit_of_parts_is_withheld_while_too_much_waits),
		FACT(another_link_begins_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
