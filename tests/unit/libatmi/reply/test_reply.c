/* SPDX-License-Identifier: Apache-2.0 */
/* test_reply.c - replies are sent, postponed or dropped, and leak nothing */
#include "tests/unit/libatmi/messages.h"

#include <sys/resource.h>
#include <xatmi.h>

#include "libatmi/member/reap.h"
#include "libatmi/reply/reply.h"

static struct ow_replier *replier;
static uint32_t slot;
static struct ow_queue *replyq;

static struct ow_msg request(void)
{
	return (struct ow_msg){
		.magic = OW_MSG_MAGIC,
		.version = OW_MSG_VERSION,
		.kind = OW_MSG_REQUEST,
		.buftype = OW_BUF_NULL,
		.clt_slot = slot,
		.clt_gen = dom->tables->clt[slot].gen,
		.cd = 3,
		.seq = 99,
	};
}

static int join(void **state)
{
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	replyq = dom_mailbox(slot);
	return ow_replier_open(dom, &replier);
}

static void clear_client(void)
{
	ow_clt_clear(dom->tables, slot);
}

static int leave(void **state)
{
	if (dom->tables->clt[slot].gen & 1)
		clear_client();
	ow_reap_discard(dom, replyq);
	replyq = ow_queue_close(replyq);
	replier = ow_replier_close(replier);
	return 0;
}

static int reply(const struct ow_msg *m, char *data, size_t len,
		 uint64_t deadline)
{
	struct ow_content content = { .type = OW_BUF_CARRAY,
				      .payload = { .data = data,
						   .len = len } };
	struct ow_reply r = { .request = m,
			      .urcode = 7,
			      .content = &content,
			      .deadline = deadline };

	return ow_reply_send(dom, replier, &r);
}

static uint64_t blocks_used(void)
{
	uint64_t n, bytes;

	ow_blocks_usage(dom->blocks, &n, &bytes);
	return n;
}

/* Replies until the mailbox is full. */
static void fill(const struct ow_msg *m)
{
	int i;

	for (i = 0; i < DOM_MAILBOX; i++)
		assert_int_equal(reply(m, NULL, 0, OW_DEADLINE_NOW), 0);
}

static void a_reply_carries_the_fields_that_match_it(void **state)
{
	char data[100] = "payload";
	struct ow_msg rq = request(), *m;
	struct test_in in;

	assert_int_equal(reply(&rq, data, sizeof(data), OW_DEADLINE_NOW), 0);
	assert_int_equal(recv_in(replyq, &in, 1), 0);
	m = in.e.head;
	assert_int_equal(m->kind, OW_MSG_REPLY);
	assert_int_equal(m->cd, 3);
	assert_int_equal(m->seq, 99);
	assert_int_equal(m->clt_gen, rq.clt_gen);
	assert_int_equal(m->urcode, 7);
	assert_int_equal(in.e.payload.len, sizeof(data));
	assert_memory_equal(in.e.payload.data, data, sizeof(data));
	ow_envelope_close(&in.e);
	assert_int_equal(ow_reply_error(dom, &rq, TPESVCERR), 0);
	assert_int_equal(recv_in(replyq, &in, 1), 0);
	assert_int_equal(m->tperr, TPESVCERR);
	assert_int_equal(m->len, 0);
	ow_envelope_close(&in.e);
	assert_int_equal(blocks_used(), 0);
}

static void a_large_reply_travels_in_a_block(void **state)
{
	struct ow_msg rq = request();
	static char data[100000];
	struct test_in in;

	memset(data, 'd', sizeof(data));
	assert_int_equal(reply(&rq, data, sizeof(data), OW_DEADLINE_NOW), 0);
	assert_int_equal(blocks_used(), 1);
	assert_int_equal(recv_in(replyq, &in, 1), 0);
	assert_int_equal(in.e.payload.len, sizeof(data));
	assert_memory_equal(in.e.payload.data, data, sizeof(data));
	ow_envelope_close(&in.e);
	assert_int_equal(blocks_used(), 0);
}

/* The block of a request moves with a reply that is sent, not with one that
 * fails; the header of the request names the block as long as it has it. */
