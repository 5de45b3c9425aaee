/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_confirmation.c - what was withdrawn is confirmed when nothing that was
 * chosen before is on its way
 *
 * Bridge 0 withdraws; bridge 1, and in one test bridge 2, are told and confirm.
 * What they say may be lost, or wait.
 */
#include "tests/unit/servers/bridge/bridge_fixture.h"

#include "libatmi/base/clock.h"
#include "libatmi/wire/msg.h"
#include "servers/bridge/directory/confirmation.h"

#define N 3

static struct ow_bridge bridge[N];
static int joined;	/* bridges that carry() knows */
static bool adverts_lost, confirms_lost;
static int requests, questions; /* that have come to bridge 0; from it */

static struct ow_br_frame first_frame(const void *data)
{
	struct ow_br_frame f;

	memcpy(&f, (const char *)data + sizeof(struct ow_br_batch), sizeof(f));
	return f;
}

/* Requests end at bridge 0, which has no room `in`. */
static bool is_dropped(const void *data, size_t len)
{
	struct ow_br_batch h;
	struct ow_br_frame f;
	size_t at = 0;

	if (ow_br_batch_check(data, len, &h) != 0)
		return true; /* its sender is not connected yet */
	while (ow_br_frame_next(data, len, &at, &f) != NULL)
		requests += f.kind == OW_BR_REQUEST;
	f = first_frame(data);
	questions += f.kind == OW_BR_HEARTBEAT &&
		     (f.flags & OW_BR_WANTS_CONFIRM) != 0;
	return f.kind == OW_BR_REQUEST ||
	       (f.kind == OW_BR_ADVERT && adverts_lost) ||
	       (f.kind == OW_BR_CONFIRM && confirms_lost);
}

static int carry(void *arg, const char *subject, const char *reply,
		 const void *data, size_t len)
{
	struct ow_bridge *from = arg;
	char to[64];
	int i;

	(void)reply;
	if (is_dropped(data, len))
		return 0;
	for (i = 0; i < joined; i++) {
		snprintf(to, sizeof(to), "ow.test.%u.%u.90",
			 from->peers.opt.node, bridge[i].peers.opt.node);
		if (&bridge[i] != from && (strcmp(subject, to) == 0 ||
					   strstr(subject, ".all") != NULL))
			ow_br_message(&bridge[i].peers, subject, data, len);
	}
	return 0;
}

static int set_up(void **state)
{
	int i;

	adverts_lost = confirms_lost = false;
	joined = 2;
	for (i = 0; i < N; i++) {
		bridge_begin(&bridge[i], (uint32_t)i + 1);
		bridge[i].peers.carrier = (struct ow_br_carrier){
			.arg = &bridge[i], .send = carry
		};
		bridge[i].dir.gen = 1;
		bridge[i].peers.connected = i < joined;
	}
	assert_int_equal(ow_br_names_add(&bridge[0].dir.own, "ECHO"), 0);
	for (i = 0; i < joined; i++)
		ow_br_up(&bridge[i].peers);
	requests = questions = 0;
	return 0;
}

static int tear_down(void **state)
{
	int i;

	for (i = 0; i < N; i++)
		bridge_end(&bridge[i]);
	return 0;
}

/* What bridge `i` knows of bridge `of`. */
static struct ow_br_peer *peer(int i, int of)
{
	struct ow_br_peer *p = ow_br_peer_find(&bridge[i].peers,
					       (uint32_t)of + 1, 90);

	assert_non_null(p);
	return p;
}

/* Bridge 0 offers nothing any more, as its look at the tables says. */
static void withdraw(void)
{
	struct ow_br_directory *d = &bridge[0].dir;
	static const struct ow_br_names none = { 0 };
	struct ow_br_names minus = { 0 };
	struct ow_br_advert *n;
	size_t len = 0;

	ow_br_names_minus(&d->own, &none, &minus);
	ow_br_names_clear(&d->own);
	d->withdrawn = ++d->gen;
	d->looked_ns = ow_clock_mono_ns();
	n = ow_br_advert_make(d->gen, &none, &minus, &len);
	ow_br_advert_tell(d, NULL, n, len);
	free(n);
	ow_br_names_free(&minus);
}

/* The clock of bridge 0, when a question is due again. */
static void look(void)
{
	bridge[0].dir.asked_ns = 0;
	ow_br_confirm_look(&bridge[0].dir);
}

static bool all_confirmed(void)
{
	return ow_br_unconfirmed(&bridge[0].dir) == NULL;
}

/* Bridge 1 has chosen bridge 0 for a request. */
static void choose(void)
{
	struct ow_br_out *o = ow_br_out_new(0);

	o->frame.kind = OW_BR_REQUEST;
	o->frame.buftype = OW_BUF_NULL;
	strcpy(o->frame.svc, "ECHO");
	ow_br_queue(peer(1, 0), OW_BR_REQUESTS, o);
}

/* ---- facts ---- */

static void others_confirm_at_once(void **state)
{
	withdraw();
	assert_false(all_confirmed());
	look();
	assert_true(all_confirmed());
	assert_int_equal(questions, 1);
	look(); /* nobody is asked in vain */
	assert_int_equal(questions, 1);
	assert_true(peer(1, 0)->offers.n == 0);
}

static void what_is_added_needs_no_confirmation(void **state)
{
	assert_true(all_confirmed());
	look();
	assert_int_equal(questions, 0);
}

