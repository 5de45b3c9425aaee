/* SPDX-License-Identifier: Apache-2.0 */
/* test_reap.c - what a dead server had in hand is refused, or arrives */
#include "tests/unit/libatmi/member/reap_fixture.h"

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
	union ow_envelope_memory room;
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
}

/* Replies until the mailbox is full. */
static void fill_mailbox(void)
{
	struct ow_msg m = request();
	int i;

	for (i = 0; i < DOM_MAILBOX; i++)
		assert_int_equal(ow_reply_error(dom, &m, 0), 0);
}

static void a_reply_in_the_block_of_its_request_outlives_its_server(void **state)
{
	assert_int_equal(in_child(reply_and_die, NULL), 128 + SIGKILL);
	ow_reap_server(dom, SRVID, false);
	assert_arrives_whole(replyq, OW_MSG_REPLY);
	assert_int_equal(next_reply(), TPESVCERR); /* late; callers drop it */
	assert_int_equal(blocks_used(), 0);
}

static void a_forwarded_request_outlives_its_server(void **state)
{
	assert_int_equal(in_child(forward_and_die, NULL), 128 + SIGKILL);
	ow_reap_server(dom, SRVID, false);
	assert_arrives_whole(svcq, OW_MSG_REQUEST);
	assert_int_equal(next_reply(), TPESVCERR); /* its record names no block */
	assert_int_equal(blocks_used(), 0);
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
	int i;

	fill_mailbox();
	die_serving(NULL);
	ow_reap_server(dom, SRVID, false);
	assert_int_equal(postponed(), 1);
	ow_reap_postponed(dom, &dom->tables->clt[slot]);
	assert_int_equal(postponed(), 1); /* still no room */
	assert_int_equal(next_reply(), 0);
	ow_reap_postponed(dom, &dom->tables->clt[slot]);
	assert_int_equal(postponed(), 0);
	for (i = 1; i < DOM_MAILBOX; i++)
		assert_int_equal(next_reply(), 0);
	assert_int_equal(next_reply(), TPESVCERR);
	assert_int_equal(next_reply(), -1);
	assert_int_equal(blocks_used(), 0);
}

/* The queue of a service that ends holds more requests of one caller than its
 * mailbox has room for. Each gets its refusal, in the end. */
static void all_queued_requests_are_refused_however_little_room_there_is(
    void **state)
{
	int i, error, begun = 0, queued = 0;
	struct ow_msg m = request();

	for (i = 0; i < DOM_MAILBOX - 2; i++)
		assert_int_equal(ow_reply_error(dom, &m, 0), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(send_msg(svcq, &m, 1, 1), 0);
	die_serving("with a block");
	ow_reap_server(dom, SRVID, false);
	for (i = 0; i < DOM_MAILBOX + 3; i++) {
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
	fill_mailbox();
	die_serving(NULL);
	ow_reap_server(dom, SRVID, false);
	assert_int_equal(blocks_used(), DOM_MAILBOX + 1);
	ow_reap_blocks(dom);
	assert_int_equal(blocks_used(), DOM_MAILBOX + 1);
	ow_clt_clear(dom->tables, slot);
	ow_reap_discard(dom, replyq);
	ow_reap_blocks(dom);
	assert_int_equal(blocks_used(), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_request_in_hand_is_refused_and_its_block_freed),
		T(a_reply_in_the_block_of_its_request_outlives_its_server),
		T(a_forwarded_request_outlives_its_server),
		T(a_living_server_is_not_reaped),
		T(a_refusal_that_finds_no_room_is_postponed),
		T(all_queued_requests_are_refused_however_little_room_there_is),
		T(a_postponed_refusal_of_a_client_that_left_is_freed),
		T(garbage_in_a_receive_slot_is_dropped),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
