/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_stops.c - a process stopped between any two stores holds up no other
 *
 * A child runs through the life of a server and a client and is stopped at its
 * N-th fault point, while this process does the same; then it is continued. N
 * grows until the child comes to its end. At last children are stopped at all
 * points at once, for 0.3 s; OW_LONG: for a minute.
 */
#include "tests/unit/libatmi/faults.h"

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
		times = 1;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_process_stopped_at_any_point_holds_up_no_other),
		cmocka_unit_test(
		    processes_stopped_for_a_minute_hold_up_no_other),
	};

	if (fault_begin() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
