/* SPDX-License-Identifier: Apache-2.0 */
/* test_reap_shm.c - dead servers on shm, callers with full mailboxes */
#include "tests/unit/libatmi/messages.h"

#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/reply/reply.h"
#include "libatmi/wire/msg.h"
#include "libatmi/transport/shm/shmq.h"

#define LATE_SEQ 1 /* of the replies that fill the mailbox */
#define SEQ	 5
#define SRVID	 9

static uint32_t slot, svc;
static struct ow_queue *replyq, *svcq;

static struct ow_msg message(enum ow_msg_kind kind, uint64_t seq)
{
	return (struct ow_msg){
		.magic = OW_MSG_MAGIC,
		.version = OW_MSG_VERSION,
		.kind = kind,
		.buftype = OW_BUF_NULL,
		.clt_slot = slot,
		.clt_gen = dom->tables->clt[slot].gen,
		.svc = svc,
		.cd = 1,
		.seq = seq,
	};
}

static uint64_t blocks_used(void)
{
	uint64_t n, bytes;

	ow_blocks_usage(dom->blocks, &n, &bytes);
	return n;
}

static uint32_t fill_mailbox(void)
{
	struct ow_msg m = message(OW_MSG_REPLY, LATE_SEQ);
	uint32_t n = 0;

	while (send_msg(replyq, &m, 50, OW_DEADLINE_NOW) == 0)
		n++;
	assert_true(n > 0);
	return n;
}

/* The next reply in *m; false: there is none. */
static bool next_reply(struct ow_msg *m)
{
	return recv_msg(replyq, m, OW_DEADLINE_NOW) == 0;
}

/* A client with a mailbox, a service without servers. */
static int set_up(void **state)
{
	struct ow_queue_shape shape = { 2, 512 };

	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	assert_int_equal(ow_queue_create(dom, ow_mailbox(slot), &shape,
					 &replyq), 0);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	svc = (uint32_t)ow_svc_name(dom->tables, "REAPED");
	svcq = dom_queue("REAPED", 4, 512);
	ow_tables_unlock(dom->tables);
	return 0;
}

static int tear_down(void **state)
{
	ow_clt_clear(dom->tables, slot);
	ow_reap_drain(dom, replyq, TPENOENT);
	ow_reap_unserved(dom, true);
	ow_reap_blocks(dom);
	replyq = ow_queue_close(replyq);
	svcq = ow_queue_close(svcq);
	assert_int_equal(blocks_used(), 0);
	return 0;
}

/* Reap while the mailbox is full: no message comes. Then empty the mailbox and
 * reap again: *ret is the message that comes. */
static void reap_until_there_is_room(uint32_t full, struct ow_msg *ret)
{
	uint32_t i;

	for (i = 0; i < 3; i++)
		ow_reap_blocks(dom);
	for (i = 0; i < full; i++) {
		assert_true(next_reply(ret));
		assert_int_equal(ret->seq, LATE_SEQ);
	}
	assert_false(next_reply(ret));
	ow_reap_blocks(dom);
	assert_true(next_reply(ret));
	assert_int_equal(ret->seq, SEQ);
	assert_int_equal(blocks_used(), 0);
}

static void take_and_die(void *arg)
{
	struct ow_msg m = message(OW_MSG_REQUEST, SEQ);
	struct test_in in;

	if (send_msg(svcq, &m, 50, OW_DEADLINE_NOW) != 0 ||
	    recv_in(svcq, &in, OW_DEADLINE_NOW) != 0)
		_exit(1);
	raise(SIGKILL);
}

static void an_error_for_the_request_in_hand_waits_for_room(void **state)
{
	uint32_t full = fill_mailbox();
	struct ow_msg m;

	assert_int_equal(in_child(take_and_die, NULL), 128 + SIGKILL);
	reap_until_there_is_room(full, &m);
	assert_int_equal(m.tperr, TPESVCERR);
}

/* The reply goes into the block of the request: its header is there, and the
 * block is not MAILED yet. */
static void write_reply_and_die(void *arg)
{
	struct ow_msg m = message(OW_MSG_REQUEST, SEQ), *head;
	struct test_in in;

	if (send_msg(svcq, &m, 50, OW_DEADLINE_NOW) != 0 ||
	    recv_in(svcq, &in, OW_DEADLINE_NOW) != 0)
		_exit(1);
	m = message(OW_MSG_REPLY, SEQ);
	m.block = in.e.payload.block;
	head = ow_block_msg(dom->blocks, m.block);
	if (head == NULL)
		_exit(2);
	*head = m;
	raise(SIGKILL);
}

static void a_reply_that_was_being_written_becomes_an_error(void **state)
{
	struct ow_msg m;

	assert_int_equal(in_child(write_reply_and_die, NULL), 128 + SIGKILL);
	ow_reap_blocks(dom);
	assert_true(next_reply(&m));
	assert_int_equal(m.seq, SEQ);
	assert_int_equal(m.tperr, TPESVCERR);
	assert_int_equal(blocks_used(), 0);
}

