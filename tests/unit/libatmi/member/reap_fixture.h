/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_fixture.h - a client, a service without servers, and servers that die
 */
#ifndef TEST_REAP_FIXTURE_H
#define TEST_REAP_FIXTURE_H

#include "tests/unit/libatmi/messages.h"

#include <xatmi.h>

#include "libatmi/reply/reply.h"

#define SRVID 40

static uint32_t slot;
static struct ow_queue *replyq, *svcq;
static int svc;

static inline struct ow_msg request(void)
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

/* A client, and a service with a queue and without servers. */
static inline int set_up(void **state)
{
	static int n;
	char name[48];

	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	replyq = dom_mailbox(slot);
	snprintf(name, sizeof(name), "S%d", n++);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	svc = ow_svc_name(dom->tables, name);
	svcq = dom_queue(name, 4, 512);
	if ((dom->tables->svc[svc].gen & 1) == 0)
		dom->tables->svc[svc].gen++;
	ow_tables_unlock(dom->tables);
	return 0;
}

static inline int tear_down(void **state)
{
	ow_clt_clear(dom->tables, slot);
	ow_reap_discard(dom, replyq);
	ow_reap_unserved(dom, true);
	replyq = ow_queue_close(replyq);
	svcq = ow_queue_close(svcq);
	return 0;
}

/* tperrno of the next reply; -1: there is none. */
static inline int next_reply(void)
{
	struct ow_msg m;

	if (recv_msg(replyq, &m, 1) != 0)
		return -1;
	assert_int_equal(m.seq, 5);
	return m.tperr;
}

static inline uint32_t depth_of(struct ow_queue *q)
{
	uint32_t depth = 0;

	assert_int_equal(ow_queue_depth(q, &depth), 0);
	return depth;
}

static inline struct ow_queue_id svc_queue(void)
{
	return ow_service_queue(dom->tables->svc[svc].name);
}

/* A child takes the server slot, offers the service, and is killed with a
 * request in hand. */
static inline void serve_and_die(void *arg)
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

static inline void die_serving(void *arg)
{
	assert_int_equal(in_child(serve_and_die, arg), 128 + SIGKILL);
}

static inline uint64_t blocks_used(void)
{
	uint64_t n, bytes;

	ow_blocks_usage(dom->blocks, &n, &bytes);
	return n;
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
