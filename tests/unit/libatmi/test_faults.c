/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults.c - a kill between any two stores loses and leaks nothing
 *
 * The sources are compiled once more with fault points
 * (libatmi/base/fault.h). A child runs through the life of a server and a
 * client and is killed at its N-th fault point; then this process reaps it
 * and checks the domain. N grows until the child survives. A second round
 * kills the reaper, a third one stops the child instead. At last children are
 * stopped at all points at once, for 0.3 s; OW_LONG: for a minute.
 */
#include "tests/unit/libatmi/messages.h"

#include <dirent.h>
#include <sys/mman.h>

#include "libatmi/reply/reply.h"
#include "libatmi/base/fault.h"
#include "libatmisrv/advertise.h"
#include "libatmisrv/options.h"
#include "libatmisrv/server.h"

#define SRVID 12
#define POINTS_MAX 2000
#define NAMES_MAX  200 /* points, each counted once */

static long left; /* fault points until the kill; 0: none */
static int fault_signal = SIGKILL; /* what happens there */
static char *where; /* shared with children: where the last one was killed */
static bool each_once; /* a point counts the first time only */
static const char *seen[NAMES_MAX];
static uint32_t own_srvid = SRVID; /* of the child */
static char svc_a[32] = "FAULTA"; /* new names take other paths */
static char svc_b[32] = "FAULTB";
static uint32_t caller; /* client slot whose request is in hand */

static bool is_new(const char *name)
{
	int i;

	for (i = 0; i < NAMES_MAX && seen[i] != NULL; i++)
		if (strcmp(seen[i], name) == 0)
			return false;
	assert_in_range(i, 0, NAMES_MAX - 1);
	seen[i] = name;
	return true;
}

void ow_fault_hit(const char *name)
{
	if (left > 0 && (!each_once || is_new(name)) && --left == 0) {
		snprintf(where, 64, "%s", name);
		raise(fault_signal);
	}
}

static void service(TPSVCINFO *info)
{
}

static bool on_shm(void)
{
	return strcmp(dom->transport->name, "shm") == 0;
}

/* ---- what the child does ---- */

static struct ow_server *make_server(uint32_t srvid)
{
	struct ow_server *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->opt = calloc(1, sizeof(*s->opt));
	s->opt->srvid = srvid;
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

static void use_blocks(uint64_t len)
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
static void exchange(const char *svc, uint32_t slot, struct ow_queue *replies)
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

static void use_client(const char *svc)
{
	struct ow_queue_shape shape = { 2, 256 };
	struct ow_queue *q = NULL;
	struct ow_clt *c;
	uint32_t slot;

	if (ow_clt_take(dom->tables, &slot) != 0)
		_exit(13);
	c = &dom->tables->clt[slot];
	snprintf(c->queue, sizeof(c->queue), "clt,reply,x,%d", getpid());
	if (ow_queue_create(dom, ow_reply_queue(slot), &shape, &q) != 0)
		_exit(14);
	exchange(svc, slot, q);
	ow_queue_remove(dom, ow_reply_queue(slot));
	ow_clt_close(dom->tables, slot, c->gen);
	ow_reap_drain(dom, q, TPENOENT);
	ow_clt_free(dom->tables, slot);
	ow_queue_close(q);
}

/* Put a request into the in-flight record; on shm, send and receive it. */
static void receive_request(struct ow_server *s)
{
	union ow_envelope_room room;
	struct ow_envelope e;
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST,
			    .buftype = OW_BUF_STRING,
			    .cd = 1,
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

static void whole_life(void)
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

static uint32_t rows_of(uint32_t svc)
{
	struct ow_tables *t = dom->tables;
	uint32_t id, row, n = 0;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		for (row = 0; row < t->srv[id].nadv; row++)
			n += ow_tables_adv(t, id)[row].svc == svc + 1;
	return n;
}

static void check_services(void)
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

static void check_blocks(uint64_t ours)
{
	uint64_t n = 0, bytes = 0;

	WAIT_FOR((ow_reap_clients(dom),
		  ow_blocks_usage(dom->blocks, &n, &bytes), n <= ours));
	assert_int_equal(n, ours);
}

static void check_slots(void)
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
		if (on_shm())
			assert_int_equal((ow_queue_peek(dom, ow_reply_queue(i),
							&depth),
					  depth), 0);
		else if (t->clt[i].queue[0] != '\0')
			assert_int_equal(ow_queue_peek(dom, ow_reply_queue(i),
						       &depth),
					 OW_QUEUE_GONE);
	}
}

static void reap_all(void)
{
	ow_reap_server(dom, SRVID, false);
	ow_reap_clients(dom);
	ow_reap_unserved(dom, true);
}

static void check_all(void)
{
	reap_all();
	check_services();
	check_slots();
}