static void a_block_moves_with_its_reply(void **state)
{
	struct ow_msg rq = request();
	struct ow_envelope lender = { .head = &rq };
	struct ow_content content = { .type = OW_BUF_CARRAY };
	struct ow_reply r = { .request = &rq, .content = &content,
			      .deadline = OW_DEADLINE_NOW };
	struct ow_payload *p = &content.payload;
	struct test_in in;
	uint64_t ref;
	void *data;
	int i;

	assert_int_equal(ow_block_alloc(dom->blocks, 9999, 0, &ref, &data), 0);
	lender.payload = (struct ow_payload){ .len = 9999, .block = ref,
					      .owner = OW_PAYLOAD_OWNED };
	rq.buftype = OW_BUF_CARRAY;
	rq.len = 9999;
	rq.block = ref;
	*p = (struct ow_payload){ .data = data, .len = 9999, .block = ref,
				  .owner = OW_PAYLOAD_LENT,
				  .lender = &lender };
	fill(&rq);
	assert_int_equal(ow_reply_send(dom, NULL, &r), OW_REPLY_FULL);
	assert_int_equal(p->owner, OW_PAYLOAD_LENT);
	assert_int_equal(lender.payload.owner, OW_PAYLOAD_OWNED);
	assert_int_equal(rq.block, ref);
	assert_int_equal(rq.len, 9999);
	assert_int_equal(recv_msg(replyq, NULL, 1), 0);
	assert_int_equal(ow_reply_send(dom, NULL, &r), 0);
	assert_true(ow_payload_is_moved(p));
	assert_int_equal(lender.payload.owner, OW_PAYLOAD_UNOWNED);
	assert_int_equal(rq.block, 0);
	assert_int_equal(ow_msg_check(&rq, sizeof(rq)), 0);
	for (i = 1; i < DOM_MAILBOX; i++)
		assert_int_equal(recv_msg(replyq, NULL, 1), 0);
	assert_int_equal(blocks_used(), 1);
	assert_int_equal(recv_in(replyq, &in, 1), 0);
	assert_int_equal(in.e.payload.block, ref);
	ow_envelope_close(&in.e);
	assert_int_equal(blocks_used(), 0);
}

static void
no_reply_is_sent_to_a_client_that_is_gone_or_wants_none(void **state)
{
	struct ow_msg rq = request();
	uint32_t depth = 0;

	rq.cd = 0;
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_REPLY_UNWANTED);
	rq = request();
	rq.clt_gen += 2;
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_REPLY_UNWANTED);
	rq = request();
	rq.clt_gen--;
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_REPLY_UNWANTED);
	rq.clt_slot = OW_CLT_MAX - 1; /* never used */
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_REPLY_UNWANTED);
	rq = request();
	assert_int_equal(ow_queue_depth(replyq, &depth), 0);
	assert_int_equal(depth, 0);
	clear_client();
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_REPLY_UNWANTED);
}

static void a_full_queue_is_waited_for_until_the_deadline(void **state)
{
	static char data[100000];
	struct ow_msg rq = request();
	uint64_t t0;

	fill(&rq);
	assert_int_equal(reply(&rq, data, sizeof(data), OW_DEADLINE_NOW),
			 OW_REPLY_FULL);
	assert_int_equal(ow_reply_error(dom, &rq, TPESVCERR),
			 OW_REPLY_FULL);
	t0 = ow_clock_mono_ns();
	assert_int_equal(reply(&rq, data, sizeof(data),
			       t0 + 10 * OW_NS_PER_MS), OW_REPLY_FULL);
	assert_true(ow_clock_mono_ns() - t0 >= 10 * OW_NS_PER_MS);
	assert_int_equal(blocks_used(), DOM_MAILBOX);
}

static uint32_t postponed(void)
{
	return atomic_load(&dom->tables->clt[slot].postponed);
}

/* As the client does when it has taken a reply. */
static void take_postponed(void)
{
	ow_reap_postponed(dom, &dom->tables->clt[slot]);
}

/* Fill the client's mailbox; one more reply is postponed. */
static void postpone_one(char *data, size_t len, uint64_t deadline)
{
	struct ow_msg rq = request();

	rq.deadline_ns = deadline == OW_DEADLINE_NEVER ? 0 : deadline;
	fill(&rq);
	assert_int_equal(reply(&rq, data, len, deadline),
			 OW_REPLY_POSTPONED);
	assert_int_equal(postponed(), 1);
}

static void a_client_that_fetches_no_replies_delays_no_other(void **state)
{
	static char data[100000];
	uint64_t t0 = ow_clock_mono_ns();
	struct ow_msg rq = request();
	int i;

	postpone_one(data, sizeof(data), OW_DEADLINE_NEVER);
	for (i = 0; i < 100; i++)
		assert_int_equal(reply(&rq, NULL, 0, OW_DEADLINE_NEVER),
				 OW_REPLY_POSTPONED);
	/* A hundred waits would take much longer. */
	assert_true(ow_clock_mono_ns() - t0 < 10 * OW_NS_PER_SEC);
	for (i = 0; recv_msg(replyq, NULL, OW_DEADLINE_NOW) == 0; i++)
		take_postponed();
	assert_int_equal(i, DOM_MAILBOX + 101); /* each reply once */
	assert_int_equal(postponed(), 0);
	assert_int_equal(blocks_used(), 0);
}

