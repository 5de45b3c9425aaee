/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_races.c - a process that is slow between two instructions does no harm
 *
 * The sources are compiled once more with fault points
 * (libatmi/base/fault.h). Here no process is killed at them: they run what
 * another process does meanwhile.
 */
#include "tests/unit/libatmi/domain_fixture.h"

#include <stdlib.h>
#include <xatmi.h>

#include "libatmi/base/fault.h"
#include "libatmi/call/context.h"
#include "libatmi/call/slot.h"
#include "libatmi/member/reap.h"
#include "libatmi/reply/reply.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/block/ring.h"
#include "libatmi/transport/shm/shmq.h"

#define CELLS 4

struct test_ring {
	_Atomic uint64_t head, tail, cells[CELLS];
	struct ow_ring r;
};

static const char *place; /* fault point at which `other` runs; NULL: none */
static void (*other)(void); /* what another process does */
static struct test_ring first, second;

void ow_fault_hit(const char *name)
{
	if (place == NULL || strcmp(name, place) != 0)
		return;
	place = NULL;
	other();
}

static int make_queue(const char *name, struct ow_shmq **ret)
{
	int svc;

	assert_int_equal(ow_tables_lock(dom->tables), 0);
	svc = ow_svc_name(dom->tables, name);
	ow_queue_close(dom_queue(name, 4, 512));
	ow_tables_unlock(dom->tables);
	assert_int_equal(ow_shmq_open(dom, name, ret), 0);
	return svc;
}

static void make(struct test_ring *t)
{
	memset(t, 0, sizeof(*t));
	t->r = (struct ow_ring){ .head = &t->head, .tail = &t->tail,
				 .cells = t->cells, .size = CELLS };
}

static void put(struct test_ring *t, uint64_t ref)
{
	assert_int_not_equal(ow_block_post(dom->blocks, ref, OW_BLOCK_QUEUED),
			     OW_BLOCK_FREE);
	assert_int_equal(ow_ring_put(&t->r, ref), 0);
}

static int take(struct test_ring *t, uint64_t *ret_ref)
{
	return ow_ring_take(&t->r, dom->blocks, OW_BLOCK_QUEUED,
			    OW_BLOCK_TAKEN, ret_ref);
}

/* Another server takes the message, and forwards it in the same block. */
static void take_and_forward(void)
{
	uint64_t ref = 0;

	assert_int_equal(take(&first, &ref), 0);
	put(&second, ref);
}

static void a_slow_taker_does_not_get_a_forwarded_message(void **state)
{
	uint64_t ref = 0, got = 0;
	void *data;

	make(&first);
	make(&second);
	assert_int_equal(ow_block_alloc(dom->blocks, 100, 0, &ref, &data), 0);
	put(&first, ref);
	place = "block.claim";
	other = take_and_forward;
	assert_int_equal(take(&first, &got), OW_RING_EMPTY);
	assert_null(place);
	assert_int_equal(take(&second, &got), 0);
	assert_int_equal(got, ref);
	assert_int_equal(take(&second, &got), OW_RING_EMPTY);
	ow_block_free(dom->blocks, ref);
}

/* Another server takes the message; the queue to which it would forward it is
 * full, so it has the message in hand again. */
static void take_and_be_refused(void)
{
	enum ow_block_kind was;
	uint64_t ref = 0;

	assert_int_equal(take(&first, &ref), 0);
	was = ow_block_post(dom->blocks, ref, OW_BLOCK_QUEUED);
	assert_int_equal(was, OW_BLOCK_TAKEN);
	ow_block_unpost(dom->blocks, ref, was);
}

static void a_slow_taker_does_not_get_a_message_in_hand_elsewhere(void **state)
{
	uint64_t ref = 0, got = 0;
	void *data;

	make(&first);
	assert_int_equal(ow_block_alloc(dom->blocks, 100, 0, &ref, &data), 0);
	put(&first, ref);
	place = "block.claim";
	other = take_and_be_refused;
	assert_int_equal(take(&first, &got), OW_RING_EMPTY);
	assert_true(ow_block_is(dom->blocks, ref, OW_BLOCK_TAKEN));
	ow_block_free(dom->blocks, ref);
}

/* Another context takes the slot that was just given back, calls, and gets its
 * reply. */
static struct ow_ctx newcomer;

static void join_and_be_answered(void)
{
	struct ow_msg rq = { .kind = OW_MSG_REQUEST, .cd = 1, .seq = 9 };

	assert_int_equal(ow_slot_take(&newcomer), 0);
	rq.clt_slot = newcomer.slot;
	rq.clt_gen = newcomer.gen;
	assert_int_equal(ow_reply_error(dom, &rq, TPESVCFAIL), 0);
}

static void a_context_that_leaves_does_not_take_the_reply_of_the_next(void **state)
{
	struct ow_ctx leaver = { .dom = dom, .number = 1 };

	newcomer = (struct ow_ctx){ .dom = dom, .number = 2 };
	assert_int_equal(ow_slot_take(&leaver), 0);
	place = "slot.given_back";
	other = join_and_be_answered;
	ow_slot_give_back(&leaver);
	assert_null(place);
	assert_int_equal(newcomer.slot, leaver.slot);
	assert_int_equal(ow_queue_recv(newcomer.replyq, &newcomer.in, 1), 0);
	assert_int_equal(newcomer.in.head->tperr, TPESVCFAIL);
	ow_envelope_close(&newcomer.in);
	ow_slot_give_back(&newcomer);
	ow_queue_close(leaver.replyq);
	ow_queue_close(newcomer.replyq);
	free(leaver.in.head);
	free(newcomer.in.head);
}

