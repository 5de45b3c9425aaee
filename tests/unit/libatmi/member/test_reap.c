/* SPDX-License-Identifier: Apache-2.0 */
/* test_reap.c - the shared state is put in order after a death */
#include "tests/unit/libatmi/messages.h"

#include <xatmi.h>

#include "libatmi/domain/queue_name.h"
#include "libatmi/reply/reply.h"

#define SRVID 40

static uint32_t slot;
static struct ow_queue *replyq, *svcq;
static int svc;

static struct ow_msg request(void)
{
	return (struct ow_msg){
		.magic = OW_MSG_MAGIC,
		.version = OW_MSG_VERSION,
		.kind = OW_MSG_REQUEST,
		.buftype = OW_BUF_NULL,
		.clt_slot = slot,
		.clt_gen = dom->tables->clt[slot].gen,
		.svc = (uint32_t)svc,
		.cd = 1,
		.seq = 5,
	};
}

static char reply_name[32];

/* A client, and a service with a queue and without servers. */
static int set_up(void **state)
{
	static int n;
	char name[48];

	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	snprintf(reply_name, sizeof(reply_name), "clt,reply,%d", n);
	replyq = dom_reply_queue(slot, reply_name, 2, 512);
	snprintf(name, sizeof(name), "S%d", n++);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	svc = ow_svc_name(dom->tables, name);
	svcq = dom_queue(name, 4, 512);
	if ((dom->tables->svc[svc].gen & 1) == 0)
		dom->tables->svc[svc].gen++;
	ow_tables_unlock(dom->tables);
	return 0;
}

static int tear_down(void **state)
{
	ow_queue_remove(dom, ow_reply_queue(slot));
	ow_clt_clear(dom->tables, slot);
	ow_reap_unserved(dom, true);
	dom_mq_unlink(reply_name); /* of a client that a test cleared */
	replyq = ow_queue_close(replyq);
	svcq = ow_queue_close(svcq);
	return 0;
}

/* tperrno of the next reply; -1: there is none. */
static int next_reply(void)
{
	struct ow_msg m;

	if (recv_msg(replyq, &m, 1) != 0)
		return -1;
	assert_int_equal(m.seq, 5);
	return m.tperr;
}

static uint32_t depth_of(struct ow_queue *q)
{
	uint32_t depth = 0;

	assert_int_equal(ow_queue_depth(q, &depth), 0);
	return depth;
}

static struct ow_queue_id svc_queue(void)
{
	return ow_service_queue(dom->tables->svc[svc].name);
}

/* A child takes the server slot, offers the service, and is killed with a
 * request in hand. */
static void serve_and_die(void *arg)
{
	struct ow_tables *t = dom->tables;
	struct ow_msg m = request();
	void *data;

	if (ow_srv_take(t, SRVID, "x") != 0)
		_exit(1);
	assert_int_equal(ow_tables_lock(t), 0);
	t->srv[SRVID].nadv = 1;
	ow_tables_adv(t, SRVID)[0].svc = (uint32_t)svc + 1;
	t->svc[svc].nsrv++;
	ow_tables_unlock(t);
	if (arg != NULL) {
		if (ow_block_alloc(dom->blocks, 9999, 0, &m.block, &data) != 0)
			_exit(2);
		m.buftype = OW_BUF_CARRAY;
		m.len = 9999;
	}
	memcpy(ow_tables_rx(t, SRVID), &m, sizeof(m));
	raise(SIGKILL);
}

static void die_serving(void *arg)
{
	assert_int_equal(in_child(serve_and_die, arg), 128 + SIGKILL);
}

static uint64_t blocks_used(void)
{
	uint64_t n, bytes;

	ow_blocks_usage(dom->blocks, &n, &bytes);
	return n;
}

static void the_request_in_hand_is_refused_and_its_block_freed(void **state)
{
	die_serving("with a block");
	assert_int_equal(blocks_used(), 1);
	ow_reap_server(dom, SRVID, false);
	assert_int_equal(next_reply(), TPESVCERR);
	assert_int_equal(next_reply(), -1);
	assert_int_equal(blocks_used(), 0);
	assert_int_equal(dom->tables->svc[svc].nsrv, 0);
	assert_int_equal(dom->tables->svc[svc].gen & 1, 0);
	ow_reap_server(dom, SRVID, false);
	assert_int_equal(next_reply(), -1);
}

/* A server has a large request in hand; its in-flight record is `e`. */
static void take_large(struct ow_envelope *e)
{
	struct ow_tables *t = dom->tables;
	struct ow_msg m = request();

	if (ow_srv_take(t, SRVID, "x") != 0 ||
	    ow_block_alloc(dom->blocks, 9999, 0, &m.block,
			   &e->payload.data) != 0)
		_exit(1);
	m.buftype = OW_BUF_CARRAY;
	m.len = 9999;
	memcpy(ow_tables_rx(t, SRVID), &m, sizeof(m));
	ow_envelope_init(e, ow_tables_rx(t, SRVID), OW_RX_SIZE, dom->blocks);
	e->payload.len = m.len;
	e->payload.block = m.block;
	e->payload.owner = OW_PAYLOAD_OWNED;
}

