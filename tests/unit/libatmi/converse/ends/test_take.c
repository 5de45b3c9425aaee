/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_take.c - messages of conversations find their conversation, and no other
 * one
 */
#include "tests/unit/libatmi/converse/ends/ends.h"

static struct end a, b;

static int set_up(void **state)
{
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	assert_int_equal(end_open(&a, 11), 0);
	assert_int_equal(end_open(&b, 22), 0);
	assert_int_equal(ends_accept(&a, &b), 0);
	return 0;
}

static int tear_down(void **state)
{
	uint64_t n = 0, bytes = 0;

	end_close(&a);
	end_close(&b);
	ow_reap_blocks(dom);
	ow_blocks_usage(dom->blocks, &n, &bytes);
	assert_int_equal(n, 0);
	return 0;
}

static void accept_tells_who_the_other_end_is(void **state)
{
	assert_int_equal(end_take(&a, NULL), 0);
	assert_int_equal(a.t->state, OW_CONV_OPEN);
	assert_int_equal(a.t->other.slot, b.slot);
	assert_int_equal(a.t->other.seq, 22);
	assert_true(ow_conv_lives(a.ts, a.t));
	assert_true(ow_conv_lives(b.ts, b.t));
}

static void messages_are_kept_in_order_inline_and_in_blocks(void **state)
{
	end_take(&a, NULL);
	assert_int_equal(end_send(&a, 'x', 10), 0);
	assert_int_equal(end_send(&a, 'y', 3000), 0);
	assert_int_equal(end_send(&a, 'z', 20), 0);
	assert_int_equal(end_take_all(&b), 3);
	assert_int_equal(end_fetch(&b), 'x');
	assert_int_equal(end_fetch(&b), 'y');
	assert_int_equal(end_fetch(&b), 'z');
	assert_int_equal(end_fetch(&b), 0);
	ow_conv_acknowledge(b.ts, b.t);
	assert_int_equal(a.t->acked, 0);
	assert_int_equal(end_take(&a, NULL), 0);
	assert_int_equal(a.t->acked, 3);
}

static void the_next_message_is_handed_over_if_nothing_is_kept(void **state)
{
	end_take(&a, NULL);
	end_send(&a, 'x', 10);
	end_send(&a, 'y', 10);
	assert_int_equal(end_take(&b, b.t), OW_CONV_DIRECT);
	assert_int_equal(*(char *)b.in.e.payload.data, 'x');
	ow_envelope_close(&b.in.e);
	assert_int_equal(end_take(&b, NULL), 0);
	end_send(&a, 'z', 10);
	assert_int_equal(end_take(&b, b.t), 0);
	assert_int_equal(end_fetch(&b), 'y');
}

/* The queue of the end that connects was full when the server accepted. */
static void data_may_overtake_the_acceptance(void **state)
{
	assert_int_equal(recv_in(a.q, &a.in, OW_DEADLINE_NOW), 0);
	assert_int_equal(a.in.e.head->conv_op, OW_CONV_ACCEPT);
	ow_envelope_close(&a.in.e); /* it comes later */
	b.t->turn = OW_TURN_OURS;
	assert_int_equal(end_send(&b, 'x', 10), 0);
	assert_int_equal(end_take(&a, a.t), 0);
	assert_int_equal(a.t->state, OW_CONV_OPEN);
	assert_int_equal(a.t->other.seq, 22);
	assert_int_equal(end_fetch(&a), 'x');
	assert_int_equal(ow_conv_accept(b.ts, b.t), 0);
	assert_int_equal(end_take(&a, NULL), OW_CONV_LATE);
	assert_int_equal(a.t->state, OW_CONV_OPEN);
}

/* A message that was changed on its way, to see whether it is refused. */
static int take_changed(void (*change)(struct ow_msg *))
{
	end_send(&a, 'x', 10);
	assert_int_equal(recv_in(b.q, &b.in, OW_DEADLINE_NOW), 0);
	change(b.in.e.head);
	return ow_convs_take(b.ts, &b.in.e, NULL);
}

static void of_another_sequence(struct ow_msg *m)
{
	m->seq++;
}

static void of_another_descriptor(struct ow_msg *m)
{
	m->cd++;
}

static void of_another_context(struct ow_msg *m)
{
	m->clt_gen += 2;
}

static void from_another_context(struct ow_msg *m)
{
	m->conv.from_gen += 2;
}

static void from_another_conv(struct ow_msg *m)
{
	m->conv.from_seq++;
}

static void once_more(struct ow_msg *m)
{
	m->conv.number = 0;
}

static void of_no_kind(struct ow_msg *m)
{
	m->conv_op = 77;
}

