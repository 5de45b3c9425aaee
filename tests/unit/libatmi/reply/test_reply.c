/* SPDX-License-Identifier: Apache-2.0 */
/* test_reply.c - replies are sent, postponed or dropped, and leak nothing */
#include "tests/unit/libatmi/messages.h"

#include <fcntl.h>
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

static char name[32];

static int join(void **state)
{
	static int n;

	if (n > 0)
		dom_mq_unlink(name); /* of the client before */
	snprintf(name, sizeof(name), "clt,reply,%d", n++);
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	replyq = dom_reply_queue(slot, name, 4, 512);
	return ow_replier_open(dom, &replier);
}

static void clear_client(void)
{
	ow_clt_clear(dom->tables, slot);
}

static int leave(void **state)
{
	ow_queue_remove(dom, ow_reply_queue(slot));
	if (dom->tables->clt[slot].gen & 1)
		clear_client();
	dom_mq_unlink(name); /* of a client that a test cleared */
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
	assert_int_equal(ow_reply_error(dom, &rq, TPESVCERR), 0);
	assert_int_equal(recv_in(replyq, &in, 1), 0);
	assert_int_equal(m->tperr, TPESVCERR);
	assert_int_equal(m->len, 0);
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
	for (i = 0; i < 4; i++)
		assert_int_equal(reply(&rq, NULL, 0, OW_DEADLINE_NOW), 0);
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
	assert_int_equal(blocks_used(), 1);
	for (i = 0; i < 3; i++)
		assert_int_equal(recv_msg(replyq, NULL, 1), 0);
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
	int i;

	for (i = 0; i < 4; i++)
		assert_int_equal(reply(&rq, NULL, 0, OW_DEADLINE_NOW), 0);
	assert_int_equal(reply(&rq, data, sizeof(data), OW_DEADLINE_NOW),
			 OW_REPLY_FULL);
	assert_int_equal(ow_reply_error(dom, &rq, TPESVCERR),
			 OW_REPLY_FULL);
	t0 = ow_clock_mono_ns();
	assert_int_equal(reply(&rq, data, sizeof(data),
			       t0 + 10 * OW_NS_PER_MS), OW_REPLY_FULL);
	assert_true(ow_clock_mono_ns() - t0 >= 10 * OW_NS_PER_MS);
	assert_int_equal(blocks_used(), 0);
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

/* Fill the client's queue; one more reply is postponed. */
static void postpone_one(char *data, size_t len, uint64_t deadline)
{
	struct ow_msg rq = request();
	int i;

	rq.deadline_ns = deadline == OW_DEADLINE_NEVER ? 0 : deadline;
	for (i = 0; i < 4; i++)
		assert_int_equal(reply(&rq, NULL, 0, OW_DEADLINE_NOW), 0);
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
	assert_int_equal(i, 105); /* each reply once */
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
	for (i = 0; i < 4; i++)
		assert_int_equal(recv_msg(replyq, NULL, 1), 0);
	take_postponed();
	assert_int_equal(recv_in(replyq, &in, 1), 0);
	assert_int_equal(in.e.payload.len, sizeof(large));
	assert_memory_equal(in.e.payload.data, large, sizeof(large));
	ow_envelope_close(&in.e);
	postpone_one(small, sizeof(small), OW_DEADLINE_NEVER);
	for (i = 0; i < 4; i++)
		assert_int_equal(recv_msg(replyq, NULL, 1), 0);
	take_postponed();
	assert_int_equal(recv_in(replyq, &in, 1), 0);
	assert_string_equal(in.e.payload.data, small);
	ow_envelope_close(&in.e);
	assert_int_equal(blocks_used(), 0);
}

/* A process that sent a postponed reply again was killed before it freed the
 * record: the reply comes a second time, and does not free the block. */
static void a_postponed_reply_that_comes_twice_leaves_the_first_alone(
    void **state)
{
	static char data[100000];
	struct test_in first, second;
	struct ow_msg copy;

	postpone_one(data, sizeof(data), OW_DEADLINE_NEVER);
	while (recv_in(replyq, &first, OW_DEADLINE_NOW) == 0 &&
	       first.e.payload.len == 0) {
		ow_envelope_close(&first.e);
		take_postponed();
	}
	copy = *first.e.head;
	assert_int_equal(copy.resent, 1);
	assert_int_equal(ow_reply_resend(dom, &copy), 0);
	assert_int_equal(recv_in(replyq, &second, OW_DEADLINE_NOW), 0);
	ow_envelope_close(&second.e);
	assert_non_null(ow_block_adopt(dom->blocks, copy.block, copy.len));
	ow_envelope_close(&first.e);
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
	ow_reap_blocks(dom);
	assert_int_equal(blocks_used(), 0);
}

static void a_postponed_reply_is_dropped_at_its_deadline(void **state)
{
	uint64_t deadline = ow_clock_mono_ns() + 100 * OW_NS_PER_MS;

	postpone_one(NULL, 0, deadline);
	WAIT_FOR(ow_clock_mono_ns() > deadline);
	take_postponed();
	assert_int_equal(blocks_used(), 0);
	assert_int_equal(postponed(), 0);
}

static int open_files(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void a_reply_queue_is_kept_open_from_the_second_reply_on(void **state)
{
	struct ow_msg rq = request();
	int n = open_files();

	reply(&rq, NULL, 0, 1);
	assert_int_equal(open_files(), n);
	reply(&rq, NULL, 0, 1);
	assert_int_equal(open_files(), n + 1);
	reply(&rq, NULL, 0, 1);
	ow_replier_sweep(replier);
	assert_int_equal(open_files(), n + 1);
	clear_client();
	ow_replier_sweep(replier);
	assert_int_equal(open_files(), n);
}

static void the_next_client_of_a_slot_gets_its_own_replies(void **state)
{
	struct ow_msg rq = request();
	struct ow_queue *first = replyq;
	uint32_t old = slot, depth = 9;

	reply(&rq, NULL, 0, 1);
	reply(&rq, NULL, 0, 1); /* its queue is kept open */
	ow_queue_remove(dom, ow_reply_queue(slot));
	clear_client();
	ow_replier_close(replier);
	join(NULL);
	assert_int_equal(slot, old);
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_REPLY_UNWANTED);
	rq = request();
	assert_int_equal(reply(&rq, NULL, 0, 1), 0);
	assert_int_equal(ow_queue_depth(replyq, &depth), 0);
	assert_int_equal(depth, 1);
	ow_queue_close(first);
}

static void give_up_kept_descriptors(void *arg)
{
	struct ow_replier *mine = replier;
	struct rlimit rl = { 0, 0 };
	struct ow_msg a = request(), b;

	if (reply(&a, NULL, 0, 1) != 0 || reply(&a, NULL, 0, 1) != 0)
		_exit(1);
	join(NULL);
	replier = mine;
	b = request();
	while (fcntl((int)rl.rlim_cur, F_GETFD) >= 0)
		rl.rlim_cur++;
	rl.rlim_max = rl.rlim_cur;
	setrlimit(RLIMIT_NOFILE, &rl);
	_exit(reply(&b, NULL, 0, 1) == 0 ? 0 : 2);
}

static void kept_queues_are_closed_when_descriptors_run_out(void **state)
{
	assert_int_equal(in_child(give_up_kept_descriptors, NULL), 0);
	ow_reap_clients(dom);
}

/* An attacker could put such a queue in the place of a reply queue. */
static void a_queue_of_too_small_messages_is_an_error(void **state)
{
	static char data[20000];
	struct ow_queue *tiny = dom_reply_queue(slot, "tiny", 2, 16);
	struct ow_msg rq = request();

	assert_int_equal(reply(&rq, data, sizeof(data), 1), -EMSGSIZE);
	assert_int_equal(blocks_used(), 0);
	ow_queue_close(tiny);
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
		T(a_postponed_reply_that_comes_twice_leaves_the_first_alone),
		T(a_postponed_reply_outlives_its_server),
		T(a_postponed_reply_is_freed_when_its_client_is_gone),
		T(a_postponed_reply_is_dropped_at_its_deadline),
		T(a_reply_queue_is_kept_open_from_the_second_reply_on),
		T(the_next_client_of_a_slot_gets_its_own_replies),
		T(kept_queues_are_closed_when_descriptors_run_out),
		T(a_queue_of_too_small_messages_is_an_error),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