static void an_error_for_a_queued_request_waits_for_room(void **state)
{
	struct ow_msg m = message(OW_MSG_REQUEST, SEQ);
	uint32_t full = fill_mailbox();

	assert_int_equal(send_msg(svcq, &m, 50, OW_DEADLINE_NOW), 0);
	assert_int_equal(ow_reap_drain(dom, svcq, TPENOENT), 1);
	reap_until_there_is_room(full, &m);
	assert_int_equal(m.tperr, TPENOENT);
	assert_true(m.urcode == OW_URCODE_UNBEGUN);
}

static void messages_for_a_caller_that_is_gone_are_freed(void **state)
{
	fill_mailbox();
	assert_int_equal(in_child(take_and_die, NULL), 128 + SIGKILL);
	ow_reap_blocks(dom);
	ow_clt_clear(dom->tables, slot);
	ow_reap_drain(dom, replyq, TPENOENT);
	ow_reap_blocks(dom);
	assert_int_equal(blocks_used(), 0);
}

/* A lost wake-up: the queue has a message, an idle server sleeps. */
static void queues_with_many_servers_are_nudged(void **state)
{
	struct ow_tables *t = dom->tables;
	struct ow_msg m = message(OW_MSG_REQUEST, SEQ);
	struct ow_shmq *q = NULL;
	uint32_t rank = 0;

	assert_int_equal(send_msg(svcq, &m, 50, 1), 0);
	assert_int_equal(ow_shmq_open(dom, "REAPED", &q), 0);
	assert_int_equal(ow_srv_take(t, SRVID, "x"), 0);
	assert_int_equal(ow_tables_lock(t), 0);
	assert_int_equal(ow_shmq_join(q, SRVID, 3, &rank), 0);
	ow_tables_unlock(t);
	atomic_store(&t->srv[SRVID].wake_word, OW_WORD_IDLE);
	ow_shmq_set_idle(q, rank, true);

	assert_true(dom->transport->bounds_polls(dom));
	atomic_store(&t->svc[svc].nsrv, (uint32_t)dom->waking.pollers - 1);
	ow_reap_nudge_crowds(dom); /* so few poll every second themselves */
	assert_int_equal(atomic_load(&t->srv[SRVID].wake_word), OW_WORD_IDLE);
	atomic_store(&t->svc[svc].nsrv, (uint32_t)dom->waking.pollers);
	ow_reap_nudge_crowds(dom);
	assert_int_equal(atomic_load(&t->srv[SRVID].wake_word),
			 OW_WORD_WOKEN + 3);

	atomic_store(&t->svc[svc].nsrv, 0);
	assert_int_equal(ow_tables_lock(t), 0);
	ow_shmq_leave(q, SRVID);
	ow_tables_unlock(t);
	ow_srv_clear(t, SRVID);
	ow_shmq_close(q);
	ow_reap_drain(dom, svcq, TPENOENT);
	assert_true(next_reply(&m));
}

static void send_and_die(void *elsewhere)
{
	struct ow_msg m = message(OW_MSG_REQUEST, SEQ);

	if (send_msg(elsewhere, &m, 50, OW_DEADLINE_NOW) != 0)
		_exit(1);
	raise(SIGKILL);
}

/* It names a service of other nodes, whose requests lie in one queue. */
static void a_request_in_the_queue_of_bridges_outlives_its_sender(void **state)
{
	struct ow_queue *elsewhere;
	struct ow_msg m;
	int i;

	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_svc_set_mark(dom->tables, svc, OW_SVC_REMOTE, true);
	assert_true(ow_svc_name(dom->tables, OW_SVC_OVERFLOW) >= 0);
	elsewhere = dom_queue(OW_SVC_OVERFLOW, 4, 512);
	/* The request may still lie there when the mark is away. */
	ow_svc_set_mark(dom->tables, svc, OW_SVC_REMOTE, false);
	ow_tables_unlock(dom->tables);
	assert_int_equal(in_child(send_and_die, elsewhere), 128 + SIGKILL);
	for (i = 0; i < 3; i++)
		ow_reap_blocks(dom);
	assert_false(next_reply(&m));
	assert_int_equal(recv_msg(elsewhere, &m, OW_DEADLINE_NOW), 0);
	assert_int_equal(m.seq, SEQ);
	ow_queue_close(elsewhere);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
		T(an_error_for_the_request_in_hand_waits_for_room),
		T(a_reply_that_was_being_written_becomes_an_error),
		T(an_error_for_a_queued_request_waits_for_room),
		T(messages_for_a_caller_that_is_gone_are_freed),
		T(queues_with_many_servers_are_nudged),
		T(a_request_in_the_queue_of_bridges_outlives_its_sender),
	};

	setenv("NDRX_TRANSPORT", "shm", 1);
	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
