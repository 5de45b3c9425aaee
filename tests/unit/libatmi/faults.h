/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults.h - the life of a server and a client, with fault points
 *
 * The sources are compiled once more with fault points
 * (libatmi/base/fault.h). A child runs whole_life(), and something happens to
 * it at its point number `left`; afterwards check_all() looks at the domain.
 */
#ifndef OW_TEST_FAULTS_H
#define OW_TEST_FAULTS_H

#include "tests/unit/libatmi/messages.h"

#include <sys/mman.h>

#include "libatmi/reply/reply.h"
#include "libatmi/base/fault.h"
#include "libatmisrv/advertise.h"
#include "libatmisrv/options.h"
#include "libatmisrv/server.h"

#define SRVID 12
#define POINTS_MAX 2000
#define NAMES_MAX  200 /* points */

static long left; /* fault points until it happens; 0: none */
static int fault_signal = SIGKILL; /* what happens there */
static char *where; /* shared with children: the point where it happened */
static int times; /* a point counts so often only; 0: each time */
static struct { const char *name; int times; } seen[NAMES_MAX];
static uint32_t own_srvid = SRVID; /* of the child */
static char svc_a[32] = "FAULTA"; /* new names take other paths */
static char svc_b[32] = "FAULTB";
static uint32_t caller; /* client slot whose request is in hand */
static int caller_cd = 1; /* its descriptor */

static inline bool counts(const char *name)
{
	int i;

	for (i = 0; i < NAMES_MAX && seen[i].name != NULL; i++)
		if (strcmp(seen[i].name, name) == 0)
			break;
	assert_in_range(i, 0, NAMES_MAX - 1);
	seen[i].name = name;
	return ++seen[i].times <= times;
}

void ow_fault_hit(const char *name)
{
	if (left > 0 && (times == 0 || counts(name)) && --left == 0) {
		snprintf(where, 64, "%s", name);
		raise(fault_signal);
	}
}

/* Points in loops: the third time is as good as the hundredth, but where there
 * is time for all. */
static inline void fault_short_form(void)
{
	times = getenv("OW_LONG") != NULL ? 0 : 3;
}

static inline void service(TPSVCINFO *info)
{
}

static inline bool on_shm(void)
{
	return strcmp(dom->transport->name, "shm") == 0;
}

/* Run `fn` in a child and kill it at fault point `n`: true if it was killed. */
static inline bool dies_at(long n, void (*fn)(void))
{
	pid_t pid;
	int st;

	pid = test_fork();
	if (pid == 0) {
		left = n;
		fn();
		_exit(0);
	}
	waitpid(pid, &st, 0);
	if (WIFSIGNALED(st))
		return true;
	if (WEXITSTATUS(st) != 0)
		fail_msg("step %d failed after a death at %s",
			 WEXITSTATUS(st), where);
	return false;
}

/* ---- what the child does ---- */

static inline struct ow_server *make_server(uint32_t srvid)
{
	struct ow_server *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->opt = calloc(1, sizeof(*s->opt));
	s->opt->srvid = s->id = srvid;
	s->dom = dom;
	s->slot = &dom->tables->srv[srvid];
	s->adv = ow_tables_adv(dom->tables, srvid);
	ow_envelope_init(&s->rq.envelope,
			 on_shm() ? malloc(OW_RX_SIZE)
				  : (void *)ow_tables_rx(dom->tables, srvid),
			 OW_RX_SIZE, dom->blocks);
	s->ctl_fd = -1;
	if (ow_waitset_open(dom, srvid, &s->waitset) != 0)
		_exit(10);
	return s;
}

static inline void use_blocks(uint64_t len)
{
	uint64_t ref[3];
	void *data;
	int i;

	for (i = 0; i < 3; i++) {
		if (ow_block_alloc(dom->blocks, len, 1, &ref[i], &data) != 0)
			_exit(11);
		memset(data, 'x', len);
	}
	if (ow_block_adopt(dom->blocks, ref[1], len) == NULL)
		_exit(12);
	ow_block_free(dom->blocks, ref[0]);
	ow_block_free(dom->blocks, ref[1]);
	ow_block_free(dom->blocks, ref[2]);
}