/* Run `fn` in a child and kill it at fault point `n`: true if it was killed. */
static bool dies_at(long n, void (*fn)(void))
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

/* Use up free slots and blocks, so that the child needs new ones. */
static void use_up(long n)
{
	uint64_t ref;
	uint32_t slot;
	void *data;

	snprintf(svc_a, sizeof(svc_a), "FAULT%ld", n);
	assert_int_equal(ow_block_alloc(dom->blocks, 100, 0, &ref, &data), 0);
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
}

static struct ow_msg reply_to(uint32_t slot, int cd)
{
	return (struct ow_msg){ .magic = OW_MSG_MAGIC,
				.version = OW_MSG_VERSION,
				.kind = OW_MSG_REPLY,
				.buftype = OW_BUF_NULL,
				.cd = cd,
				.clt_slot = slot,
				.clt_gen = dom->tables->clt[slot].gen };
}

/* On posix: a reply queue that is never empty. A block of a dead process must
 * not wait for it. (On shm the message would be a block of its own.) */
static uint32_t keep_a_message(void)
{
	struct ow_queue_shape shape = { 2, 256 };
	struct ow_queue *q = NULL;
	struct ow_msg m;
	uint32_t slot;

	/* Not slot 0, which is `caller`: refusals must not fill this queue. */
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	assert_int_equal(ow_clt_take(dom->tables, &slot), 0);
	strcpy(dom->tables->clt[slot].queue, "kept");
	assert_int_equal(ow_queue_create(dom, ow_reply_queue(slot), &shape,
					 &q), 0);
	m = reply_to(slot, 1);
	assert_int_equal(send_msg(q, &m, 50, OW_DEADLINE_NOW), 0);
	ow_queue_close(q);
	return slot;
}

static void the_domain_is_in_order_after_a_kill_at_any_point(void **state)
{
	uint32_t kept = on_shm() ? OW_CLT_MAX : keep_a_message();
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		use_up(n);
		if (!dies_at(n, whole_life))
			break;
		check_all();
		assert_false(dies_at(0, whole_life));
		check_all();
	}
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 50, POINTS_MAX - 1);
	check_blocks((uint64_t)n);
	if (kept != OW_CLT_MAX)
		ow_queue_remove(dom, ow_reply_queue(kept));
}

/* ---- stopped processes ---- */

static struct ow_server *join_as(uint32_t srvid, const char *svc)
{
	struct ow_server *s;

	assert_int_equal(ow_srv_take(dom->tables, srvid, "x"), 0);
	s = make_server(srvid);
	assert_int_equal(ow_offer_add(s, svc, "f", service), 0);
	assert_int_equal(ow_offer_publish_all(s), 0);
	return s;
}

static void leave(struct ow_server *s)
{
	assert_int_equal(ow_offer_withdraw(s, 0), 0);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_srv_clear(dom->tables, s->opt->srvid);
	ow_tables_unlock(dom->tables);
	ow_waitset_close(s->waitset);
	if (on_shm())
		free(s->rq.envelope.head);
	free(s->opt);
	free(s);
}

static bool is_stopped(pid_t pid)
{
	char name[32];

	return ow_proc_look(pid, name, sizeof(name)) == 'T';
}

/* What the other processes of the domain do while one is stopped. Nothing that
 * clients and sweeps do waits for the domain lock: a wait continues its
 * holder. */
static void live_on_beside(pid_t pid)
{
	uint64_t t0 = ow_clock_mono_ns();

	use_client("OTHER");
	use_blocks(100);
	ow_reap_clients(dom);
	assert_int_equal(ow_srv_know(dom->tables, SRVID + 3), 0);
	assert_true(is_stopped(pid));
	leave(join_as(SRVID + 2, "THIRD"));
	assert_true(ow_clock_mono_ns() - t0 < 5 * OW_NS_PER_SEC);
}

/* Run a life in a child and stop it at fault point `n`: true if it was. */
static bool stops_at(long n)
{
	pid_t pid = test_fork();
	bool stopped;
	int st;

	if (pid == 0) {
		fault_signal = SIGSTOP;
		left = n;
		whole_life();
	}
	assert_int_equal(waitpid(pid, &st, WUNTRACED), pid);
	stopped = WIFSTOPPED(st);
	if (stopped) {
		live_on_beside(pid);
		kill(pid, SIGCONT);
		assert_int_equal(waitpid(pid, &st, 0), pid);
	}
	if (!WIFEXITED(st) || WEXITSTATUS(st) != 0)
		fail_msg("status %x after a stop at %s", (unsigned int)st,
			 where);
	return stopped;
}

static void a_process_stopped_at_any_point_holds_up_no_other(void **state)
{
	struct ow_server *s = join_as(SRVID + 1, "OTHER");
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		snprintf(svc_a, sizeof(svc_a), "STOP%ld", n);
		if (!stops_at(n))
			break;
	}
	leave(s);
	check_all();
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 50, POINTS_MAX - 1);
}

