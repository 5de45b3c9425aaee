/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_restart_faults.c - what waits for a server that is expected back
 *
 * A child, a server that ndrxd wants (`ctl_want`), comes, leaves, and comes
 * again. It is killed at its N-th fault point, and so is the process that puts
 * it in order. Whatever happens, a request in its queue is neither lost nor
 * refused as long as the server is expected, and not kept longer.
 */
#include "tests/unit/libatmi/faults.h"

#include <xatmi.h>

#include "libatmi/member/reap.h"

static void want(bool yes)
{
	assert_int_equal(ow_srv_know(dom->tables, SRVID), 0);
	atomic_store(&dom->tables->srv[SRVID].ctl_want, yes);
}

static struct ow_server *come(bool both)
{
	struct ow_server *s;

	if (ow_reap_server(dom, SRVID, true) != 0 ||
	    ow_srv_take(dom->tables, SRVID, "x") != 0)
		_exit(30);
	s = make_server(SRVID);
	if (both && ow_offer_add(s, svc_b, "f", service) != 0)
		_exit(31);
	if (ow_offer_add(s, svc_a, "f", service) != 0 ||
	    ow_offer_publish_all(s) != 0)
		_exit(32);
	return s;
}

static void leave(struct ow_server *s)
{
	uint32_t row;

	for (row = 0; row < s->noffers; row++)
		if (ow_offer_leave(s, row) != 0)
			_exit(33);
	if (ow_tables_lock(dom->tables) != 0)
		_exit(34);
	ow_srv_clear(dom->tables, SRVID);
	ow_tables_unlock(dom->tables);
}

static void come_and_leave(void)
{
	leave(come(true));
}

/* ---- requests ---- */

static struct ow_queue *queue_of(const char *name)
{
	struct ow_queue *q = NULL;

	return ow_queue_open(dom, ow_service_queue(name), &q) == 0 ? q : NULL;
}

static uint32_t waiting(const char *name)
{
	uint32_t depth = 0;

	return ow_queue_peek(dom, ow_service_queue(name), &depth) == 0 ? depth
								       : 0;
}

/* A one-way request. */
static void put(const char *name)
{
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST,
			    .buftype = OW_BUF_NULL };
	struct ow_queue *q = queue_of(name);

	assert_non_null(q);
	m.svc = (uint32_t)ow_svc_find(dom->tables, name);
	assert_int_equal(send_msg(q, &m, 50, OW_DEADLINE_NOW), 0);
	ow_queue_close(q);
}

static void take(const char *name)
{
	struct ow_queue *q = queue_of(name);
	struct test_in in;

	assert_non_null(q);
	assert_int_equal(recv_in(q, &in, OW_DEADLINE_NOW), 0);
	ow_envelope_close(&in.e);
	ow_queue_close(q);
}

/* ---- what the tables say ---- */

/* Lines of the table that await the service. */
static uint32_t awaiting(const char *name)
{
	uint32_t row, n = 0;
	int svc = ow_svc_find(dom->tables, name);

	for (row = 0; row < dom->tables->srv[SRVID].nawait; row++)
		n += ow_tables_row_awaits(dom->tables, SRVID, row) ==
		     (uint32_t)svc + 1;
	return n;
}

static void check_counts(const char *name)
{
	int svc = ow_svc_find(dom->tables, name);

	assert_true(svc >= 0);
	assert_int_equal(dom->tables->svc[svc].nsrv, rows_of((uint32_t)svc));
	assert_int_equal(dom->tables->svc[svc].awaited, awaiting(name));
}

static bool has_future(const char *name)
{
	int svc = ow_svc_find(dom->tables, name);

	return svc >= 0 && ow_svc_has_future(&dom->tables->svc[svc]);
}

/* As ndrxd after a death: the server is expected. */
static void reap_expected(void)
{
	if (ow_reap_server(dom, SRVID, true) != 0)
		_exit(35);
	ow_reap_unserved(dom, false);
}

static void give_up(void)
{
	want(false);
	if (ow_reap_server(dom, SRVID, false) != 0 ||
	    ow_reap_awaited(dom, SRVID) < 0)
		_exit(36);
	ow_reap_unserved(dom, false);
}

static void nothing_is_left(void)
{
	give_up();
	check_counts(svc_a);
	check_counts(svc_b);
	assert_false(has_future(svc_a));
	check_all();
	assert_int_equal(waiting(svc_a) + waiting(svc_b), 0);
	assert_null(queue_of(svc_a));
	assert_int_equal(dom->tables->srv[SRVID].nawait, 0);
}

/* ---- the tests ---- */

