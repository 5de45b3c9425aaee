/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_forward_faults.c - a forwarded request is served or refused, never both
 *
 * A child, a server, has a request in hand and forwards it to a service of this
 * process. It is killed at its N-th fault point. Then this process receives the
 * message and reaps the child, in either order.
 */
#include "tests/unit/libatmi/faults.h"

#include "libatmi/transport/record.h"
#include "libatmisrv/continued.h"

#define TARGET "TARGET" /* the service of this process */
#define TARGET_ID 20

static struct ow_server *server; /* this process, for as long as the tests run */
static struct ow_queue *target;
static bool with_data;

static struct ow_msg *record_of(struct ow_server *s)
{
	if (on_shm())
		return ow_block_msg(dom->blocks, s->rq.envelope.payload.block);
	return s->rq.continued != NULL ? ow_continued_record(s)
				       : s->rq.envelope.head;
}

/* As tpforward() does it. */
static int forward(struct ow_server *s)
{
	struct ow_content c = { .type = OW_BUF_NULL };
	union ow_envelope_memory room;
	struct ow_envelope e;
	char data[300] = "";

	if (with_data) {
		c.type = OW_BUF_CARRAY;
		c.payload.data = data;
		c.payload.len = sizeof(data);
	}
	ow_envelope_init(&e, &room, sizeof(room), dom->blocks);
	room.head = *s->rq.envelope.head;
	room.head.handed = 0;
	room.head.svc = (uint32_t)ow_svc_find(dom->tables, TARGET);
	if (ow_envelope_pack(&e, &c, 0, 100) != 0)
		return -1;
	ow_record_hand_on(dom, record_of(s), &e);
	if (ow_queue_send(target, &e, 50, OW_DEADLINE_NOW) == 0)
		return 0;
	ow_record_keep(record_of(s));
	ow_envelope_unpack(&e, &c);
	return 1;
}

static struct ow_server *take_request(void)
{
	struct ow_server *s;

	ow_reap_server(dom, SRVID, false);
	if (ow_srv_take(dom->tables, SRVID, "x") != 0)
		_exit(30);
	s = make_server(SRVID);
	if (ow_offer_add(s, "FAULTA", "f", service) != 0 ||
	    ow_offer_publish_all(s) != 0)
		_exit(31);
	receive_request(s);
	return s;
}

static void leave(struct ow_server *s)
{
	ow_envelope_close(&s->rq.envelope);
	ow_offer_withdraw(s, 0);
	if (ow_tables_lock(dom->tables) != 0)
		_exit(33);
	ow_srv_clear(dom->tables, SRVID);
	ow_tables_unlock(dom->tables);
}

/* Faults count from the forwarding on. */
static void forward_request(void)
{
	long at = left;
	struct ow_server *s;

	left = 0;
	s = take_request();
	left = at;
	ow_fault_hit("in service");
	if (forward(s) != 0)
		_exit(32);
	ow_fault_hit("forwarded");
	ow_envelope_close(&s->rq.envelope);
	ow_fault_hit("off the record");
	left = 0;
	leave(s);
	_exit(0);
}

/* What ow_continued_end() does in the thread that has forwarded. */
static void close_continued(struct ow_server *s)
{
	struct ow_envelope e;

	if (on_shm()) {
		ow_block_free(dom->blocks, s->rq.envelope.payload.block);
		return;
	}
	ow_envelope_init(&e, ow_continued_record(s), OW_MSG_SIZE_MAX,
			 dom->blocks);
	e.record = s->rq.envelope.head->handed;
	ow_envelope_close(&e);
}

/* The service hands its request on to a thread, which forwards it before the
 * service ends. */
static void forward_continued(void)
{
	long at = left;
	uint64_t number;
	struct ow_server *s;

	left = 0;
	s = take_request();
	s->rq.msg = s->rq.envelope.head;
	s->rq.adv = s->adv;
	s->rq.active = true;
	left = at;
	ow_fault_hit("in service");
	if (ow_continued_begin(s, &number) != 0)
		_exit(35);
	ow_fault_hit("handed on");
	if (forward(s) != 0)
		_exit(32);
	ow_fault_hit("forwarded");
	close_continued(s);
	ow_fault_hit("answered");
	s->rq.continued = NULL;
	ow_envelope_close(&s->rq.envelope);
	ow_fault_hit("off the record");
	left = 0;
	leave(s);
	_exit(0);
}

