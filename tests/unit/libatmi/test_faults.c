/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_faults.c - a kill between any two stores loses and leaks nothing
 *
 * A child runs through the life of a server and a client and is killed at its
 * N-th fault point; then this process reaps it and checks the domain. N grows
 * until the child survives. A second round kills the reaper. A point that is
 * passed again and again is tried three times; in the long form each time.
 */
#include "tests/unit/libatmi/converse/ends/ends.h"
#include "tests/unit/libatmi/faults.h"

#include "libatmisrv/continued.h"

#include <dirent.h>

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

static void the_domain_is_in_order_after_a_kill_at_any_point(void **state)
{
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
}

/* ---- conversations ---- */

/* A conversation of two ends that are both here: messages inline and in blocks,
 * an end that finds the queue full. */
static void converse(void)
{
	struct end a = { 0 }, b = { 0 };
	int r = end_open(&a, 1);

	if (r == 0)
		r = end_open(&b, 2);
	if (r == 0)
		r = ends_accept(&a, &b);
	if (r != 0)
		_exit(r);
	if (end_take_all(&a) != 1 || end_send(&a, 'x', 100) != 0 ||
	    end_send(&a, 'y', 3000) != 0 || end_take_all(&b) != 2 ||
	    end_fetch(&b) != 'x' || end_fetch(&b) != 'y')
		_exit(44);
	ow_conv_acknowledge(b.ts, b.t);
	while (ow_conv_has_room(b.t) && end_send(&b, 'z', 3000) == 0)
		;
	ow_conv_hang_up(b.ts, b.t);
	end_take_all(&a);
	ow_reap_postponed(dom, &dom->tables->clt[a.slot]);
	end_take_all(&a);
	if (a.t->state != OW_CONV_OVER)
		_exit(45);
	end_close(&b);
	end_close(&a);
}

static void a_kill_at_any_point_of_a_conversation_leaves_nothing(void **state)
{
	uint64_t blocks = settled_blocks();
	long n;

	for (n = 1; n < POINTS_MAX && dies_at(n, converse); n++) {
		ow_reap_clients(dom);
		check_slots();
	}
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 50, POINTS_MAX - 1);
	check_blocks(blocks);
}

/* ---- killed reapers ---- */

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

/* Fill the mailbox with replies that no call waits for. */
static void fill(struct ow_queue *q)
{
	struct ow_msg m = reply_to(caller, 3);

	while (send_msg(q, &m, 50, OW_DEADLINE_NOW) == 0)
		;
}

/* The mailbox of the caller, whose slot is used from here on. */
static struct ow_queue *open_caller(void)
{
	assert_int_equal(ow_clt_take(dom->tables, &caller), 0);
	return dom_mailbox(caller);
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

/* ---- dispatch threads ---- */

static struct ow_server *serve_in_slot(uint32_t id, int cd)
{
	struct ow_server *s = make_server(id);

	if (ow_offer_add(s, svc_a, "f", service) != 0 ||
	    ow_offer_publish_all(s) != 0)
		_exit(31);
	caller_cd = cd;
	receive_request(s);
	return s;
}

static void leave_slot(struct ow_server *s)
{
	ow_envelope_close(&s->rq.envelope);
	ow_offer_withdraw(s, 0);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_srv_clear(dom->tables, s->id);
	ow_tables_unlock(dom->tables);
}

/* A server and a further thread of it, each with a request in hand. */
static void take_two_slots(struct ow_server *s[2])
{
	uint32_t id;

	ow_reap_server(dom, SRVID, false);
	if (ow_srv_take(dom->tables, SRVID, "x") != 0)
		_exit(32);
	s[0] = serve_in_slot(SRVID, 1);
	if (ow_srv_take_thread(dom->tables, SRVID, 2, "x", &id) != 0)
		_exit(33);
	s[1] = serve_in_slot(id, 4);
}

static void life_with_a_thread(void)
{
	struct ow_server *s[2];

	take_two_slots(s);
	leave_slot(s[1]);
	leave_slot(s[0]);
	_exit(0);
}

static void die_serving_twice(void)
{
	struct ow_server *s[2];

	take_two_slots(s);
	left = 1;
	ow_fault_hit("while serving");
}

/* No slot says that it is a thread of our server; they all are free. */
static void check_threads(void)
{
	struct ow_tables *t = dom->tables;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		assert_int_equal(t->srv[id].pid, 0);
		assert_int_equal(*(uint32_t *)ow_tables_rx(t, id), 0);
	}
}

