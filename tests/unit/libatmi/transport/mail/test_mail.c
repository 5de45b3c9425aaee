/* SPDX-License-Identifier: Apache-2.0 */
/* test_mail.c - mailboxes, the same on all transports: a context receives, its
 * senders die */
#include "tests/unit/libatmi/messages.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "libatmi/transport/mail/mailbox.h"

#define MS	 OW_NS_PER_MS
#define LATE_SEQ 1 /* of the messages that fill the mailbox */
#define SEQ	 5

static uint32_t slot;
static struct ow_queue *box;

static struct ow_msg message(uint64_t seq)
{
	return (struct ow_msg){ .magic = OW_MSG_MAGIC,
				.version = OW_MSG_VERSION,
				.kind = OW_MSG_REPLY,
				.buftype = OW_BUF_NULL,
				.clt_slot = slot,
				.clt_gen = dom->tables->clt[slot].gen,
				.cd = 1,
				.seq = seq };
}

static int put(uint64_t seq)
{
	struct ow_msg m = message(seq);

	return send_msg(box, &m, 50, OW_DEADLINE_NOW);
}

static uint64_t blocks_used(void)
{
	uint64_t n, bytes;

	ow_blocks_usage(dom->blocks, &n, &bytes);
	return n;
}

static int set_up(void **state)
{
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	box = dom_mailbox(slot);
	return 0;
}

static int tear_down(void **state)
{
	ow_clt_close(dom->tables, slot, dom->tables->clt[slot].gen);
	ow_reap_discard(dom, box);
	ow_clt_free(dom->tables, slot);
	ow_reap_blocks(dom);
	box = ow_queue_close(box);
	assert_int_equal(blocks_used(), 0);
	return 0;
}

static uint32_t fill(void)
{
	uint32_t n = 0;

	while (put(LATE_SEQ) == 0)
		n++;
	assert_int_equal(n, DOM_MAILBOX);
	return n;
}

/* ---- the context ---- */

static void messages_come_in_the_order_of_sending(void **state)
{
	struct ow_msg m;
	uint64_t i;

	for (i = 1; i <= 20; i++)
		assert_int_equal(put(i), 0);
	for (i = 1; i <= 20; i++) {
		assert_int_equal(recv_msg(box, &m, OW_DEADLINE_NOW), 0);
		assert_int_equal(m.seq, i);
	}
	assert_int_equal(recv_msg(box, &m, OW_DEADLINE_NOW), OW_QUEUE_EMPTY);
}

static void call_without_descriptors(void *arg)
{
	struct rlimit none = { 0, 0 };
	uint32_t other;

	/* A process finds its own slot, and maps the mailboxes, first. */
	if (ow_clt_take(dom->tables, &slot) != 0 ||
	    ow_mail_open(dom, slot) != 0)
		_exit(1);
	setrlimit(RLIMIT_NOFILE, &none);
	setrlimit(RLIMIT_MSGQUEUE, &none);
	if (ow_clt_take(dom->tables, &other) != 0)
		_exit(2);
	slot = other;
	box = dom_mailbox(slot);
	_exit(put(SEQ) == 0 && recv_msg(box, NULL, OW_DEADLINE_NOW) == 0 ? 0
									 : 3);
}

static void another_context_needs_no_descriptor_and_no_kernel_queue(void **state)
{
	assert_int_equal(in_child(call_without_descriptors, NULL), 0);
	assert_int_equal(ow_reap_clients(dom), 2);
}

static void waits_end_at_their_deadlines(void **state)
{
	uint64_t t0 = ow_clock_mono_ns();

	assert_int_equal(recv_msg(box, NULL, t0 + 30 * MS), OW_QUEUE_TIMEOUT);
	assert_true(ow_clock_mono_ns() >= t0 + 30 * MS);
	fill();
	t0 = ow_clock_mono_ns();
	struct ow_msg m = message(SEQ);
	assert_int_equal(send_msg(box, &m, 50, t0 + 30 * MS),
			 OW_QUEUE_TIMEOUT);
	assert_true(ow_clock_mono_ns() >= t0 + 30 * MS);
	assert_int_equal(blocks_used(), DOM_MAILBOX);
}

static void room_for_the_calls_that_are_out_is_made(void **state)
{
	uint32_t i, depth = 0;

	fill();
	assert_int_equal(ow_queue_expect(box, 1000), 0);
	for (i = 0; i < 1000; i++)
		assert_int_equal(put(SEQ), 0);
	assert_int_equal(ow_queue_depth(box, &depth), 0);
	assert_int_equal(depth, DOM_MAILBOX + 1000);
}