/* ---- processes that stay stopped ---- */

#define CROWD	    16 /* at one time: kernel queues are limited */
#define CROWD_SRVID (SRVID + 10)

/* A child that stops at the n-th point; *ret: 0, if another one has continued it
 * at once (lock.c). False: it came to its end before. */
static bool stop_for_long(long n, pid_t *ret)
{
	pid_t pid;
	int st;

	where[0] = '\0';
	pid = test_fork();
	if (pid == 0) {
		own_srvid = CROWD_SRVID + (uint32_t)n;
		snprintf(svc_a, sizeof(svc_a), "LONGA%ld", n);
		snprintf(svc_b, sizeof(svc_b), "LONGB%ld", n);
		fault_signal = SIGSTOP;
		each_once = true;
		left = n;
		whole_life();
	}
	assert_int_equal(waitpid(pid, &st, WUNTRACED), pid);
	*ret = WIFSTOPPED(st) ? pid : 0;
	assert_true(WIFSTOPPED(st) || st == 0);
	return where[0] != '\0';
}

static void live_on_for(uint64_t ns)
{
	const struct timespec nap = { .tv_nsec = 10 * 1000 * 1000 };
	uint64_t now = ow_clock_mono_ns(), end = now + ns, before;

	while (now < end) {
		before = now;
		use_client("OTHER");
		use_blocks(100);
		ow_reap_clients(dom);
		leave(join_as(SRVID + 2, "THIRD"));
		now = ow_clock_mono_ns();
		assert_true(now - before < 2 * OW_NS_PER_SEC);
		nanosleep(&nap, NULL);
	}
}

static void go_on(pid_t pid)
{
	int st;

	kill(pid, SIGCONT);
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_int_equal(st, 0);
}

/* Stop children at the next points, live on, continue them. Returns children;
 * *still: of these, how many nobody has continued meanwhile. */
static int stop_crowd(long first, uint64_t ns, int *still)
{
	pid_t pid[CROWD];
	int i, n = 0;

	while (n < CROWD && stop_for_long(first + n, &pid[n]))
		n++;
	live_on_for(ns);
	for (i = 0; i < n; i++)
		*still += pid[i] != 0 && is_stopped(pid[i]);
	for (i = 0; i < n; i++)
		if (pid[i] != 0)
			go_on(pid[i]);
	for (i = 0; i < n; i++)
		assert_int_equal(dom->tables->srv[CROWD_SRVID + first + i].pid,
				 0);
	return n;
}

static void processes_stopped_for_a_minute_hold_up_no_other(void **state)
{
	uint64_t ns = getenv("OW_LONG") != NULL ? 60 * OW_NS_PER_SEC
						: 300 * OW_NS_PER_MS;
	struct ow_server *s = join_as(SRVID + 1, "OTHER");
	int n, still = 0;
	long points = 0;

	do {
		n = stop_crowd(points + 1, ns, &still);
		points += n;
	} while (n == CROWD);
	leave(s);
	check_all();
	print_message("%ld points, %d outside of the domain lock\n", points,
		      still);
	assert_in_range(points, 50, NAMES_MAX);
	assert_in_range(still, 20, points);
}

/* A complete reply that is not yet put into the mailbox. */
static void leave_reply(void)
{
	struct ow_msg m = reply_to(caller, 2);
	void *data;

	if (ow_block_alloc(dom->blocks, 0, 0, &m.block, &data) != 0)
		_exit(24);
	*ow_block_msg(dom->blocks, m.block) = m;
	ow_block_post(dom->blocks, m.block, OW_BLOCK_MAILED);
}

static void die_serving(void)
{
	struct ow_server *s;

	ow_reap_server(dom, SRVID, false);
	if (ow_srv_take(dom->tables, SRVID, "x") != 0)
		_exit(17);
	s = make_server(SRVID);
	ow_offer_add(s, "FAULTA", "f", service);
	if (ow_offer_publish_all(s) != 0)
		_exit(18);
	receive_request(s);
	if (on_shm())
		leave_reply();
	left = 1;
	ow_fault_hit("while serving");
}

/* Has the error reply come, at least once (callers drop a second one)? On shm
 * the reply of leave_reply() must have come too, once. */
static bool has_replies(struct ow_queue *q)
{
	int errors = 0, replies = 0;
	struct ow_msg m;

	while (recv_msg(q, &m, OW_DEADLINE_NOW) == 0) {
		errors += m.cd == 1 && m.tperr == TPESVCERR;
		replies += m.cd == 2;
	}
	return errors > 0 && replies == on_shm();
}