static void what_was_chosen_before_comes_first(void **state)
{
	struct ow_br_lane_state *l = &peer(1, 0)->lane[OW_BR_REQUESTS];

	choose();
	l->sent = l->acked + OW_BR_WINDOW; /* it waits for credit */
	withdraw();
	look();
	assert_int_equal(requests, 0);
	assert_false(all_confirmed());
	look(); /* asked again: one is enough */
	assert_int_equal(l->waiting, 2);
	l->acked = l->sent;
	ow_br_flush(&bridge[1].peers);
	assert_int_equal(requests, 1);
	/* In this test it goes with the message of its request. */
	assert_int_equal(l->waiting, 0);
	peer(0, 1)->lane[OW_BR_REQUESTS].got_number = l->sent_number;
	look();
	assert_true(all_confirmed());
}

static void a_lost_advertisement_is_asked_for(void **state)
{
	adverts_lost = true;
	withdraw();
	look();
	assert_false(all_confirmed());
	assert_int_equal(peer(1, 0)->offers.n, 1);
	adverts_lost = false;
	look(); /* they ask for all */
	look();
	assert_true(all_confirmed());
}

static void a_lost_confirmation_is_said_again(void **state)
{
	confirms_lost = true;
	withdraw();
	look();
	assert_false(all_confirmed());
	confirms_lost = false;
	look(); /* the gap is seen: the link begins anew */
	look();
	assert_true(all_confirmed());
}

static void who_is_gone_is_not_waited_for(void **state)
{
	struct ow_br_call *lost = NULL;

	joined = 1; /* nobody carries anything to bridge 1 */
	withdraw();
	look();
	assert_false(all_confirmed());
	ow_br_peer_give_up(&bridge[0].peers, peer(0, 1), &lost);
	assert_true(all_confirmed());
}

static void who_joins_meanwhile_confirms_too(void **state)
{
	withdraw();
	look();
	assert_true(all_confirmed());
	joined = N;
	bridge[2].peers.connected = true;
	ow_br_up(&bridge[2].peers);
	assert_true(peer(0, 2)->up);
	assert_false(all_confirmed());
	look();
	look();
	assert_true(all_confirmed());
}

static void a_new_session_has_confirmed_nothing(void **state)
{
	withdraw();
	look();
	assert_true(all_confirmed());
	ow_br_down(&bridge[1].peers);
	ow_br_up(&bridge[1].peers);
	assert_true(peer(0, 1)->up);
	assert_false(all_confirmed());
	look();
	look();
	assert_true(all_confirmed());
}

static void two_that_leave_confirm_to_each_other(void **state)
{
	withdraw();
	bridge[1].dir.withdrawn = ++bridge[1].dir.gen;
	look();
	ow_br_confirm_look(&bridge[1].dir);
	ow_br_confirm_look(&bridge[1].dir);
	assert_true(all_confirmed());
	bridge[1].dir.asked_ns = 0;
	ow_br_confirm_look(&bridge[1].dir);
	bridge[1].dir.asked_ns = 0;
	ow_br_confirm_look(&bridge[1].dir);
	assert_null(ow_br_unconfirmed(&bridge[1].dir));
}

/* ---- what has come, and has no place yet ---- */

static void it_is_placed_when_what_had_come_is(void **state)
{
	struct ow_br_directory *d = &bridge[0].dir;
	struct ow_br_unplaced *u = &bridge[0].peers.unplaced;
	uint32_t old = ow_br_unplaced_add(u), more;

	withdraw();
	look();
	assert_true(all_confirmed());
	look();
	assert_true(d->placed_ns < d->looked_ns);
	more = ow_br_unplaced_add(u); /* from others: never none */
	ow_br_unplaced_remove(u, old);
	look();
	look();
	old = more;
	more = ow_br_unplaced_add(u);
	ow_br_unplaced_remove(u, old);
	look();
	assert_true(d->placed_ns == d->looked_ns);
	assert_false(ow_br_unplaced_is_empty(u));
	ow_br_unplaced_remove(u, more);
	assert_true(ow_br_unplaced_is_empty(u));
}

static void it_is_not_placed_before_it_is_confirmed(void **state)
{
	struct ow_br_directory *d = &bridge[0].dir;

	look();
	confirms_lost = true;
	withdraw();
	look();
	look();
	assert_true(d->placed_ns < d->looked_ns);
}

/* With credit of the same size as other frames. */
static void a_confirmation_gives_its_credit_back(void **state)
{
	const struct ow_br_lane_state *l = &peer(0, 1)->lane[OW_BR_REQUESTS];

	withdraw();
	look();
	assert_true(l->came == OW_BR_COST && l->taken == l->came);
}

static void a_generation_that_was_never_told_is_not_believed(void **state)
{
	struct ow_br_frame f = { .kind = OW_BR_CONFIRM, .urcode = 77 };

	ow_br_confirm_take(&bridge[0].dir, peer(0, 1), &f);
	assert_int_equal(peer(0, 1)->confirmed, 0);
}

#define FACT(name) \
	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(others_confirm_at_once),
		FACT(what_is_added_needs_no_confirmation),
		FACT(what_was_chosen_before_comes_first),
		FACT(a_lost_advertisement_is_asked_for),
		FACT(a_lost_confirmation_is_said_again),
		FACT(who_is_gone_is_not_waited_for),
		FACT(who_joins_meanwhile_confirms_too),
		FACT(a_new_session_has_confirmed_nothing),
		FACT(two_that_leave_confirm_to_each_other),
		FACT(it_is_placed_when_what_had_come_is),
		FACT(it_is_not_placed_before_it_is_confirmed),
		FACT(a_confirmation_gives_its_credit_back),
		FACT(a_generation_that_was_never_told_is_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