static void a_postponed_reply_arrives_whole(void **state)
{
	static char large[100000], small[] = "small";
	struct test_in in;
	int i;

	memset(large, 'l', sizeof(large));
	postpone_one(large, sizeof(large), OW_DEADLINE_NEVER);
	for (i = 0; i < DOM_MAILBOX; i++)
		assert_int_equal(recv_msg(replyq, NULL, 1), 0);
	take_postponed();
	assert_int_equal(recv_in(replyq, &in, 1), 0);
	assert_int_equal(in.e.payload.len, sizeof(large));
	assert_memory_equal(in.e.payload.data, large, sizeof(large));
	ow_envelope_close(&in.e);
	postpone_one(small, sizeof(small), OW_DEADLINE_NEVER);
	for (i = 0; i < DOM_MAILBOX; i++)
		assert_int_equal(recv_msg(replyq, NULL, 1), 0);
	take_postponed();
	assert_int_equal(recv_in(replyq, &in, 1), 0);
	assert_string_equal(in.e.payload.data, small);
	ow_envelope_close(&in.e);
	assert_int_equal(blocks_used(), 0);
}

static void send_and_die(void *arg)
{
	struct ow_replier *rp = NULL;

	if (ow_replier_open(dom, &rp) != 0)
		_exit(1);
	replier = rp;
	postpone_one(arg, 100000, OW_DEADLINE_NEVER);
	raise(SIGKILL);
}

static void a_postponed_reply_outlives_its_server(void **state)
{
	static char data[100000];
	struct ow_msg m = { .len = 0 };

	assert_int_equal(in_child(send_and_die, data), 128 + SIGKILL);
	while (recv_msg(replyq, &m, OW_DEADLINE_NOW) == 0)
		take_postponed();
	assert_int_equal(m.len, 100000);
	assert_int_equal(blocks_used(), 0);
}

static void a_postponed_reply_is_freed_when_its_client_is_gone(void **state)
{
	static char data[100000];

	postpone_one(data, sizeof(data), OW_DEADLINE_NEVER);
	take_postponed();
	assert_int_equal(postponed(), 1);
	assert_int_not_equal(blocks_used(), 0);
	clear_client();
	ow_reap_discard(dom, replyq);
	ow_reap_blocks(dom);
	assert_int_equal(blocks_used(), 0);
}

static void answer_without_descriptors(void *arg)
{
	struct rlimit rl = { 0, 0 };
	struct ow_msg rq = request();

	/* A process finds its own slot with the first one. */
	if (reply(&rq, NULL, 0, 1) != 0)
		_exit(1);
	setrlimit(RLIMIT_NOFILE, &rl);
	_exit(reply(&rq, NULL, 0, 1) == 0 ? 0 : 2);
}

static void replies_need_no_descriptor(void **state)
{
	assert_int_equal(in_child(answer_without_descriptors, NULL), 0);
	assert_int_equal(recv_msg(replyq, NULL, 1), 0);
	assert_int_equal(recv_msg(replyq, NULL, 1), 0);
}

static void the_next_client_of_a_slot_gets_its_own_replies(void **state)
{
	struct ow_msg rq = request();
	struct ow_queue *first = replyq;
	uint32_t old = slot, depth = 9;

	reply(&rq, NULL, 0, 1);
	reply(&rq, NULL, 0, 1);
	clear_client();
	ow_clt_take(dom->tables, &slot);
	assert_int_equal(slot, old);
	replyq = dom_mailbox(slot);
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_REPLY_UNWANTED);
	rq = request();
	assert_int_equal(reply(&rq, NULL, 0, 1), 0);
	assert_int_equal(ow_queue_depth(replyq, &depth), 0);
	assert_int_equal(depth, 1);
	assert_int_equal(blocks_used(), 1);
	ow_queue_close(first);
}

/* A replier keeps queue objects of some slots, by their last digits. */
static void clients_that_share_a_place_get_their_own_replies(void **state)
{
	struct ow_queue *own[40];
	uint32_t taken[40], depth, i, mine = slot, round;
	struct ow_msg rq;

	for (i = 0; i < 40; i++) {
		assert_int_equal(ow_clt_take(dom->tables, &taken[i]), 0);
		own[i] = dom_mailbox(taken[i]);
	}
	for (round = 0; round < 2; round++)
		for (i = 0; i < 40; i++) {
			slot = taken[i];
			rq = request();
			assert_int_equal(reply(&rq, NULL, 0, 1), 0);
		}
	for (i = 0; i < 40; i++) {
		assert_int_equal(ow_queue_depth(own[i], &depth), 0);
		assert_int_equal(depth, 2);
		ow_clt_clear(dom->tables, taken[i]);
		ow_reap_discard(dom, own[i]);
		ow_queue_close(own[i]);
	}
	slot = mine;
	assert_int_equal(blocks_used(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup_teardown(test, join, leave)
		T(a_reply_carries_the_fields_that_match_it),
		T(a_large_reply_travels_in_a_block),
		T(a_block_moves_with_its_reply),
		T(no_reply_is_sent_to_a_client_that_is_gone_or_wants_none),
		T(a_full_queue_is_waited_for_until_the_deadline),
		T(a_client_that_fetches_no_replies_delays_no_other),
		T(a_postponed_reply_arrives_whole),
		T(a_postponed_reply_outlives_its_server),
		T(a_postponed_reply_is_freed_when_its_client_is_gone),
		T(replies_need_no_descriptor),
		T(the_next_client_of_a_slot_gets_its_own_replies),
		T(clients_that_share_a_place_get_their_own_replies),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
