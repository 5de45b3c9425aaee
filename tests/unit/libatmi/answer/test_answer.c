/* SPDX-License-Identifier: Apache-2.0 */
/* test_answer.c - replies: who gets them, who does not, what they leave */
#include "tests/unit/libatmi/domain_fixture.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <xatmi.h>

#include "libatmi/answer/answer.h"

static struct ow_answers *as;
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
	static int n;
	char name[32];

	snprintf(name, sizeof(name), "clt,reply,%d", n++);
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	strcpy(dom->tables->clt[slot].queue, name);
	replyq = dom_queue(name, 4, 512);
	return ow_answers_open(dom, &as);
}

static void clear_client(void)
{
	ow_tables_lock(dom->tables);
	ow_clt_clear(dom->tables, slot);
	ow_tables_unlock(dom->tables);
}

static int leave(void **state)
{
	if (dom->tables->clt[slot].gen & 1) {
		ow_queue_remove(dom, dom->tables->clt[slot].queue);
		clear_client();
	}
	replyq = ow_queue_close(replyq);
	as = ow_answers_close(as);
	return 0;
}

static int reply(const struct ow_msg *m, char *data, size_t len,
		 uint64_t deadline)
{
	struct ow_answer a = { .request = m,
			       .data = data,
			       .wire_len = len,
			       .urcode = 7,
			       .type = OW_BUF_CARRAY,
			       .deadline_ns = deadline };

	return ow_answer_send(dom, as, &a);
}

static uint64_t blocks_used(void)
{
	uint64_t n, bytes;

	ow_blocks_usage(dom->blocks, &n, &bytes);
	return n;
}

static void a_reply_carries_what_matches_it(void **state)
{
	_Alignas(16) char buf[512], data[100] = "payload";
	struct ow_msg rq = request(), *m = (struct ow_msg *)buf;
	size_t len = 0;

	assert_int_equal(reply(&rq, data, sizeof(data), OW_QUEUE_NOWAIT), 0);
	assert_int_equal(ow_queue_recv(replyq, buf, sizeof(buf), 1, &len), 0);
	assert_int_equal(ow_msg_check(m, len), 0);
	assert_int_equal(m->kind, OW_MSG_REPLY);
	assert_int_equal(m->cd, 3);
	assert_int_equal(m->seq, 99);
	assert_int_equal(m->clt_gen, rq.clt_gen);
	assert_int_equal(m->urcode, 7);
	assert_memory_equal(m + 1, data, sizeof(data));
	assert_int_equal(ow_answer_error(dom, &rq, TPESVCERR), 0);
	assert_int_equal(ow_queue_recv(replyq, buf, sizeof(buf), 1, &len), 0);
	assert_int_equal(m->tperr, TPESVCERR);
	assert_int_equal(m->len, 0);
}

static void a_large_reply_travels_in_a_block(void **state)
{
	_Alignas(16) char buf[512];
	struct ow_msg rq = request(), *m = (struct ow_msg *)buf;
	static char data[100000];
	size_t len = 0;
	char *p;

	memset(data, 'd', sizeof(data));
	assert_int_equal(reply(&rq, data, sizeof(data), OW_QUEUE_NOWAIT), 0);
	assert_int_equal(blocks_used(), 1);
	assert_int_equal(ow_queue_recv(replyq, buf, sizeof(buf), 1, &len), 0);
	assert_int_equal(ow_msg_check(m, len), 0);
	p = ow_block_adopt(dom->blocks, m->block, m->len);
	assert_non_null(p);
	assert_memory_equal(p, data, sizeof(data));
	ow_block_free(dom->blocks, m->block);
	assert_int_equal(blocks_used(), 0);
}

static void nobody_is_answered_who_is_gone_or_wants_nothing(void **state)
{
	struct ow_msg rq = request();
	uint32_t depth = 0;

	rq.cd = 0;
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_ANSWER_NOBODY);
	rq = request();
	rq.clt_gen += 2;
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_ANSWER_NOBODY);
	rq = request();
	rq.clt_gen--;
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_ANSWER_NOBODY);
	rq.clt_slot = OW_CLT_MAX - 1; /* never used */
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_ANSWER_NOBODY);
	rq = request();
	assert_int_equal(ow_queue_depth(replyq, &depth), 0);
	assert_int_equal(depth, 0);
	clear_client();
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_ANSWER_NOBODY);
}

static void a_full_queue_is_waited_for_until_the_deadline(void **state)
{
	static char data[100000];
	struct ow_msg rq = request();
	uint64_t t0;
	int i;

	for (i = 0; i < 4; i++)
		assert_int_equal(reply(&rq, NULL, 0, OW_QUEUE_NOWAIT), 0);
	assert_int_equal(reply(&rq, data, sizeof(data), OW_QUEUE_NOWAIT),
			 OW_ANSWER_FULL);
	assert_int_equal(ow_answer_error(dom, &rq, TPESVCERR),
			 OW_ANSWER_FULL);
	t0 = ow_clock_mono_ns();
	assert_int_equal(reply(&rq, data, sizeof(data),
			       t0 + 10 * OW_NS_PER_MS), OW_ANSWER_FULL);
	assert_true(ow_clock_mono_ns() - t0 >= 10 * OW_NS_PER_MS);
	assert_int_equal(blocks_used(), 0);
}

/* Fill the client's queue, then reply once more: that one is parked. */
static void park_one(char *data, size_t len, uint64_t deadline)
{
	struct ow_msg rq = request();
	int i;

	for (i = 0; i < 4; i++)
		assert_int_equal(reply(&rq, NULL, 0, OW_QUEUE_NOWAIT), 0);
	assert_int_equal(reply(&rq, data, len, deadline), OW_ANSWER_PARKED);
	assert_int_equal(ow_answers_parked(as), 1);
}