/* A request of this client and its reply, in a block. */
static inline void exchange(const char *svc, uint32_t slot,
			    struct ow_queue *replies)
{
	struct ow_queue *q = NULL;
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST,
			    .buftype = OW_BUF_CARRAY,
			    .cd = 1,
			    .clt_slot = slot,
			    .clt_gen = dom->tables->clt[slot].gen,
			    .len = 3000 };
	struct ow_content content = { .type = OW_BUF_CARRAY };
	struct ow_reply reply = { .content = &content,
				  .deadline = OW_DEADLINE_NOW };
	struct test_in in;
	void *data;
	int idx = ow_svc_find(dom->tables, svc);

	m.svc = (uint32_t)idx;
	if (idx < 0 || ow_queue_open(dom, ow_service_queue(svc), &q) != 0 ||
	    ow_block_alloc(dom->blocks, 3000, 0, &m.block, &data) != 0 ||
	    send_msg(q, &m, 50, OW_DEADLINE_NOW) != 0)
		_exit(20);
	if (recv_in(q, &in, OW_DEADLINE_NOW) != 0 ||
	    in.e.payload.data == NULL)
		_exit(21);
	reply.request = in.e.head;
	content.payload = in.e.payload;
	content.payload.owner = OW_PAYLOAD_LENT;
	content.payload.lender = &in.e;
	if (ow_reply_send(dom, NULL, &reply) != 0)
		_exit(22);
	ow_envelope_close(&in.e);
	if (recv_msg(replies, NULL, OW_DEADLINE_NOW) != 0)
		_exit(23);
	ow_queue_close(q);
}

static inline void use_client(const char *svc)
{
	struct ow_queue_shape shape;
	struct ow_queue *q = NULL;
	struct ow_clt *c;
	uint32_t slot;

	if (ow_clt_take(dom->tables, &slot) != 0)
		_exit(13);
	c = &dom->tables->clt[slot];
	if (ow_queue_create(dom, ow_mailbox(slot), &shape, &q) != 0)
		_exit(14);
	exchange(svc, slot, q);
	ow_clt_close(dom->tables, slot, c->gen);
	ow_reap_drain(dom, q, TPENOENT);
	ow_clt_free(dom->tables, slot);
	ow_queue_close(q);
}

/* Put a request into the in-flight record; on shm, send and receive it. */
static inline void receive_request(struct ow_server *s)
{
	union ow_envelope_memory room;
	struct ow_envelope e;
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST,
			    .buftype = OW_BUF_STRING,
			    .cd = caller_cd,
			    .clt_slot = caller,
			    .clt_gen = dom->tables->clt[caller].gen,
			    .len = 3,
			    .svc = s->offers[0].svc };

	memcpy(s->rq.envelope.head, &m, sizeof(m));
	if (!on_shm())
		return;
	room.head = m;
	memcpy(room.bytes + sizeof(m), "ab", 3);
	ow_envelope_init(&e, &room, sizeof(room), dom->blocks);
	if (ow_queue_send(s->offers[0].queue, &e, 50, OW_DEADLINE_NOW) != 0 ||
	    ow_queue_recv(s->offers[0].queue, &s->rq.envelope,
			  OW_DEADLINE_NOW) != 0)
		_exit(19);
}

/* Two waits without a message: after a first short one the server looks before
 * it sleeps (transport/looking.h). */
static inline void wait_twice(struct ow_server *s)
{
	uint32_t tag = 0;
	int i;

	dom->waking.look_sample = 1;
	dom->waking.look_min_ns = 100 * OW_NS_PER_US;
	dom->waking.look_max_ns = OW_NS_PER_SEC;
	dom->waking.look_alone_ns = OW_NS_PER_SEC;
	dom->waking.look_gap_ns = OW_NS_PER_SEC;
	dom->waking.look_credit_ns = 10 * OW_NS_PER_SEC;
	atomic_store(&dom->tables->head->looks.spin, 1 + OW_SPIN_ALWAYS);
	if (ow_waitset_tick(s->waitset, OW_NS_PER_MS) != 0)
		_exit(17);
	for (i = 0; i < 2; i++)
		if (ow_waitset_wait(s->waitset, true, &tag, NULL) != 0)
			_exit(18);
}