static struct ow_content content_of(struct ow_envelope *e)
{
	struct ow_content c = { .type = OW_BUF_CARRAY };

	c.payload = e->payload;
	c.payload.owner = OW_PAYLOAD_LENT;
	c.payload.lender = e;
	return c;
}

/* Reply in the block of the request; killed before the record is cleared. */
static void reply_and_die(void *arg)
{
	struct ow_envelope e;
	struct ow_content c;
	struct ow_reply r = { .content = &c, .deadline = OW_DEADLINE_NOW };

	take_large(&e);
	c = content_of(&e);
	r.request = e.head;
	if (ow_reply_send(dom, NULL, &r) != 0)
		_exit(2);
	raise(SIGKILL);
}

/* Pass the request on in its block, as tpforward() does; killed before the
 * record is cleared. */
static void forward_and_die(void *arg)
{
	union ow_envelope_room room;
	struct ow_envelope e, to;
	struct ow_content c;

	take_large(&e);
	c = content_of(&e);
	ow_envelope_init(&to, &room, sizeof(room), dom->blocks);
	room.head = *e.head;
	if (ow_envelope_pack(&to, &c, svcq->msgsize, 0) != 0 ||
	    ow_queue_send(svcq, &to, 50, OW_DEADLINE_NOW) != 0)
		_exit(2);
	raise(SIGKILL);
}

/* The next message of `q` still has its payload of 9,999 bytes. */
static void assert_arrives_whole(struct ow_queue *q, uint8_t kind)
{
	struct test_in in;

	assert_int_equal(recv_in(q, &in, 1), 0);
	assert_int_equal(in.e.head->kind, kind);
	assert_int_equal(in.e.head->tperr, 0);
	assert_int_equal(in.e.payload.len, 9999);
	assert_non_null(in.e.payload.data);
	ow_envelope_close(&in.e);
	assert_int_equal(blocks_used(), 0);
}

static void a_reply_in_the_block_of_its_request_outlives_its_server(void **state)
{
	assert_int_equal(in_child(reply_and_die, NULL), 128 + SIGKILL);
	ow_reap_server(dom, SRVID, false);
	assert_arrives_whole(replyq, OW_MSG_REPLY);
	assert_int_equal(next_reply(), TPESVCERR); /* late; callers drop it */
}

static void a_forwarded_request_outlives_its_server(void **state)
{
	assert_int_equal(in_child(forward_and_die, NULL), 128 + SIGKILL);
	ow_reap_server(dom, SRVID, false);
	assert_arrives_whole(svcq, OW_MSG_REQUEST);
}

static void a_living_server_is_not_reaped(void **state)
{
	struct ow_msg m = request();

	assert_int_equal(ow_srv_take(dom->tables, SRVID, "x"), 0);
	memcpy(ow_tables_rx(dom->tables, SRVID), &m, sizeof(m));
	ow_reap_server(dom, SRVID, false);
	assert_int_equal(ow_reap_servers(dom), 0);
	assert_int_equal(next_reply(), -1);
	assert_int_equal(dom->tables->srv[SRVID].pid, getpid());
	memset(ow_tables_rx(dom->tables, SRVID), 0, sizeof(m));
	ow_srv_clear(dom->tables, SRVID);
}

static uint32_t postponed(void)
{
	return atomic_load(&dom->tables->clt[slot].postponed);
}

static void a_refusal_that_finds_no_room_is_postponed(void **state)
{
	struct ow_msg m = request();

	assert_int_equal(ow_reply_error(dom, &m, 0), 0);
	assert_int_equal(ow_reply_error(dom, &m, 0), 0);
	die_serving(NULL);
	ow_reap_server(dom, SRVID, false);
	assert_int_equal(postponed(), 1);
	ow_reap_postponed(dom, &dom->tables->clt[slot]);
	assert_int_equal(postponed(), 1); /* still no room */
	assert_int_equal(next_reply(), 0);
	ow_reap_postponed(dom, &dom->tables->clt[slot]);
	assert_int_equal(postponed(), 0);
	assert_int_equal(next_reply(), 0);
	assert_int_equal(next_reply(), TPESVCERR);
	assert_int_equal(next_reply(), -1);
	assert_int_equal(blocks_used(), 0);
}

/* The queue of a service that ends holds more requests of one caller than its
 * reply queue. Each gets its refusal, in the end. */
static void all_queued_requests_are_refused_however_small_the_reply_queue_is(
    void **state)
{
	int i, error, begun = 0, queued = 0;
	struct ow_msg m = request();

	for (i = 0; i < 4; i++)
		assert_int_equal(send_msg(svcq, &m, 1, 1), 0);
	die_serving("with a block");
	ow_reap_server(dom, SRVID, false);
	for (i = 0; i < 5; i++) {
		error = next_reply();
		begun += error == TPESVCERR;
		queued += error == TPENOENT;
		ow_reap_postponed(dom, &dom->tables->clt[slot]);
	}
	assert_int_equal(begun, 1);
	assert_int_equal(queued, 4);
	assert_int_equal(next_reply(), -1);
	assert_int_equal(blocks_used(), 0);
}

