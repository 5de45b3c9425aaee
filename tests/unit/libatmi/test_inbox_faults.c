/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_inbox_faults.c - a kill while an unsolicited message is sent, taken or
 * dropped loses no other one and leaks nothing
 */
#include "tests/unit/libatmi/faults.h"

#include "libatmi/transport/inbox.h"

static uint32_t slot; /* of this process, which receives */

static uint64_t block_for(uint32_t to, uint64_t seq)
{
	uint64_t ref = 0;
	void *data;

	if (ow_block_alloc(dom->blocks, 3, 0, &ref, &data) != 0)
		_exit(30);
	memcpy(data, "ab", 3);
	*ow_block_msg(dom->blocks, ref) = (struct ow_msg){
		.magic = OW_MSG_MAGIC,
		.version = OW_MSG_VERSION,
		.kind = OW_MSG_UNSOLICITED,
		.buftype = OW_BUF_STRING,
		.clt_slot = to,
		.clt_gen = dom->tables->clt[to].gen,
		.len = 3,
		.seq = seq,
	};
	return ref;
}

static int put(uint32_t to, uint64_t seq)
{
	bool notice;

	return ow_inbox_put(dom, to, dom->tables->clt[to].gen,
			    block_for(to, seq), &notice);
}

/* Messages in the inbox of this process, in order; all are taken. */
static int take_all(uint64_t *seq, int room)
{
	uint64_t ref = 0;
	int n = 0;

	while (ow_inbox_take(dom, slot, &ref) == 0) {
		assert_in_range(n, 0, room - 1);
		seq[n++] = ow_block_msg(dom->blocks, ref)->seq;
		ow_block_free(dom->blocks, ref);
	}
	return n;
}

static void open_inbox(void)
{
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	assert_int_equal(ow_inbox_open(dom, slot, dom->tables->clt[slot].gen),
			 0);
}

static void close_inbox(void)
{
	ow_clt_close(dom->tables, slot, dom->tables->clt[slot].gen);
	ow_inbox_discard(dom, slot);
	ow_clt_free(dom->tables, slot);
}

static void send_second(void)
{
	if (put(slot, 2) != 0)
		_exit(31);
}

static void a_killed_senders_message_comes_or_was_not_sent(void **state)
{
	uint64_t seq[4];
	long n;
	int got;
	bool died = true;

	open_inbox();
	for (n = 1; died && n < POINTS_MAX; n++) {
		assert_int_equal(put(slot, 1), 0);
		died = dies_at(n, send_second);
		assert_int_equal(put(slot, 3), 0);
		ow_reap_clients(dom);
		got = take_all(seq, 4);
		assert_in_range(got, died ? 2 : 3, 3);
		assert_int_equal(seq[0], 1);
		assert_int_equal(seq[got - 1], 3);
		if (got == 3)
			assert_int_equal(seq[1], 2);
	}
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 5, POINTS_MAX - 1);
	close_inbox();
	check_blocks(0);
}

/* The life of a receiver. */
static void receive(void)
{
	uint64_t ref = 0;
	uint32_t own;

	if (ow_clt_take(dom->tables, &own) != 0 ||
	    ow_inbox_open(dom, own, dom->tables->clt[own].gen) != 0 ||
	    put(own, 1) != 0 || put(own, 2) != 0 || !ow_inbox_arm(dom, own) ||
	    ow_inbox_take(dom, own, &ref) != 0)
		_exit(32);
	ow_block_free(dom->blocks, ref);
	if (left < 0)
		raise(SIGKILL);
	ow_clt_close(dom->tables, own, dom->tables->clt[own].gen);
	ow_inbox_discard(dom, own);
	ow_clt_free(dom->tables, own);
}

static void a_killed_receiver_leaves_nothing(void **state)
{
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		if (!dies_at(n, receive))
			break;
		ow_reap_clients(dom);
	}
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 10, POINTS_MAX - 1);
	check_blocks(0);
}

static void reap(void)
{
	ow_reap_clients(dom);
}

static void another_reaper_frees_what_a_killed_one_had_to(void **state)
{
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		assert_true(dies_at(-1, receive));
		if (!dies_at(n, reap))
			break;
		ow_reap_clients(dom);
	}
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 5, POINTS_MAX - 1);
	check_blocks(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_killed_senders_message_comes_or_was_not_sent),
		cmocka_unit_test(a_killed_receiver_leaves_nothing),
		cmocka_unit_test(another_reaper_frees_what_a_killed_one_had_to),
	};

	if (fault_begin() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