static void foreign_late_and_repeated_messages_are_refused(void **state)
{
	void (*const changes[])(struct ow_msg *) = {
		of_another_sequence,  of_another_descriptor, of_another_context,
		from_another_context, from_another_conv,     once_more,
		of_no_kind,
	};
	size_t i;

	end_take(&a, NULL);
	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		assert_int_equal(take_changed(changes[i]), OW_CONV_LATE);
		assert_null(b.t->first);
		assert_int_equal(b.t->state, OW_CONV_OPEN);
		end_take_all(&a);
		a.t->sent = 0; /* that one never came */
		a.t->unacked = 0;
		assert_true(a.t->state != OW_CONV_CALLING);
		a.t->state = OW_CONV_OPEN; /* it was told that none is there */
	}
	end_send(&a, 'x', 10);
	assert_int_equal(end_take_all(&b), 1);
	assert_int_equal(end_fetch(&b), 'x');
}

static void skip_one(struct ow_msg *m)
{
	m->conv.number++;
}

static void a_missing_message_ends_the_conversation_for_both(void **state)
{
	end_take(&a, NULL);
	assert_int_equal(take_changed(skip_one), 0);
	assert_int_equal(b.t->state, OW_CONV_OVER);
	assert_int_equal(b.t->event, TPEV_DISCONIMM);
	assert_int_equal(end_take_all(&a), 1);
	assert_int_equal(a.t->event, TPEV_DISCONIMM);
}

static void to_an_acceptance_that_nobody_waits_for_the_answer_is_the_end(
    void **state)
{
	ow_conv_drop(a.ts, a.t);
	assert_int_equal(end_take(&a, NULL), OW_CONV_LATE);
	assert_int_equal(end_take(&b, NULL), 0);
	assert_int_equal(b.t->state, OW_CONV_OVER);
	assert_int_equal(b.t->event, TPEV_DISCONIMM);
}

static void the_end_comes_although_the_queue_is_full(void **state)
{
	end_take(&a, NULL);
	while (end_send(&a, 'x', 10) == 0 && ow_conv_has_room(a.t))
		;
	ow_conv_hang_up(a.ts, a.t);
	ow_conv_over(a.t, TPEV_DISCONIMM);
	end_take_all(&b);
	ow_reap_postponed(dom, &dom->tables->clt[b.slot]);
	end_take_all(&b);
	assert_int_equal(b.t->state, OW_CONV_OVER);
	assert_int_equal(b.t->event, TPEV_DISCONIMM);
	assert_int_equal(end_fetch(&b), 'x');
}

/* The reply to the request that began it. */
static int reply_with(int tperr, uint64_t seq)
{
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REPLY,
			    .buftype = OW_BUF_NULL,
			    .clt_slot = a.slot,
			    .clt_gen = a.ts->gen,
			    .cd = a.t->cd + 1,
			    .seq = seq,
			    .tperr = tperr };

	assert_int_equal(send_msg(a.q, &m, 50, OW_DEADLINE_NOW), 0);
	return end_take(&a, NULL);
}

static void the_reply_is_the_end(void **state)
{
	static const struct {
		int tperr;
		long event;
	} ends[] = { { 0, TPEV_SVCSUCC }, { TPESVCFAIL, TPEV_SVCFAIL },
		     { TPESVCERR, TPEV_SVCERR }, { TPENOENT, TPEV_SVCERR } };
	size_t i;

	end_take(&a, NULL);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		assert_int_equal(reply_with(ends[i].tperr, a.t->seq + 1),
				 OW_CONV_LATE);
		assert_int_equal(reply_with(ends[i].tperr, a.t->seq), 0);
		assert_int_equal(a.t->state, OW_CONV_OVER);
		assert_int_equal(a.t->event, ends[i].event);
		assert_non_null(a.t->end.head);
		assert_int_equal(reply_with(0, a.t->seq), OW_CONV_LATE);
		ow_envelope_close(&a.t->end);
		a.t->state = OW_CONV_OPEN;
	}
	a.t->end.head = NULL;
}

static void the_end_of_a_context_is_seen_at_once(void **state)
{
	struct end c;

	end_take(&a, NULL);
	memset(&c, 0, sizeof(c));
	assert_int_equal(end_open(&c, 33), 0);
	a.t->other = end_address(&c);
	assert_true(ow_conv_is_there(a.ts, a.t));
	end_close(&c);
	assert_false(ow_conv_is_there(a.ts, a.t));
	assert_false(ow_conv_lives(a.ts, a.t));
	assert_int_equal(ow_conv_reach(a.ts, a.t), OW_QUEUE_GONE);
}

#define FACT(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(accept_tells_who_the_other_end_is),
		FACT(messages_are_kept_in_order_inline_and_in_blocks),
		FACT(the_next_message_is_handed_over_if_nothing_is_kept),
		FACT(data_may_overtake_the_acceptance),
		FACT(foreign_late_and_repeated_messages_are_refused),
		FACT(a_missing_message_ends_the_conversation_for_both),
		FACT(to_an_acceptance_that_nobody_waits_for_the_answer_is_the_end),
		FACT(the_end_comes_although_the_queue_is_full),
		FACT(the_reply_is_the_end),
		FACT(the_end_of_a_context_is_seen_at_once),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