/* The sweep of ndrxd does it, too: after a second, as for all blocks. */
static void a_postponed_refusal_of_a_client_that_left_is_freed(void **state)
{
	struct ow_msg m = request();

	assert_int_equal(ow_reply_error(dom, &m, 0), 0);
	assert_int_equal(ow_reply_error(dom, &m, 0), 0);
	die_serving(NULL);
	ow_reap_server(dom, SRVID, false);
	assert_int_equal(blocks_used(), 1);
	ow_reap_blocks(dom);
	assert_int_equal(blocks_used(), 1);
	ow_clt_clear(dom->tables, slot);
	ow_reap_blocks(dom);
	assert_int_equal(blocks_used(), 0);
}

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

static void a_kept_queue_stays_and_is_drained_on_request(void **state)
{
	struct ow_msg m = request();
	uint32_t depth = 9;

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

static void garbage_in_a_receive_slot_is_dropped(void **state)
{
	struct ow_tables *t = dom->tables;
	unsigned int seed = 9;
	struct ow_msg m;
	size_t i;
	int n;

	for (n = 0; n < 20; n++) {
		die_serving(NULL);
		for (i = 4; i < sizeof(m); i++)
			ow_tables_rx(t, SRVID)[i] = (uint8_t)rand_r(&seed);
		t->srv[SRVID].nadv = 0xffffffff;
		ow_reap_server(dom, SRVID, true);
		assert_int_equal(next_reply(), -1);
		assert_int_equal(*(uint32_t *)ow_tables_rx(t, SRVID), 0);
	}
}

static void take_and_die(void *arg)
{
	struct ow_queue_shape shape = { 2, 512 };
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
	strcpy(dom->tables->clt[mine].queue, "clt,dead");
	if (ow_queue_create(dom, ow_reply_queue(mine), &shape, &q) != 0 ||
	    ow_block_alloc(dom->blocks, 9999, 0, &m.block, &data) != 0 ||
	    send_msg(q, &m, 1, 1) != 0)
		_exit(2);
	raise(SIGKILL);
}

static void a_dead_client_leaves_no_slot_queue_or_block(void **state)
{
	assert_int_equal(in_child(take_and_die, NULL), 128 + SIGKILL);
	assert_int_equal(blocks_used(), 1);
	assert_int_equal(ow_reap_clients(dom), 1);
	assert_false(dom_mq_exists("clt,dead"));
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

/* Another queue, which is never empty: it must not matter. */
static void fill_reply_queue(void)
{
	struct ow_msg m = request();

	assert_int_equal(ow_reply_error(dom, &m, TPESVCERR), 0);
	assert_int_equal(depth_of(replyq), 1);
}

static void a_block_that_was_not_sent_waits_for_no_queue(void **state)
{
	fill_reply_queue();
	assert_int_equal(in_child(hold_block_and_die, NULL), 128 + SIGKILL);
	assert_int_equal(blocks_used(), 1);
	WAIT_FOR((ow_reap_clients(dom), blocks_used() == 0));
	assert_int_equal(next_reply(), TPESVCERR);
}

/* The message was in a queue that was removed with it, or its receiver was
 * killed before it was the owner. */
static void a_block_whose_message_is_gone_waits_for_its_own_queue_only(
    void **state)
{
	uint64_t until = ow_clock_mono_ns() + 1200 * OW_NS_PER_MS;
	union ow_envelope_room room;
	char name[160];
	mqd_t mq;

	fill_reply_queue();
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
	assert_int_equal(next_reply(), TPESVCERR);
}

static void idle_servers_of_a_queue_with_requests_are_named(void **state)
{
	struct ow_tables *t = dom->tables;
	struct ow_msg m = request();
	uint32_t ids[4] = { 0 };

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
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
		T(the_request_in_hand_is_refused_and_its_block_freed),
		T(a_reply_in_the_block_of_its_request_outlives_its_server),
		T(a_forwarded_request_outlives_its_server),
		T(a_living_server_is_not_reaped),
		T(a_refusal_that_finds_no_room_is_postponed),
		T(all_queued_requests_are_refused_however_small_the_reply_queue_is),
		T(a_postponed_refusal_of_a_client_that_left_is_freed),
		T(the_request_that_a_killed_process_drained_is_refused),
		T(queued_requests_are_refused_when_the_last_server_dies),
		T(a_kept_queue_stays_and_is_drained_on_request),
		T(a_queue_with_an_even_generation_is_removed),
		T(garbage_in_a_receive_slot_is_dropped),
		T(a_dead_client_leaves_no_slot_queue_or_block),
		T(a_queued_block_outlives_its_sender),
		T(a_block_that_was_not_sent_waits_for_no_queue),
		T(a_block_whose_message_is_gone_waits_for_its_own_queue_only),
		T(idle_servers_of_a_queue_with_requests_are_named),
		T(queues_with_many_servers_get_a_byte),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
