/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_talk.c - descriptors, windows and states of conversations
 */
#include "tests/unit/libatmi/converse/ends.h"

static struct ow_talks *talks;

static struct ow_talk *new_talk(uint64_t seq)
{
	struct ow_talk *t = NULL;

	assert_int_equal(ow_talk_new(talks, seq, &t), 0);
	return t;
}

static int set_up(void **state)
{
	talks = ow_talks_new(dom, 0, 1);
	return talks != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	ow_talks_free(talks);
	return 0;
}

static void descriptors_begin_at_0_and_the_lowest_free_one_is_next(void **state)
{
	int i;

	for (i = 0; i < 100; i++)
		assert_int_equal(new_talk(1)->cd, i);
	ow_talk_drop(talks, ow_talk_find(talks, 7));
	ow_talk_drop(talks, ow_talk_find(talks, 50));
	assert_null(ow_talk_find(talks, 7));
	assert_int_equal(new_talk(1)->cd, 7);
	assert_int_equal(new_talk(1)->cd, 50);
	assert_int_equal(new_talk(1)->cd, 100);
	assert_null(ow_talk_find(talks, -1));
	assert_null(ow_talk_find(talks, 101));
	assert_null(ow_talk_find(NULL, 0));
}

static void all_descriptors_in_use_is_emfile(void **state)
{
	struct ow_talk *t;
	int i;

	/* Slots of the table without talks: the limit is what counts. */
	talks->talk = calloc(OW_TALK_MAX, sizeof(*talks->talk));
	talks->n = OW_TALK_MAX;
	for (i = 0; i < OW_TALK_MAX; i++)
		new_talk(1);
	assert_int_equal(ow_talk_new(talks, 1, &t), -EMFILE);
}

static void a_window_is_full_by_number_and_free_when_fetched(void **state)
{
	struct ow_talk *t = new_talk(1);
	uint32_t i;

	for (i = 0; i < OW_TALK_WINDOW; i++) {
		assert_true(ow_talk_has_room(t));
		ow_talk_sent(t, 10);
	}
	assert_false(ow_talk_has_room(t));
	ow_talk_acknowledged(t, 1);
	assert_true(ow_talk_has_room(t));
	ow_talk_sent(t, 10);
	assert_false(ow_talk_has_room(t));
	ow_talk_acknowledged(t, OW_TALK_WINDOW + 1);
	assert_true(ow_talk_has_room(t));
	assert_int_equal(t->unacked, 0);
}

static void a_window_is_full_by_bytes_whatever_the_number(void **state)
{
	struct ow_talk *t = new_talk(1);

	ow_talk_sent(t, OW_TALK_BYTES - 1);
	assert_true(ow_talk_has_room(t));
	ow_talk_sent(t, 100 * OW_TALK_BYTES);
	assert_false(ow_talk_has_room(t));
	ow_talk_acknowledged(t, 1);
	assert_false(ow_talk_has_room(t));
	ow_talk_acknowledged(t, 2);
	assert_true(ow_talk_has_room(t));
}

static void old_and_impossible_acknowledgements_change_nothing(void **state)
{
	struct ow_talk *t = new_talk(1);
	uint32_t i;

	t->sent = t->acked = UINT32_MAX - 2; /* numbers wrap */
	for (i = 0; i < 6; i++)
		ow_talk_sent(t, 1);
	ow_talk_acknowledged(t, 1);
	assert_int_equal(t->unacked, 2);
	ow_talk_acknowledged(t, UINT32_MAX);
	ow_talk_acknowledged(t, 4);
	ow_talk_acknowledged(t, 100);
	assert_int_equal(t->unacked, 2);
	assert_int_equal(t->acked, 1);
}

/* Whoever has fetched all that a blocked sender has sent owes it an answer:
 * else both would wait. */
static void a_blocked_sender_is_owed_an_answer(void **state)
{
	struct ow_msg m = { .len = 0 };
	struct ow_talk *t, *s;
	uint64_t len;

	for (len = 1; len < 3 * OW_TALK_BYTES; len = len * 3 + 7) {
		t = new_talk(1);
		s = new_talk(2);
		m.len = len;
		while (ow_talk_has_room(s)) {
			ow_talk_sent(s, len);
			ow_talk_fetched(t, &m);
			if (ow_talk_owes(t)) {
				ow_talk_acknowledged(s, t->taken);
				t->told = t->taken;
				t->untold = 0;
			}
			if (s->sent > 1000)
				break;
		}
		assert_int_equal(s->sent, 1001);
	}
}

static void only_the_first_end_counts(void **state)
{
	struct ow_talk *t = new_talk(1);

	ow_talk_over(t, TPEV_DISCONIMM);
	ow_talk_over(t, TPEV_SVCSUCC);
	assert_int_equal(t->event, TPEV_DISCONIMM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    descriptors_begin_at_0_and_the_lowest_free_one_is_next,
		    set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    all_descriptors_in_use_is_emfile, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    a_window_is_full_by_number_and_free_when_fetched, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    a_window_is_full_by_bytes_whatever_the_number, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    old_and_impossible_acknowledgements_change_nothing, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    a_blocked_sender_is_owed_an_answer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_the_first_end_counts,
						set_up, tear_down),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