/* The client takes its reply, and leaves the domain with it, before the server
 * has found out whether the client still lives. */
static struct ow_envelope kept;

static void take_reply_and_leave(void)
{
	assert_int_equal(ow_queue_recv(newcomer.replyq, &newcomer.in,
				       OW_DEADLINE_NOW), 0);
	assert_int_equal(ow_envelope_keep(&kept, &newcomer.in), 0);
	ow_slot_give_back(&newcomer);
}

static void leave_too_early(void)
{
	ow_slot_give_back(&newcomer);
}

/* Send a reply of 9,999 bytes to the newcomer; at fault point `when`,
 * `meanwhile` runs. Returns its block. */
static uint64_t reply_with_block(const char *when, void (*meanwhile)(void))
{
	struct ow_content content = { .type = OW_BUF_CARRAY };
	struct ow_msg rq = { .kind = OW_MSG_REQUEST, .cd = 1, .seq = 9 };
	struct ow_reply r = { .request = &rq, .content = &content,
			      .deadline = OW_DEADLINE_NOW };
	struct ow_payload *p = &content.payload;

	newcomer = (struct ow_ctx){ .dom = dom, .number = 4 };
	assert_int_equal(ow_slot_take(&newcomer), 0);
	rq.clt_slot = newcomer.slot;
	rq.clt_gen = newcomer.gen;
	p->len = 9999;
	p->owner = OW_PAYLOAD_OWNED;
	assert_int_equal(ow_block_alloc(dom->blocks, p->len, 0, &p->block,
					&p->data), 0);
	place = when;
	other = meanwhile;
	assert_int_equal(ow_reply_send(dom, NULL, &r), 0);
	assert_null(place);
	ow_queue_close(newcomer.replyq);
	free(newcomer.in.head);
	return p->block;
}

static void a_reply_that_was_taken_stays_with_a_client_that_has_left(void **state)
{
	uint64_t ref = reply_with_block("mail.sent",
					take_reply_and_leave);

	assert_int_equal(kept.payload.block, ref);
	assert_non_null(ow_block_adopt(dom->blocks, ref, 9999));
	assert_true(ow_block_is(dom->blocks, ref, OW_BLOCK_HELD));
	ow_envelope_close(&kept);
	assert_null(ow_block_adopt(dom->blocks, ref, 9999));
}

static void a_reply_that_comes_after_its_client_has_left_is_freed(void **state)
{
	uint64_t ref = reply_with_block("reply.send", leave_too_early);

	assert_null(ow_block_adopt(dom->blocks, ref, 9999));
}

/* A server takes the request of a dead sender between the sweep's look at the
 * queue and its decision. */
static struct ow_shmq *queue_of_sender;
static uint64_t taken;

static void take_request(void)
{
	assert_int_equal(ow_shmq_take(queue_of_sender, &taken), 0);
}

static void a_request_that_a_server_takes_meanwhile_is_not_refused(void **state)
{
	struct ow_ctx caller = { .dom = dom, .number = 3 };
	struct ow_msg m = { .magic = OW_MSG_MAGIC, .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST, .buftype = OW_BUF_NULL,
			    .cd = 1 };
	uint64_t ref = 0;
	void *data;
	int svc;

	if (strcmp(dom->transport->name, "shm") != 0)
		skip(); /* on posix the queue is the kernel's */
	assert_int_equal(ow_slot_take(&caller), 0);
	svc = make_queue("RACE", &queue_of_sender);
	m.svc = (uint32_t)svc;
	m.clt_slot = caller.slot;
	m.clt_gen = caller.gen;
	assert_int_equal(ow_block_alloc(dom->blocks, 0, 0, &ref, &data), 0);
	*ow_block_msg(dom->blocks, ref) = m;
	ow_block_post(dom->blocks, ref, OW_BLOCK_QUEUED);
	assert_int_equal(ow_shmq_put(queue_of_sender, ref, 50, NULL), 0);
	ow_orphan_leave(dom->blocks, ref);
	place = "reclaim.look";
	other = take_request;
	ow_reap_blocks(dom);
	assert_null(place);
	assert_int_equal(taken, ref);
	assert_int_equal(ow_queue_recv(caller.replyq, &caller.in,
				       OW_DEADLINE_NOW), OW_QUEUE_EMPTY);
	assert_true(ow_block_is(dom->blocks, ref, OW_BLOCK_TAKEN));
	ow_block_free(dom->blocks, ref);
	ow_shmq_close(queue_of_sender);
	ow_slot_give_back(&caller);
	ow_queue_close(caller.replyq);
	free(caller.in.head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_slow_taker_does_not_get_a_forwarded_message),
		cmocka_unit_test(
		    a_slow_taker_does_not_get_a_message_in_hand_elsewhere),
		cmocka_unit_test(
		    a_context_that_leaves_does_not_take_the_reply_of_the_next),
		cmocka_unit_test(
		    a_reply_that_was_taken_stays_with_a_client_that_has_left),
		cmocka_unit_test(
		    a_reply_that_comes_after_its_client_has_left_is_freed),
		cmocka_unit_test(
		    a_request_that_a_server_takes_meanwhile_is_not_refused),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