static void open_target(void)
{
	assert_int_equal(ow_srv_take(dom->tables, TARGET_ID, "target"), 0);
	server = make_server(TARGET_ID);
	assert_int_equal(ow_offer_add(server, TARGET, "f", service), 0);
	assert_int_equal(ow_offer_publish_all(server), 0);
	assert_int_equal(ow_queue_open(dom, ow_service_queue(TARGET),
				       &target), 0);
}

/* Requests that this server would serve. ndrxd nudges the queues after a
 * death. */
static int serve(void)
{
	struct test_in in;
	int n = 0;

	ow_queue_nudge(target);
	while (recv_in(target, &in, OW_DEADLINE_NOW) == 0) {
		n += in.e.payload.data != NULL;
		ow_envelope_close(&in.e);
	}
	return n;
}

static int count_refusals(struct ow_queue *replies)
{
	struct ow_msg m;
	int n = 0;

	while (recv_msg(replies, &m, OW_DEADLINE_NOW) == 0)
		n += m.cd == 1 && m.tperr == TPESVCERR;
	return n;
}

static struct ow_queue *open_replies(void)
{
	assert_int_equal(ow_clt_take(dom->tables, &caller), 0);
	return dom_mailbox(caller);
}

static void kill_at_every_point(void (*fn)(void), bool reaped_first)
{
	struct ow_queue *replies = open_replies();
	int served, refused;
	bool killed = true;
	uint64_t before = 0, bytes = 0;
	long n;

	ow_blocks_usage(dom->blocks, &before, &bytes);
	for (n = 1; n < POINTS_MAX && killed; n++) {
		killed = dies_at(n, fn);
		served = 0;
		if (!reaped_first)
			served += serve();
		ow_reap_server(dom, SRVID, false);
		served += serve();
		refused = count_refusals(replies);
		if ((served == 1) == (refused > 0) || served > 1)
			fail_msg("killed at %s: served %d times, refused %d "
				 "times", killed ? where : "no point", served,
				 refused);
	}
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 8, POINTS_MAX - 1);
	check_blocks(before);
	ow_queue_close(replies);
}

static void requests_are_served_or_refused(void **state)
{
	(void)state;
	open_target();
	for (int i = 0; i < 2; i++) {
		with_data = i == 1;
		kill_at_every_point(forward_request, true);
		kill_at_every_point(forward_request, false);
	}
}

static void continued_requests_are_served_or_refused(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		with_data = i == 1;
		kill_at_every_point(forward_continued, true);
		kill_at_every_point(forward_continued, false);
	}
}

/* The reaper of the one that forwarded is killed, too. */
static void reap_child(void)
{
	ow_reap_server(dom, SRVID, false);
}

static void die_after_sending(void)
{
	struct ow_server *s = take_request();

	if (forward(s) != 0)
		_exit(34);
	left = 1;
	ow_fault_hit("sent");
}

static void another_reaper_refuses_what_a_killed_one_withdrew(void **state)
{
	struct ow_queue *replies;
	int served, refused;
	bool killed = true;
	long n;

	(void)state;
	if (on_shm())
		skip(); /* nothing is withdrawn: what is QUEUED is served */
	replies = open_replies();
	for (n = 1; n < POINTS_MAX && killed; n++) {
		assert_true(dies_at(0, die_after_sending));
		killed = dies_at(n, reap_child);
		ow_reap_server(dom, SRVID, false);
		ow_reap_blocks(dom);
		served = serve();
		refused = count_refusals(replies);
		if (served != 0 || refused == 0)
			fail_msg("reaper killed at %s: served %d times, "
				 "refused %d times", killed ? where : "no point",
				 served, refused);
	}
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 5, POINTS_MAX - 1);
	ow_queue_close(replies);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_served_or_refused),
		cmocka_unit_test(continued_requests_are_served_or_refused),
		cmocka_unit_test(
		    another_reaper_refuses_what_a_killed_one_withdrew),
	};

	if (fault_begin() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