/* Fill the reply queue with replies that no call waits for. */
static void fill(struct ow_queue *q)
{
	struct ow_msg m = reply_to(caller, 3);

	while (send_msg(q, &m, 50, OW_DEADLINE_NOW) == 0)
		;
}

/* The reply queue of the caller, whose slot is used from here on. */
static struct ow_queue *open_caller(void)
{
	struct ow_queue_shape shape = { 8, 256 };
	struct ow_queue *q = NULL;

	assert_int_equal(ow_clt_take(dom->tables, &caller), 0);
	strcpy(dom->tables->clt[caller].queue, "caller");
	assert_int_equal(ow_queue_create(dom, ow_reply_queue(caller), &shape,
					 &q), 0);
	return q;
}

static void another_reaper_completes_what_a_killed_one_began(void **state)
{
	struct ow_queue *q = open_caller();
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		assert_true(dies_at(0, die_serving));
		if (!dies_at(n, reap_all))
			break;
		check_all();
		assert_true(has_replies(q));
	}
	check_all();
	assert_true(has_replies(q));
	ow_queue_close(q);
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 10, POINTS_MAX - 1);
}

/* On posix the reaper keeps replies that find no room in its own memory: if it
 * is killed, their callers see the time-out. */
static void a_full_mailbox_loses_no_reply_of_a_killed_reaper(void **state)
{
	struct ow_queue *q;
	long n;

	if (!on_shm())
		skip();
	q = open_caller();
	for (n = 1; n < POINTS_MAX; n++) {
		assert_true(dies_at(0, die_serving));
		fill(q);
		if (!dies_at(n, reap_all))
			break;
		assert_false(has_replies(q));
		check_all();
		assert_true(has_replies(q));
	}
	assert_false(has_replies(q));
	check_all();
	assert_true(has_replies(q));
	ow_queue_close(q);
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 10, POINTS_MAX - 1);
}

/* ---- a domain that is being removed ---- */

static void make_other(struct ow_domain *d)
{
	char why[512], path[200];

	setenv("NDRX_QPREFIX", "/owother", 1);
	if (ow_domain_read_env(d, why, sizeof(why)) != 0 ||
	    ow_domain_enter(d, true) != 0)
		_exit(2);
	ow_domain_shm_path(d, "tables", path, sizeof(path));
	if (ow_tables_open(path, true, &d->tables) != 0)
		_exit(3);
}

static void remove_other(void *n)
{
	struct ow_domain d;

	make_other(&d);
	left = *(long *)n;
	ow_reap_domain(&d);
}

/* Names of the other domain in shared memory. */
static int names_of_other(void)
{
	DIR *dir = opendir(scratch_dir);
	struct dirent *e;
	int n = 0;

	assert_non_null(dir);
	while ((e = readdir(dir)) != NULL)
		n += strncmp(e->d_name, "owother,", 8) == 0;
	closedir(dir);
	return n;
}

static void a_domain_whose_removal_was_killed_is_removed_the_next_time(
    void **state)
{
	struct ow_domain d;
	char why[512];
	int st, killed = 0;
	long n;

	for (n = 1; (st = in_child(remove_other, &n)) != 0; n++) {
		assert_int_equal(st, 128 + SIGKILL);
		killed++;
		setenv("NDRX_QPREFIX", "/owother", 1);
		assert_int_equal(ow_domain_read_env(&d, why, sizeof(why)), 0);
		ow_reap_domain(&d);
		if (names_of_other() != 0)
			fail_msg("killed at %s: names are left", where);
	}
	assert_true(killed >= 4);
	assert_int_equal(names_of_other(), 0);
}

/* A process of the old domain removes it after it was made anew. */
static void a_domain_made_anew_keeps_its_names(void **state)
{
	struct ow_domain old, new;

	make_other(&old);
	ow_reap_domain(&old);
	make_other(&new);
	ow_reap_domain(&old);
	assert_int_equal(names_of_other(), 1);
	assert_false(ow_domain_is_gone(&new));
	ow_reap_domain(&new);
	assert_int_equal(names_of_other(), 0);
	ow_tables_close(old.tables);
	ow_tables_close(new.tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    the_domain_is_in_order_after_a_kill_at_any_point),
		cmocka_unit_test(
		    another_reaper_completes_what_a_killed_one_began),
		cmocka_unit_test(
		    a_full_mailbox_loses_no_reply_of_a_killed_reaper),
		cmocka_unit_test(
		    a_domain_whose_removal_was_killed_is_removed_the_next_time),
		cmocka_unit_test(a_domain_made_anew_keeps_its_names),
		cmocka_unit_test(
		    a_process_stopped_at_any_point_holds_up_no_other),
		cmocka_unit_test(
		    processes_stopped_for_a_minute_hold_up_no_other),
	};

	where = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (where == MAP_FAILED)
		return 1;
	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