static inline void whole_life(void)
{
	struct ow_server *s;

	ow_reap_server(dom, own_srvid, false);
	if (ow_srv_take(dom->tables, own_srvid, "x") != 0)
		_exit(15);
	s = make_server(own_srvid);
	if (ow_offer_add(s, svc_a, "f", service) != 0 ||
	    ow_offer_add(s, svc_b, "f", service) != 0 ||
	    ow_offer_publish_all(s) != 0)
		_exit(16);
	wait_twice(s);
	receive_request(s);
	use_client(svc_b);
	use_blocks(100);
	use_blocks(2 << 20);
	ow_envelope_close(&s->rq.envelope);
	ow_offer_withdraw(s, 0);
	ow_offer_withdraw(s, 1);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_srv_clear(dom->tables, own_srvid);
	ow_tables_unlock(dom->tables);
	_exit(0);
}

/* ---- checks afterwards ---- */

static inline uint32_t rows_of(uint32_t svc)
{
	struct ow_tables *t = dom->tables;
	uint32_t id, row, n = 0;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		for (row = 0; row < t->srv[id].nadv; row++)
			n += ow_tables_adv(t, id)[row].svc == svc + 1;
	return n;
}

static inline void check_services(void)
{
	struct ow_tables *t = dom->tables;
	uint32_t i, k, depth = 0;

	for (i = 0; i < t->head->nsvc; i++) {
		struct ow_svc *s = &t->svc[t->head->svc_list[i]];

		for (k = 0; k < i; k++)
			assert_int_not_equal(t->head->svc_list[i],
					     t->head->svc_list[k]);
		assert_int_equal(s->nsrv, rows_of(t->head->svc_list[i]));
		assert_int_equal(s->nsrv, 0);
		if (s->used == 0)
			continue;
		assert_int_equal(s->gen & 1, 0);
		assert_int_equal(ow_queue_peek(dom, ow_service_queue(s->name),
					       &depth), OW_QUEUE_GONE);
	}
}

static inline void check_blocks(uint64_t ours)
{
	uint64_t n = 0, bytes = 0;

	WAIT_FOR((ow_reap_clients(dom),
		  ow_blocks_usage(dom->blocks, &n, &bytes), n <= ours));
	assert_int_equal(n, ours);
}

/* Blocks in use when those of the dead have been freed: some are kept for a
 * while, as a message that names them may still be on its way. */
static inline uint64_t settled_blocks(void)
{
	uint64_t n = 0, bytes = 0, last, end;

	do {
		last = n;
		end = ow_clock_mono_ns() + 1200 * OW_NS_PER_MS;
		while (ow_clock_mono_ns() < end) {
			ow_reap_clients(dom);
			usleep(50000);
		}
		ow_blocks_usage(dom->blocks, &n, &bytes);
	} while (n != last);
	return n;
}

static inline void check_slots(void)
{
	struct ow_tables *t = dom->tables;
	uint32_t i, depth = 0;

	assert_int_equal(t->srv[SRVID].pid, 0);
	assert_int_equal(t->srv[SRVID].state, OW_SRV_FREE);
	assert_int_equal(*(uint32_t *)ow_tables_rx(t, SRVID), 0);
	for (i = 0; i <= t->head->clt_high; i++) {
		if (t->clt[i].owner == ow_proc_id_self())
			continue;
		assert_int_equal(t->clt[i].gen & 1, 0);
		assert_int_equal((ow_queue_peek(dom, ow_mailbox(i),
						&depth), depth), 0);
	}
}

static inline void reap_all(void)
{
	ow_reap_server(dom, SRVID, false);
	ow_reap_clients(dom);
	ow_reap_unserved(dom, true);
}

static inline void check_all(void)
{
	reap_all();
	check_services();
	check_slots();
}

/* The domain, and what is shared with children. 0 or -1. */
static inline int fault_begin(void)
{
	where = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (where == MAP_FAILED)
		return -1;
	dom_make();
	return 0;
}

#endif
