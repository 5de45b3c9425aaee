/* SPDX-License-Identifier: Apache-2.0 */
/* test_inbox.c - inboxes: order, bound, who wants messages */
#include "tests/unit/libatmi/domain_fixture.h"

#include "libatmi/base/clock.h"
#include "libatmi/transport/inbox.h"
#include "libatmi/wire/msg.h"

static uint32_t slot, gen;

static uint64_t used(void)
{
	uint64_t n = 0, bytes = 0;

	ow_blocks_usage(dom->blocks, &n, &bytes);
	return n;
}

static uint64_t message(uint64_t seq, uint64_t len)
{
	uint64_t ref = 0;
	void *data;

	assert_int_equal(ow_block_alloc(dom->blocks, len, 0, &ref, &data), 0);
	*ow_block_msg(dom->blocks, ref) = (struct ow_msg){
		.magic = OW_MSG_MAGIC, .version = OW_MSG_VERSION,
		.kind = OW_MSG_UNSOLICITED, .buftype = OW_BUF_CARRAY,
		.clt_slot = slot, .clt_gen = gen, .len = len, .seq = seq,
	};
	return ref;
}

/* Put a message; it is freed if it could not be put. */
static int put(uint64_t seq, uint64_t len, bool *notice)
{
	uint64_t ref = message(seq, len);
	int r;

	*notice = false;
	r = ow_inbox_put(dom, slot, gen, ref, notice);
	if (r != 0 && r != OW_INBOX_GONE)
		ow_block_free(dom->blocks, ref);
	return r;
}

static uint64_t take(void)
{
	uint64_t ref = 0, seq;

	assert_int_equal(ow_inbox_take(dom, slot, &ref), 0);
	seq = ow_block_msg(dom->blocks, ref)->seq;
	ow_block_free(dom->blocks, ref);
	return seq;
}

static int begin(void **state)
{
	if (ow_clt_take(dom->tables, &slot) != 0)
		return -1;
	gen = dom->tables->clt[slot].gen;
	return ow_inbox_open(dom, slot, gen);
}

static int end(void **state)
{
	ow_clt_close(dom->tables, slot, gen);
	ow_inbox_discard(dom, slot);
	ow_clt_free(dom->tables, slot);
	return used() == 0 ? 0 : -1;
}

static void messages_come_in_order(void **state)
{
	uint64_t i, ref;
	bool notice;

	for (i = 1; i <= OW_INBOX_CELLS; i++)
		assert_int_equal(put(i, 10, &notice), 0);
	assert_int_equal(ow_inbox_depth(dom, slot), OW_INBOX_CELLS);
	for (i = 1; i <= OW_INBOX_CELLS; i++)
		assert_int_equal(take(), i);
	assert_int_equal(ow_inbox_take(dom, slot, &ref), OW_INBOX_EMPTY);
}

static void an_inbox_is_full_of_messages_or_of_bytes(void **state)
{
	bool notice;
	uint64_t i;

	for (i = 0; i < OW_INBOX_CELLS; i++)
		assert_int_equal(put(i, 10, &notice), 0);
	assert_int_equal(put(i, 10, &notice), OW_INBOX_FULL);
	take();
	assert_int_equal(put(i, 10, &notice), 0);
	while (ow_inbox_depth(dom, slot) > 0)
		take();
	/* Any message fits an empty inbox, and then no other. */
	assert_int_equal(put(1, 2 * OW_INBOX_BYTES, &notice), 0);
	assert_int_equal(put(2, 10, &notice), OW_INBOX_FULL);
	take();
	assert_int_equal(put(2, 10, &notice), 0);
}

static void only_a_context_that_waits_gets_a_notice_and_one(void **state)
{
	bool notice;

	assert_int_equal(put(1, 1, &notice), 0);
	assert_false(notice);
	take();
	assert_false(ow_inbox_arm(dom, slot));
	assert_int_equal(put(2, 1, &notice), 0);
	assert_true(notice);
	assert_int_equal(put(3, 1, &notice), 0);
	assert_false(notice);
	assert_true(ow_inbox_arm(dom, slot)); /* there is something already */
}

static void a_thread_that_sleeps_is_woken_and_gets_no_notice(void **state)
{
	uint64_t before = ow_clock_mono_ns();
	bool notice;

	assert_false(ow_inbox_arm_thread(dom, slot));
	assert_int_equal(put(1, 1, &notice), 0);
	assert_false(notice);
	/* It would sleep now: the message has come in between. */
	ow_inbox_sleep(dom, slot, before + 60 * OW_NS_PER_SEC);
	assert_true(ow_inbox_arm_thread(dom, slot));
	take();
	assert_false(ow_inbox_arm_thread(dom, slot));
	ow_inbox_rouse(dom, slot);
	ow_inbox_sleep(dom, slot, before + 60 * OW_NS_PER_SEC);
	assert_true(ow_clock_mono_ns() < before + 30 * OW_NS_PER_SEC);
}

static void a_context_without_a_handler_wants_nothing(void **state)
{
	bool notice;

	assert_int_equal(ow_inbox_wants(dom, slot, gen), 0);
	assert_int_equal(put(1, 1, &notice), 0);
	ow_inbox_close(dom, slot);
	assert_int_equal(used(), 0);
	assert_int_equal(ow_inbox_wants(dom, slot, gen), OW_INBOX_UNWANTED);
	assert_int_equal(ow_inbox_open(dom, slot, gen), 0);
	assert_int_equal(ow_inbox_wants(dom, slot, gen), 0);
}

static void a_message_for_an_earlier_context_is_freed(void **state)
{
	uint32_t old = gen;
	bool notice;

	assert_int_equal(put(1, 1, &notice), 0);
	ow_clt_close(dom->tables, slot, gen);
	assert_int_equal(ow_inbox_wants(dom, slot, old), OW_INBOX_GONE);
	/* A sender that looked before comes too late. */
	assert_int_equal(put(2, 1, &notice), OW_INBOX_GONE);
	assert_int_equal(used(), 1);
	ow_inbox_discard(dom, slot);
	assert_int_equal(used(), 0);
	ow_clt_free(dom->tables, slot);
	assert_int_equal(begin(NULL), 0);
	assert_int_not_equal(gen, old);
	assert_int_equal(ow_inbox_wants(dom, slot, old), OW_INBOX_GONE);
	assert_int_equal(ow_inbox_depth(dom, slot), 0);
}

static void slots_out_of_range_want_nothing(void **state)
{
	assert_int_equal(ow_inbox_wants(dom, UINT32_MAX, 1), OW_INBOX_GONE);
	assert_int_equal(ow_inbox_wants(dom, OW_CLT_MAX - 1, 1),
			 OW_INBOX_GONE);
	assert_int_equal(ow_inbox_wants(dom, slot, gen + 1), OW_INBOX_GONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
		T(messages_come_in_order),
		T(an_inbox_is_full_of_messages_or_of_bytes),
		T(only_a_context_that_waits_gets_a_notice_and_one),
		T(a_thread_that_sleeps_is_woken_and_gets_no_notice),
		T(a_context_without_a_handler_wants_nothing),
		T(a_message_for_an_earlier_context_is_freed),
		T(slots_out_of_range_want_nothing),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
