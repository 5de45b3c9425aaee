/* SPDX-License-Identifier: Apache-2.0 */
/* test_reap_queues.c - queues, clients and blocks that the dead leave */
#include "tests/unit/libatmi/member/reap_fixture.h"

#include "libatmi/domain/queue_name.h"

/* A child takes a request out of a queue that it drains. */
static void drain_and_die(void *arg)
{
	struct ow_envelope e;

	if (dom->transport->drain_into(dom, &e) != 0 ||
	    ow_queue_recv(svcq, &e, OW_DEADLINE_NOW) != 0)
		_exit(1);
	raise(SIGKILL);
}

static void the_request_that_a_killed_process_drained_is_refused(void **state)
{
	struct ow_msg m = request();
	void *data;

	m.buftype = OW_BUF_CARRAY;
	m.len = 5000;
	assert_int_equal(ow_block_alloc(dom->blocks, m.len, 0, &m.block,
					&data), 0);
	assert_int_equal(send_msg(svcq, &m, 1, 1), 0);
	assert_int_equal(in_child(drain_and_die, NULL), 128 + SIGKILL);
	ow_reap_blocks(dom);
	assert_int_equal(next_reply(), TPESVCERR);
	assert_int_equal(next_reply(), -1);
	assert_int_equal(blocks_used(), 0);
}

/* Bytes that are not a message, as an attacker may send them. */
static void send_junk(void)
{
	char name[160];
	mqd_t mq;

	ow_queue_name_of(dom, dom->tables->svc[svc].name, name, sizeof(name));
	mq = mq_open(name, O_WRONLY);
	assert_int_equal(mq_send(mq, "junk", 4, 1), 0);
	mq_close(mq);
}

static void queued_requests_are_refused_when_the_last_server_dies(void **state)
{
	struct ow_msg m = request();
	struct ow_queue *q = NULL;

	assert_int_equal(send_msg(svcq, &m, 1, 1), 0);
	send_junk();
	die_serving(NULL);
	ow_reap_server(dom, SRVID, false);
	assert_int_equal(next_reply(), TPESVCERR); /* it had this one in hand */
	assert_int_equal(next_reply(), TPENOENT);
	assert_int_equal(ow_queue_open(dom, svc_queue(), &q), OW_QUEUE_GONE);
}

static void the_queue_of_an_expected_server_is_left_alone(void **state)
{
	struct ow_msg m = request();

	die_serving(NULL);
	ow_reap_server(dom, SRVID, true);
	assert_int_equal(next_reply(), TPESVCERR); /* it had this one in hand */
	assert_int_equal(send_msg(svcq, &m, 1, 1), 0);
	assert_int_equal(ow_reap_unserved(dom, true), 0);
	assert_int_equal(depth_of(svcq), 1);
	assert_int_equal(next_reply(), -1);
	assert_int_equal(ow_reap_awaited(dom, SRVID), 1);
	assert_int_equal(next_reply(), TPENOENT);
	assert_int_equal(dom->tables->svc[svc].gen & 1, 0);
	assert_int_equal(ow_reap_awaited(dom, SRVID), 0);
}

static void one_way_requests_that_are_refused_are_counted(void **state)
{
	uint64_t before = dom->tables->head->lost;
	struct ow_msg m = request();

	m.cd = 0;
	assert_int_equal(send_msg(svcq, &m, 1, 1), 0);
	assert_int_equal(send_msg(svcq, &m, 1, 1), 0);
	assert_int_equal(ow_reap_unserved(dom, true), 2);
	assert_int_equal(dom->tables->head->lost, before + 2);
	assert_int_equal(next_reply(), -1);
}

static void the_queue_of_a_service_that_refuses_is_drained(void **state)
{
	struct ow_msg m = request();
	uint32_t depth = 9;

	dom->tables->svc[svc].marks |= OW_SVC_REFUSES;
	die_serving(NULL);
	ow_reap_server(dom, SRVID, true);
	assert_int_equal(next_reply(), TPESVCERR);
	assert_int_equal(dom->tables->svc[svc].gen & 1, 1);
	assert_int_equal(send_msg(svcq, &m, 1, 1), 0);
	assert_int_equal(ow_reap_unserved(dom, false), 1);
	assert_int_equal(next_reply(), TPESVCERR);
	assert_int_equal(ow_queue_depth(svcq, &depth), 0);
	assert_int_equal(depth, 0);
	assert_int_equal(ow_reap_unserved(dom, true), 0);
	assert_int_equal(dom->tables->svc[svc].gen & 1, 0);
}