/* ---- senders that die ---- */

/* Killed after the message became MAILED, before it is put there. */
static void mail_and_die(void *arg)
{
	struct ow_msg m = message(SEQ);
	void *data;

	m.urcode = 77;
	if (ow_block_alloc(dom->blocks, 0, 0, &m.block, &data) != 0)
		_exit(1);
	ow_block_post_msg(dom->blocks, m.block, &m, OW_BLOCK_MAILED);
	raise(SIGKILL);
}

static void a_message_of_a_dead_sender_waits_for_room(void **state)
{
	uint32_t full = fill(), i;
	struct ow_msg m;

	assert_int_equal(in_child(mail_and_die, NULL), 128 + SIGKILL);
	for (i = 0; i < 3; i++)
		ow_reap_blocks(dom);
	for (i = 0; i < full; i++) {
		assert_int_equal(recv_msg(box, &m, OW_DEADLINE_NOW), 0);
		assert_int_equal(m.seq, LATE_SEQ);
	}
	assert_int_equal(recv_msg(box, &m, OW_DEADLINE_NOW), OW_QUEUE_EMPTY);
	for (i = 0; i < 3; i++)
		ow_reap_blocks(dom);
	assert_int_equal(recv_msg(box, &m, OW_DEADLINE_NOW), 0);
	assert_int_equal(m.seq, SEQ);
	assert_int_equal(m.urcode, 77);
	/* Once. */
	assert_int_equal(recv_msg(box, &m, OW_DEADLINE_NOW), OW_QUEUE_EMPTY);
	assert_int_equal(blocks_used(), 0);
}

static void put_and_die(void *arg)
{
	if (put(SEQ) != 0)
		_exit(1);
	raise(SIGKILL);
}

static void a_message_outlives_its_sender(void **state)
{
	struct ow_msg m;
	int i;

	assert_int_equal(in_child(put_and_die, NULL), 128 + SIGKILL);
	for (i = 0; i < 3; i++)
		ow_reap_blocks(dom);
	assert_int_equal(recv_msg(box, &m, OW_DEADLINE_NOW), 0);
	assert_int_equal(m.seq, SEQ);
	assert_int_equal(recv_msg(box, &m, OW_DEADLINE_NOW), OW_QUEUE_EMPTY);
}

static void what_the_dead_had_for_a_context_that_is_gone_is_freed(void **state)
{
	fill();
	assert_int_equal(in_child(mail_and_die, NULL), 128 + SIGKILL);
	ow_reap_blocks(dom);
	ow_clt_close(dom->tables, slot, dom->tables->clt[slot].gen);
	ow_reap_discard(dom, box);
	ow_reap_blocks(dom);
	assert_int_equal(blocks_used(), 0);
}

/* The context drains its mailbox once; then its sender sees that it has left. */
static void a_message_that_comes_after_the_last_drain_is_freed(void **state)
{
	struct ow_msg m = message(SEQ);

	ow_clt_close(dom->tables, slot, m.clt_gen);
	ow_reap_discard(dom, box);
	assert_int_equal(send_msg(box, &m, 50, OW_DEADLINE_NOW), 0);
	assert_int_equal(blocks_used(), 0);
}

/* ---- contexts that die ---- */

static void receive_and_die(void *arg)
{
	struct test_in in;

	if (ow_clt_take(dom->tables, &slot) != 0)
		_exit(1);
	box = dom_mailbox(slot);
	if (put(1) != 0 || put(2) != 0 ||
	    recv_in(box, &in, OW_DEADLINE_NOW) != 0)
		_exit(2);
	raise(SIGKILL);
}

static void a_dead_context_leaves_neither_what_it_took_nor_what_lay_there(
    void **state)
{
	assert_int_equal(in_child(receive_and_die, NULL), 128 + SIGKILL);
	assert_int_equal(blocks_used(), 2);
	assert_int_equal(ow_reap_clients(dom), 1);
	WAIT_FOR((ow_reap_blocks(dom), blocks_used() == 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
		T(messages_come_in_the_order_of_sending),
		T(another_context_needs_no_descriptor_and_no_kernel_queue),
		T(waits_end_at_their_deadlines),
		T(a_message_of_a_dead_sender_waits_for_room),
		T(a_message_outlives_its_sender),
		T(what_the_dead_had_for_a_context_that_is_gone_is_freed),
		T(a_message_that_comes_after_the_last_drain_is_freed),
		T(a_dead_context_leaves_neither_what_it_took_nor_what_lay_there),
		/* The last one: a mailbox that has grown stays so. */
		T(room_for_the_calls_that_are_out_is_made),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
