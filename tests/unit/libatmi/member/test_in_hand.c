/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_in_hand.c - what a living server does, seen from outside
 *
 * Run once per transport: by NDRX_TRANSPORT.
 */
#include "tests/unit/libatmi/messages.h"

#include "libatmi/member/in_hand.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/record.h"

#define SRVID	 40
#define DEADLINE UINT64_C(1234567890123)

static struct ow_queue *svcq;
static uint32_t svc;

/* This process is a server that offers a service. */
static int set_up(void **state)
{
	struct ow_tables *t = dom->tables;

	assert_int_equal(ow_srv_take(t, SRVID, "x"), 0);
	assert_int_equal(ow_tables_lock(t), 0);
	svc = (uint32_t)ow_svc_name(t, "LOOKED");
	svcq = dom_queue("LOOKED", 4, 512);
	ow_tables_unlock(t);
	assert_int_equal(ow_srv_need_row(t, SRVID, 0), 0);
	ow_tables_adv(t, SRVID)[0].svc = svc + 1;
	return 0;
}

static int tear_down(void **state)
{
	svcq = ow_queue_close(svcq);
	ow_tables_adv(dom->tables, SRVID)[0].svc = 0;
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_srv_clear(dom->tables, SRVID);
	ow_tables_unlock(dom->tables);
	return 0;
}

/* Take a request with this deadline, as a server does. */
static void begin(struct ow_envelope *e, void *own, uint64_t deadline)
{
	const struct ow_transport *t = dom->transport;
	struct ow_srv *s = &dom->tables->srv[SRVID];
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST,
			    .buftype = OW_BUF_NULL,
			    .svc = svc,
			    .deadline_ns = deadline };

	assert_int_equal(send_msg(svcq, &m, 50, OW_DEADLINE_NOW), 0);
	ow_envelope_init(e, t->record != NULL ? t->record(dom, SRVID) : own,
			 OW_RX_SIZE, dom->blocks);
	assert_int_equal(ow_queue_recv(svcq, e, OW_DEADLINE_NOW), 0);
	s->state = OW_SRV_BUSY;
	s->cur_since = 77;
	s->cur_adv = 1;
}

static void end(struct ow_envelope *e)
{
	ow_envelope_close(e);
	dom->tables->srv[SRVID].cur_adv = 0;
	dom->tables->srv[SRVID].state = OW_SRV_IDLE;
}

static void service_begin_and_deadline_are_seen(void **state)
{
	static char own[OW_RX_SIZE];
	struct ow_in_hand_view v;
	struct ow_envelope e;

	assert_int_equal(ow_in_hand(dom, SRVID, &v), OW_IN_HAND_NONE);
	begin(&e, own, DEADLINE);
	assert_int_equal(ow_in_hand(dom, SRVID, &v), 0);
	assert_string_equal(v.service, "LOOKED");
	assert_int_equal(v.since_ns, 77);
	assert_true(v.deadline_ns == DEADLINE);
	end(&e);
	assert_int_equal(ow_in_hand(dom, SRVID, &v), OW_IN_HAND_NONE);
	assert_int_equal(v.since_ns, 77);
	begin(&e, own, OW_DEADLINE_NEVER);
	assert_int_equal(ow_in_hand(dom, SRVID, &v), 0);
	assert_true(v.deadline_ns == OW_DEADLINE_NEVER);
	end(&e);
}

/* On shm the block of a continued request is TAKEN, as that of the request in
 * service is. */
static void a_continued_request_is_not_the_one_in_service(void **state)
{
	static char own[2][OW_RX_SIZE];
	struct ow_in_hand_view v;
	struct ow_envelope first, second, record;

	begin(&first, own[0], OW_DEADLINE_NEVER);
	assert_int_equal(ow_record_request(dom, first.head, &record), 0);
	if (record.head == NULL)
		ow_block_msg(dom->blocks, first.payload.block)->continued = 1;
	begin(&second, own[1], DEADLINE);
	assert_int_equal(ow_in_hand(dom, SRVID, &v), 0);
	assert_true(v.deadline_ns == DEADLINE);
	end(&second);
	if (record.head == NULL)
		ow_envelope_close(&first);
	else
		ow_envelope_close(&record);
}

static void impossible_words_do_no_harm(void **state)
{
	struct ow_srv *s = &dom->tables->srv[SRVID];
	struct ow_in_hand_view v;

	s->state = OW_SRV_BUSY;
	s->cur_adv = OW_ADV_MAX + 1;
	assert_int_equal(ow_in_hand(dom, SRVID, &v), OW_IN_HAND_NONE);
	s->cur_adv = 1;
	ow_tables_adv(dom->tables, SRVID)[0].svc = UINT32_MAX;
	assert_int_equal(ow_in_hand(dom, SRVID, &v), 0);
	assert_string_equal(v.service, "");
	assert_true(v.deadline_ns == OW_DEADLINE_NEVER);
	s->state = OW_SRV_IDLE;
	s->cur_adv = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    service_begin_and_deadline_are_seen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    a_continued_request_is_not_the_one_in_service, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(impossible_words_do_no_harm,
						set_up, tear_down),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