static void a_request_outlives_the_server_killed_at_any_point(void **state)
{
	bool killed = true;
	long n;

	for (n = 1; n < POINTS_MAX && killed; n++) {
		want(true);
		assert_false(dies_at(0, come_and_leave));
		put(svc_a);
		put(svc_b);
		killed = dies_at(n, come_and_leave);
		reap_expected();
		check_counts(svc_a);
		check_counts(svc_b);
		if (waiting(svc_a) != 1 || waiting(svc_b) != 1)
			fail_msg("killed at %s: a request is lost", where);
		put(svc_a);
		take(svc_a);
		take(svc_a);
		take(svc_b);
		nothing_is_left();
	}
	print_message("%ld points\n", n - 2);
	assert_in_range(n, 20, POINTS_MAX - 1);
}

static void come_and_die(void)
{
	left = 0;
	come(true);
	raise(SIGKILL);
}

static void reap_again(void)
{
	reap_expected();
	_exit(0);
}

static void a_request_outlives_the_reaper_killed_at_any_point(void **state)
{
	bool killed = true;
	long n;

	for (n = 1; n < POINTS_MAX && killed; n++) {
		want(true);
		assert_true(dies_at(1, come_and_die));
		put(svc_a);
		killed = dies_at(n, reap_again);
		reap_expected();
		check_counts(svc_a);
		check_counts(svc_b);
		if (waiting(svc_a) != 1)
			fail_msg("killed at %s: a request is lost", where);
		take(svc_a);
		nothing_is_left();
	}
	print_message("%ld points\n", n - 2);
	assert_in_range(n, 8, POINTS_MAX - 1);
}

static void give_up_again(void)
{
	give_up();
	_exit(0);
}

static void a_wait_that_is_over_ends_whoever_is_killed(void **state)
{
	bool killed = true;
	long n;

	for (n = 1; n < POINTS_MAX && killed; n++) {
		want(true);
		assert_false(dies_at(0, come_and_leave));
		put(svc_a);
		killed = dies_at(n, give_up_again);
		nothing_is_left();
	}
	print_message("%ld points\n", n - 2);
	assert_in_range(n, 5, POINTS_MAX - 1);
}

static void come_with_one(void)
{
	leave(come(false));
}

static void what_is_not_offered_again_is_over(void **state)
{
	want(true);
	assert_false(dies_at(0, come_and_leave));
	put(svc_a);
	put(svc_b);
	assert_false(dies_at(0, come_with_one));
	check_counts(svc_a);
	check_counts(svc_b);
	assert_int_equal(waiting(svc_a), 1);
	assert_true(has_future(svc_a));
	assert_false(has_future(svc_b));
	assert_null(queue_of(svc_b));
	nothing_is_left();
}

static void a_service_that_refuses_is_drained(void **state)
{
	int svc;

	want(true);
	assert_false(dies_at(0, come_and_leave));
	svc = ow_svc_find(dom->tables, svc_a);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_svc_set_mark(dom->tables, (uint32_t)svc, OW_SVC_REFUSES, true);
	assert_true((dom->tables->svc[svc].nsrv & OW_SVC_SHUT) == 0);
	ow_tables_unlock(dom->tables);
	assert_false(dies_at(0, come_and_leave));
	assert_false(has_future(svc_a));
	assert_true(has_future(svc_b));
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	ow_svc_set_mark(dom->tables, (uint32_t)svc, OW_SVC_REFUSES, false);
	ow_tables_unlock(dom->tables);
	nothing_is_left();
}

static void without_ndrxd_the_wait_is_bounded(void **state)
{
	struct ow_tables_head *h = dom->tables->head;

	atomic_store(&h->ndrxd_pid, 0);
	atomic_store(&h->missed_ns, 0);
	assert_true(ow_await_is_reasonable(dom->tables));
	assert_true(h->missed_ns != 0);
	assert_true(ow_await_is_reasonable(dom->tables));
	h->missed_ns -= 11 * OW_NS_PER_SEC;
	assert_false(ow_await_is_reasonable(dom->tables));
	atomic_store(&h->ndrxd_start, ow_proc_start_self());
	atomic_store(&h->ndrxd_pid, getpid());
	assert_true(ow_await_is_reasonable(dom->tables));
	atomic_store(&h->ndrxd_pid, 0);
	atomic_store(&h->missed_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_request_outlives_the_server_killed_at_any_point),
		cmocka_unit_test(
		    a_request_outlives_the_reaper_killed_at_any_point),
		cmocka_unit_test(a_wait_that_is_over_ends_whoever_is_killed),
		cmocka_unit_test(what_is_not_offered_again_is_over),
		cmocka_unit_test(a_service_that_refuses_is_drained),
		cmocka_unit_test(without_ndrxd_the_wait_is_bounded),
	};

	if (fault_begin() != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
