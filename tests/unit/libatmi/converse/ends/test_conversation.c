/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_conversation.c - descriptors, windows and states of conversations
 */
#include "tests/unit/libatmi/converse/ends/ends.h"

static struct ow_convs *convs;

static struct ow_conv *new_conv(uint64_t seq)
{
	struct ow_conv *t = NULL;

	assert_int_equal(ow_conv_new(convs, seq, &t), 0);
	return t;
}

static int set_up(void **state)
{
	convs = ow_convs_new(dom, 0, 1);
	return convs != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	ow_convs_free(convs);
	return 0;
}

static void descriptors_begin_at_0_and_the_lowest_free_one_is_next(void **state)
{
	int i;

	for (i = 0; i < 100; i++)
		assert_int_equal(new_conv(1)->cd, i);
	ow_conv_drop(convs, ow_conv_find(convs, 7));
	ow_conv_drop(convs, ow_conv_find(convs, 50));
	assert_null(ow_conv_find(convs, 7));
	assert_int_equal(new_conv(1)->cd, 7);
	assert_int_equal(new_conv(1)->cd, 50);
	assert_int_equal(new_conv(1)->cd, 100);
	assert_null(ow_conv_find(convs, -1));
	assert_null(ow_conv_find(convs, 101));
	assert_null(ow_conv_find(NULL, 0));
}

static void all_descriptors_in_use_is_emfile(void **state)
{
	struct ow_conv *t;
	int i;

	/* Slots of the table without conversations: the limit is what
	 * counts. */
	convs->conv = calloc(OW_CONV_MAX, sizeof(*convs->conv));
	convs->n = OW_CONV_MAX;
	for (i = 0; i < OW_CONV_MAX; i++)
		new_conv(1);
	assert_int_equal(ow_conv_new(convs, 1, &t), -EMFILE);
}

static void a_window_is_full_by_number_and_free_when_fetched(void **state)
{
	struct ow_conv *t = new_conv(1);
	uint32_t i;

	for (i = 0; i < OW_CONV_WINDOW; i++) {
		assert_true(ow_conv_has_room(t));
		ow_conv_sent(t, 10);
	}
	assert_false(ow_conv_has_room(t));
	ow_conv_acknowledged(t, 1);
	assert_true(ow_conv_has_room(t));
	ow_conv_sent(t, 10);
	assert_false(ow_conv_has_room(t));
	ow_conv_acknowledged(t, OW_CONV_WINDOW + 1);
	assert_true(ow_conv_has_room(t));
	assert_int_equal(t->unacked, 0);
}

static void a_window_is_full_by_bytes_whatever_the_number(void **state)
{
	struct ow_conv *t = new_conv(1);

	ow_conv_sent(t, OW_CONV_BYTES - 1);
	assert_true(ow_conv_has_room(t));
	ow_conv_sent(t, 100 * OW_CONV_BYTES);
	assert_false(ow_conv_has_room(t));
	ow_conv_acknowledged(t, 1);
	assert_false(ow_conv_has_room(t));
	ow_conv_acknowledged(t, 2);
	assert_true(ow_conv_has_room(t));
}

static void old_and_impossible_acknowledgements_change_nothing(void **state)
{
	struct ow_conv *t = new_conv(1);
	uint32_t i;

	t->sent = t->acked = UINT32_MAX - 2; /* numbers wrap */
	for (i = 0; i < 6; i++)
		ow_conv_sent(t, 1);
	ow_conv_acknowledged(t, 1);
	assert_int_equal(t->unacked, 2);
	ow_conv_acknowledged(t, UINT32_MAX);
	ow_conv_acknowledged(t, 4);
	ow_conv_acknowledged(t, 100);
	assert_int_equal(t->unacked, 2);
	assert_int_equal(t->acked, 1);
}

/* Whoever has fetched all that a blocked sender has sent owes it an answer:
 * else both would wait. */
static void a_blocked_sender_is_owed_an_answer(void **state)
{
	struct ow_msg m = { .len = 0 };
	struct ow_conv *t, *s;
	uint64_t len;

	for (len = 1; len < 3 * OW_CONV_BYTES; len = len * 3 + 7) {
		t = new_conv(1);
		s = new_conv(2);
		m.len = len;
		while (ow_conv_has_room(s)) {
			ow_conv_sent(s, len);
			ow_conv_fetched(t, &m);
			if (ow_conv_owes(t)) {
				ow_conv_acknowledged(s, t->taken);
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
	struct ow_conv *t = new_conv(1);

	ow_conv_over(t, TPEV_DISCONIMM);
	ow_conv_over(t, TPEV_SVCSUCC);
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