/* Killed between generation and name (reap_queue.c, abandon()). */
static void a_queue_with_an_even_generation_is_removed(void **state)
{
	struct ow_msg m = request();
	struct ow_queue *q = NULL;

	assert_int_equal(send_msg(svcq, &m, 1, 1), 0);
	dom->tables->svc[svc].gen++;
	assert_int_equal(ow_reap_unserved(dom, false), 1);
	assert_int_equal(next_reply(), TPESVCERR);
	assert_int_equal(ow_queue_open(dom, svc_queue(), &q), OW_QUEUE_GONE);
	assert_int_equal(dom->tables->svc[svc].gen & 1, 0);
}

static void take_and_die(void *arg)
{
	struct ow_queue_shape shape;
	struct ow_queue *q = NULL;
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REPLY,
			    .buftype = OW_BUF_CARRAY,
			    .len = 9999 };
	void *data;
	uint32_t mine;

	if (ow_clt_take(dom->tables, &mine) != 0)
		_exit(1);
	m.clt_slot = mine;
	m.clt_gen = dom->tables->clt[mine].gen;
	if (ow_queue_create(dom, ow_mailbox(mine), &shape, &q) != 0 ||
	    ow_block_alloc(dom->blocks, 9999, 0, &m.block, &data) != 0 ||
	    send_msg(q, &m, 1, 1) != 0)
		_exit(2);
	raise(SIGKILL);
}

static void a_dead_client_leaves_no_slot_and_no_block(void **state)
{
	assert_int_equal(in_child(take_and_die, NULL), 128 + SIGKILL);
	assert_int_equal(blocks_used(), 1);
	assert_int_equal(ow_reap_clients(dom), 1);
	assert_int_equal(blocks_used(), 0);
	assert_int_equal(ow_reap_clients(dom), 0);
	assert_int_equal(dom->tables->clt[slot].gen & 1, 1); /* ours */
}

static void send_block_and_die(void *arg)
{
	struct ow_msg m = request();
	void *data;

	m.buftype = OW_BUF_CARRAY;
	m.len = 9999;
	if (ow_block_alloc(dom->blocks, 9999, 0, &m.block, &data) != 0 ||
	    send_msg(svcq, &m, 1, 1) != 0)
		_exit(1);
	raise(SIGKILL);
}

static void a_queued_block_outlives_its_sender(void **state)
{
	uint64_t until = ow_clock_mono_ns() + 1200 * OW_NS_PER_MS;
	struct ow_envelope e;

	assert_int_equal(in_child(send_block_and_die, NULL), 128 + SIGKILL);
	dom->tables->svc[svc].nsrv = 1;
	WAIT_FOR((ow_reap_clients(dom), ow_clock_mono_ns() > until));
	assert_int_equal(blocks_used(), 1);
	/* Received into the receive slot of a server: still in use. */
	memset(ow_tables_rx(dom->tables, SRVID), 0, 8);
	ow_envelope_init(&e, ow_tables_rx(dom->tables, SRVID), OW_RX_SIZE, dom->blocks);
	assert_int_equal(ow_queue_recv(svcq, &e, 1), 0);
	ow_reap_clients(dom);
	assert_int_equal(blocks_used(), 1);
	ow_envelope_close(&e);
	assert_int_equal(blocks_used(), 0);
	dom->tables->svc[svc].nsrv = 0;
}

static void hold_block_and_die(void *arg)
{
	uint64_t ref;
	void *data;

	if (ow_block_alloc(dom->blocks, 9999, 0, &ref, &data) != 0)
		_exit(1);
	raise(SIGKILL);
}

static void a_block_that_was_not_sent_waits_for_no_queue(void **state)
{
	assert_int_equal(in_child(hold_block_and_die, NULL), 128 + SIGKILL);
	assert_int_equal(blocks_used(), 1);
	WAIT_FOR((ow_reap_clients(dom), blocks_used() == 0));
}

/* The message was in a queue that was removed with it, or its receiver was
 * killed before it was the owner. */