static void a_lazy_client_holds_nobody_up(void **state)
{
	_Alignas(16) char buf[512];
	static char data[100000];
	uint64_t t0 = ow_clock_mono_ns();
	struct ow_msg rq = request();
	uint32_t lost = 9;
	size_t len = 0;
	int i;

	park_one(data, sizeof(data), OW_QUEUE_FOREVER);
	for (i = 0; i < 100; i++)
		assert_int_equal(reply(&rq, NULL, 0, OW_QUEUE_FOREVER),
				 OW_ANSWER_PARKED);
	/* A hundred waits would take their time-outs' time. */
	assert_true(ow_clock_mono_ns() - t0 < 10 * OW_NS_PER_SEC);
	for (i = 0; ow_answers_parked(as) > 0 || i < 105; i++) {
		ow_answers_retry(as, &lost);
		assert_int_equal(lost, 0);
		assert_int_equal(ow_queue_recv(replyq, buf, sizeof(buf),
					       OW_QUEUE_NOWAIT, &len), 0);
		if (((struct ow_msg *)buf)->block != 0)
			ow_block_free(dom->blocks,
				      ((struct ow_msg *)buf)->block);
	}
	assert_int_equal(i, 105); /* each reply once */
	assert_int_equal(blocks_used(), 0);
}

static void a_parked_reply_goes_with_its_client(void **state)
{
	static char data[100000];
	uint32_t lost = 0;

	park_one(data, sizeof(data), OW_QUEUE_FOREVER);
	ow_answers_retry(as, &lost);
	assert_int_equal(ow_answers_parked(as), 1);
	clear_client();
	ow_answers_retry(as, &lost);
	assert_int_equal(lost, 1);
	assert_int_equal(ow_answers_parked(as), 0);
	assert_int_equal(blocks_used(), 0);
}

static void a_parked_reply_ends_at_its_deadline(void **state)
{
	uint64_t deadline = ow_clock_mono_ns() + 100 * OW_NS_PER_MS;
	uint32_t lost = 0;

	park_one(NULL, 0, deadline);
	WAIT_FOR(ow_clock_mono_ns() > deadline);
	ow_answers_retry(as, &lost);
	assert_int_equal(lost, 1);
	assert_int_equal(ow_answers_parked(as), 0);
}

static int open_files(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void a_queue_is_kept_from_the_second_reply_until_it_goes(void **state)
{
	struct ow_msg rq = request();
	int n = open_files();

	reply(&rq, NULL, 0, 1);
	assert_int_equal(open_files(), n);
	reply(&rq, NULL, 0, 1);
	assert_int_equal(open_files(), n + 1);
	reply(&rq, NULL, 0, 1);
	ow_answers_sweep(as);
	assert_int_equal(open_files(), n + 1);
	clear_client();
	ow_answers_sweep(as);
	assert_int_equal(open_files(), n);
}

static void the_next_client_of_a_slot_gets_its_own_replies(void **state)
{
	struct ow_msg rq = request();
	struct ow_queue *first = replyq;
	uint32_t old = slot, depth = 9;

	reply(&rq, NULL, 0, 1);
	reply(&rq, NULL, 0, 1); /* its queue is kept open */
	clear_client();
	ow_answers_close(as);
	join(NULL);
	assert_int_equal(slot, old);
	assert_int_equal(reply(&rq, NULL, 0, 1), OW_ANSWER_NOBODY);
	rq = request();
	assert_int_equal(reply(&rq, NULL, 0, 1), 0);
	assert_int_equal(ow_queue_depth(replyq, &depth), 0);
	assert_int_equal(depth, 1);
	ow_queue_close(first);
}

static void give_up_kept_descriptors(void *arg)
{
	struct ow_answers *mine = as;
	struct rlimit rl = { 0, 0 };
	struct ow_msg a = request(), b;

	if (reply(&a, NULL, 0, 1) != 0 || reply(&a, NULL, 0, 1) != 0)
		_exit(1);
	join(NULL);
	as = mine;
	b = request();
	while (fcntl((int)rl.rlim_cur, F_GETFD) >= 0)
		rl.rlim_cur++;
	rl.rlim_max = rl.rlim_cur;
	setrlimit(RLIMIT_NOFILE, &rl);
	_exit(reply(&b, NULL, 0, 1) == 0 ? 0 : 2);
}

static void kept_queues_are_given_up_for_a_new_client(void **state)
{
	assert_int_equal(in_child(give_up_kept_descriptors, NULL), 0);
	ow_reap_clients(dom);
}

/* Queues that an enemy could put in the place of a reply queue. */
static void a_queue_of_tiny_messages_harms_nobody(void **state)
{
	static char data[20000];
	struct ow_queue *tiny = dom_queue("tiny", 2, 16);
	struct ow_msg rq = request();

	strcpy(dom->tables->clt[slot].queue, "tiny");
	assert_int_equal(reply(&rq, data, sizeof(data), 1), -EMSGSIZE);
	assert_int_equal(blocks_used(), 0);
	ow_queue_close(tiny);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup_teardown(test, join, leave)
		T(a_reply_carries_what_matches_it),
		T(a_large_reply_travels_in_a_block),
		T(nobody_is_answered_who_is_gone_or_wants_nothing),
		T(a_full_queue_is_waited_for_until_the_deadline),
		T(a_lazy_client_holds_nobody_up),
		T(a_parked_reply_goes_with_its_client),
		T(a_parked_reply_ends_at_its_deadline),
		T(a_queue_is_kept_from_the_second_reply_until_it_goes),
		T(the_next_client_of_a_slot_gets_its_own_replies),
		T(kept_queues_are_given_up_for_a_new_client),
		T(a_queue_of_tiny_messages_harms_nobody),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