static void the_domain_is_in_order_after_a_kill_of_threads(void **state)
{
	struct ow_queue *q = open_caller();
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		snprintf(svc_a, sizeof(svc_a), "THREADS%ld", n);
		if (!dies_at(n, life_with_a_thread))
			break;
		check_all();
		check_threads();
		while (recv_msg(q, NULL, OW_DEADLINE_NOW) == 0)
			;
		assert_false(dies_at(0, life_with_a_thread));
	}
	ow_queue_close(q);
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 40, POINTS_MAX - 1);
}

static void another_reaper_refuses_the_requests_of_all_threads(void **state)
{
	struct ow_queue *q = open_caller();
	int first, second;
	struct ow_msg m;
	bool died = true;
	long n;

	for (n = 1; died && n < POINTS_MAX; n++) {
		assert_true(dies_at(0, die_serving_twice));
		died = dies_at(n, reap_all);
		check_all();
		check_threads();
		for (first = second = 0; recv_msg(q, &m, OW_DEADLINE_NOW) == 0;) {
			first += m.cd == 1 && m.tperr == TPESVCERR;
			second += m.cd == 4 && m.tperr == TPESVCERR;
		}
		assert_true(first > 0 && second > 0);
	}
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

/* ---- continued requests ---- */

/* A service hands its request on and ends; the server ends without an answer
 * of a thread. It may be killed from the first step on. */
static void continue_request(void)
{
	struct ow_server *s;
	uint64_t number = 0;
	long at = left;

	left = 0;
	ow_reap_server(dom, SRVID, false);
	if (ow_srv_take(dom->tables, SRVID, "x") != 0)
		_exit(30);
	s = make_server(SRVID);
	ow_offer_add(s, "FAULTA", "f", service);
	if (ow_offer_publish_all(s) != 0)
		_exit(31);
	receive_request(s);
	s->rq.msg = s->rq.envelope.head;
	s->rq.adv = s->adv;
	s->rq.active = true;
	left = at;
	ow_fault_hit("in service");
	if (ow_continued_begin(s, &number) != 0)
		_exit(32);
	ow_fault_hit("handed on");
	ow_continued_leave(s);
	ow_fault_hit("left");
	ow_envelope_close(&s->rq.envelope);
	ow_fault_hit("off the record");
	ow_continued_refuse_all(s);
	ow_fault_hit("refused");
	ow_offer_withdraw(s, 0);
	if (ow_tables_lock(dom->tables) != 0)
		_exit(33);
	ow_srv_clear(dom->tables, SRVID);
	ow_tables_unlock(dom->tables);
	_exit(0);
}

/* At least one refusal has come, and nothing else. */
static bool is_refused(struct ow_queue *q)
{
	struct ow_msg m;
	int errors = 0;

	while (recv_msg(q, &m, OW_DEADLINE_NOW) == 0)
		errors += m.cd == 1 && m.tperr == TPESVCERR;
	return errors > 0;
}

static void the_caller_of_a_continued_request_hears_of_a_kill_at_any_point(
    void **state)
{
	struct ow_queue *q = open_caller();
	uint64_t before;
	bool killed = true;
	long n;

	check_all();
	before = settled_blocks();
	for (n = 1; n < POINTS_MAX && killed; n++) {
		killed = dies_at(n, continue_request);
		check_all();
		if (!is_refused(q))
			fail_msg("killed at %s: the caller waits", where);
	}
	ow_queue_close(q);
	check_blocks(before);
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
		    a_kill_at_any_point_of_a_conversation_leaves_nothing),
		cmocka_unit_test(
		    another_reaper_completes_what_a_killed_one_began),
		cmocka_unit_test(
		    a_full_mailbox_loses_no_reply_of_a_killed_reaper),
		cmocka_unit_test(the_domain_is_in_order_after_a_kill_of_threads),
		cmocka_unit_test(
		    another_reaper_refuses_the_requests_of_all_threads),
		cmocka_unit_test(
		    the_caller_of_a_continued_request_hears_of_a_kill_at_any_point),
		cmocka_unit_test(
		    a_domain_whose_removal_was_killed_is_removed_the_next_time),
		cmocka_unit_test(a_domain_made_anew_keeps_its_names),
	};

	if (fault_begin() < 0)
		return 1;
	fault_short_form();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