static void a_block_whose_message_is_gone_waits_for_its_own_queue_only(
    void **state)
{
	uint64_t until = ow_clock_mono_ns() + 1200 * OW_NS_PER_MS;
	union ow_envelope_memory room;
	char name[160];
	mqd_t mq;

	assert_int_equal(in_child(send_block_and_die, NULL), 128 + SIGKILL);
	dom->tables->svc[svc].nsrv = 1;
	WAIT_FOR((ow_reap_clients(dom), ow_clock_mono_ns() > until));
	assert_int_equal(blocks_used(), 1);
	ow_queue_name_of(dom, dom->tables->svc[svc].name, name, sizeof(name));
	mq = mq_open(name, O_RDONLY);
	assert_true(mq_receive(mq, (char *)&room, sizeof(room), NULL) > 0);
	mq_close(mq);
	ow_reap_clients(dom);
	assert_int_equal(blocks_used(), 0);
	dom->tables->svc[svc].nsrv = 0;
}

/* Where no nudge wakes them. */
static void idle_servers_of_a_queue_with_requests_are_named(void **state)
{
	struct ow_tables *t = dom->tables;
	enum ow_wake before = dom->wake;
	struct ow_msg m = request();
	uint32_t ids[4] = { 0 };

	dom->wake = OW_WAKE_EXCLUSIVE;

	assert_int_equal(ow_srv_take(t, SRVID, "x"), 0);
	t->srv[SRVID].nadv = 1;
	ow_tables_adv(t, SRVID)[0].svc = (uint32_t)svc + 1;
	t->svc[svc].nsrv = 1;
	t->srv[SRVID].state = OW_SRV_IDLE;
	assert_int_equal(ow_reap_nudge(dom, 0, ids, 4), 0);
	send_msg(svcq, &m, 1, 1);
	assert_int_equal(ow_reap_nudge(dom, 0, ids, 4), 1);
	assert_int_equal(ids[0], SRVID);
	assert_int_equal(ow_reap_nudge(dom, SRVID, ids, 4), 0);
	t->srv[SRVID].state = OW_SRV_BUSY;
	assert_int_equal(ow_reap_nudge(dom, 0, ids, 4), 0);
	dom->wake = before;
	ow_reap_unadvertise(dom, SRVID, 0, false);
	assert_int_equal(next_reply(), TPENOENT);
	ow_srv_clear(t, SRVID);
}

/* A server took the byte of a message and died: the message waits without
 * one. */
static void queues_with_many_servers_get_a_byte(void **state)
{
	struct ow_tables *t = dom->tables;
	struct ow_msg m = request();
	struct ow_waitset *w = NULL;
	uint32_t tag = 0, fds = 0;

	assert_int_equal(ow_waitset_open(dom, SRVID, &w), 0);
	assert_int_equal(ow_waitset_add_queue(w, svcq, 3), 0);
	assert_int_equal(send_msg(svcq, &m, 50, 1), 0);
	assert_int_equal(ow_waitset_wait(w, false, &tag, &fds), 0);
	assert_int_equal(ow_waitset_wait(w, false, &tag, &fds),
			 OW_QUEUE_TIMEOUT);

	assert_true(dom->transport->bounds_polls(dom));
	atomic_store(&t->svc[svc].nsrv, (uint32_t)dom->waking.pollers - 1);
	ow_reap_nudge_crowds(dom); /* so few poll every second themselves */
	assert_int_equal(ow_waitset_wait(w, false, &tag, &fds),
			 OW_QUEUE_TIMEOUT);
	atomic_store(&t->svc[svc].nsrv, (uint32_t)dom->waking.pollers);
	ow_reap_nudge_crowds(dom);
	tag = 0;
	assert_int_equal(ow_waitset_wait(w, false, &tag, &fds), 0);
	assert_int_equal(tag, 3);

	atomic_store(&t->svc[svc].nsrv, 0);
	assert_int_equal(ow_waitset_del_queue(w, svcq), 0);
	ow_waitset_close(w);
	ow_reap_drain(dom, svcq, TPENOENT);
	assert_int_equal(next_reply(), TPENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_request_that_a_killed_process_drained_is_refused),
		T(queued_requests_are_refused_when_the_last_server_dies),
		T(the_queue_of_an_expected_server_is_left_alone),
		T(one_way_requests_that_are_refused_are_counted),
		T(the_queue_of_a_service_that_refuses_is_drained),
		T(a_queue_with_an_even_generation_is_removed),
		T(a_dead_client_leaves_no_slot_and_no_block),
		T(a_queued_block_outlives_its_sender),
		T(a_block_that_was_not_sent_waits_for_no_queue),
		T(a_block_whose_message_is_gone_waits_for_its_own_queue_only),
		T(idle_servers_of_a_queue_with_requests_are_named),
		T(queues_with_many_servers_get_a_byte),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
