/* SPDX-License-Identifier: Apache-2.0 */
/* test_lock.c - the domain lock: its holder dies, hangs, is stopped */
#include "tests/unit/libatmi/domain_fixture.h"

#include <pthread.h>

#include "libatmi/log/log.h"

static struct ow_tables *open_new(const char *name)
{
	struct ow_tables *t = NULL;

	assert_int_equal(ow_tables_open(scratch_path(name), true, &t), 0);
	return t;
}

/* ---- the holder dies ---- */

static void die_under_the_lock(void *arg)
{
	struct ow_tables *t = arg;
	int s;

	assert_int_equal(ow_tables_lock(t), 0);
	s = ow_svc_name(t, "A");
	atomic_store(&t->srv[9].nadv, 2);
	atomic_store(&ow_tables_adv(t, 9)[1].svc, (uint32_t)s + 1);
	atomic_store(&t->svc[s].nsrv, 4711);
	atomic_store(&t->svc[ow_svc_name(t, "B")].nsrv, 4711);
	raise(SIGKILL);
}

static void servers_are_counted_again_after_a_death_under_the_lock(void **state)
{
	struct ow_tables *t = open_new("robust");

	assert_int_equal(ow_srv_take(t, 9, "x"), 0);
	assert_int_equal(in_child(die_under_the_lock, t), 128 + SIGKILL);
	assert_int_equal(ow_tables_lock(t), 0);
	ow_tables_unlock(t);
	assert_int_equal(t->svc[ow_svc_find(t, "A")].nsrv, 1);
	assert_int_equal(t->svc[ow_svc_find(t, "B")].nsrv, 0);
	assert_int_equal(ow_tables_lock(t), 0); /* the lock works again */
	ow_tables_unlock(t);
	ow_tables_close(t);
}

/* Killed between the two words of a mark: `marks` counts. */
static void die_marking(void *arg)
{
	struct ow_tables *t = arg;
	int a, b;

	assert_int_equal(ow_tables_lock(t), 0);
	a = ow_svc_find(t, "A");
	b = ow_svc_find(t, "B");
	atomic_store(&t->svc[a].marks, OW_SVC_SUSPENDED);
	assert_true(ow_svc_set_mark(t, (uint32_t)b, OW_SVC_SUSPENDED, true));
	atomic_store(&t->svc[b].marks, 0);
	raise(SIGKILL);
}

static void a_mark_is_whole_after_a_death_under_the_lock(void **state)
{
	struct ow_tables *t = open_new("marks");
	int a, b;

	assert_int_equal(ow_tables_lock(t), 0);
	a = ow_svc_name(t, "A");
	b = ow_svc_name(t, "B");
	ow_tables_unlock(t);
	assert_int_equal(ow_srv_take(t, 9, "x"), 0);
	atomic_store(&t->srv[9].nadv, 2);
	atomic_store(&ow_tables_adv(t, 9)[0].svc, (uint32_t)a + 1);
	atomic_store(&ow_tables_adv(t, 9)[1].svc, (uint32_t)b + 1);
	atomic_store(&t->svc[a].nsrv, 1);
	atomic_store(&t->svc[b].nsrv, 1);
	assert_int_equal(in_child(die_marking, t), 128 + SIGKILL);
	assert_true(ow_svc_is_open(&t->svc[a]));
	assert_int_equal(ow_tables_lock(t), 0);
	ow_tables_unlock(t);
	assert_false(ow_svc_is_open(&t->svc[a]));
	assert_int_equal(ow_svc_servers(&t->svc[a]), 1);
	assert_true(ow_svc_is_open(&t->svc[b]));
	assert_int_equal(t->svc[b].nsrv, 1);
	ow_tables_close(t);
}

struct watch {
	struct ow_svc *svc;
	_Atomic bool over;
	uint32_t least;
};

static void *watch_count(void *arg)
{
	struct watch *w = arg;
	uint32_t n;

	while (!atomic_load(&w->over)) {
		n = atomic_load(&w->svc->nsrv);
		if (n < w->least)
			w->least = n;
	}
	return NULL;
}

static void die_holding_the_lock(void *arg)
{
	assert_int_equal(ow_tables_lock(arg), 0);
	raise(SIGKILL);
}

/* Callers read the number at any moment: 0 means TPENOENT. */
static void a_served_service_counts_as_served_during_a_recount(void **state)
{
	struct ow_tables *t = open_new("served");
	struct watch w = { .least = UINT32_MAX };
	pthread_t thread;
	uint32_t id;
	int i, s;

	assert_int_equal(ow_tables_lock(t), 0);
	s = ow_svc_name(t, "A");
	ow_tables_unlock(t);
	for (id = 1; id <= 200; id++) {
		assert_int_equal(ow_srv_know(t, id), 0);
		atomic_store(&t->srv[id].nadv, 1);
		atomic_store(&ow_tables_adv(t, id)[0].svc, (uint32_t)s + 1);
	}
	atomic_store(&t->svc[s].nsrv, 200);
	w.svc = &t->svc[s];
	assert_int_equal(pthread_create(&thread, NULL, watch_count, &w), 0);
	for (i = 0; i < 100; i++) {
		assert_int_equal(in_child(die_holding_the_lock, t),
				 128 + SIGKILL);
		assert_int_equal(ow_tables_lock(t), 0);
		ow_tables_unlock(t);
	}
	atomic_store(&w.over, true);
	pthread_join(thread, NULL);
	assert_int_equal(t->svc[s].nsrv, 200);
	assert_int_equal(w.least, 200);
	ow_tables_close(t);
}

/* ---- what the holder logs ---- */

static void no_line_is_written_while_the_lock_is_held(void **state)
{
	struct ow_tables *t = open_new("logged");
	const char *log = scratch_path("lock.log");
	char *text;

	assert_int_equal(tplogconfig(LOG_FACILITY_NDRX, 5, NULL, NULL, log), 0);
	assert_int_equal(in_child(die_holding_the_lock, t), 128 + SIGKILL);
	assert_int_equal(ow_tables_lock(t), 0);
	log_warn("a line under the lock");
	text = scratch_read(log);
	assert_string_equal(text, "");
	free(text);
	ow_tables_unlock(t);
	text = scratch_read(log);
	assert_non_null(strstr(text, "a line under the lock\n"));
	assert_non_null(strstr(text, "a process died holding"));
	free(text);
	tplogconfig(LOG_FACILITY_NDRX, 0, NULL, NULL, "/dev/stderr");
	ow_tables_close(t);
}

/* ---- the holder hangs or is stopped ---- */

/* A child that has the lock: it hangs, or is stopped, until it is continued. */
static pid_t hold_lock(struct ow_tables *t, bool stop)
{
	pid_t pid = test_fork();
	int st;

	if (pid == 0) {
		if (ow_tables_lock(t) != 0)
			_exit(1);
		raise(SIGSTOP);
		if (!stop)
			pause();
		ow_tables_unlock(t);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &st, WUNTRACED), pid);
	assert_true(WIFSTOPPED(st));
	if (!stop)
		kill(pid, SIGCONT);
	return pid;
}

static void end_holder(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void without_the_lock_nothing_changes(void **state)
{
	struct ow_tables *t = open_new("held");
	pid_t pid = hold_lock(t, false);
	uint64_t t0 = ow_clock_mono_ns();
	char who[120], want[40];

	ow_tables_set_patience(t, 150 * OW_NS_PER_MS);
	assert_int_equal(ow_srv_take(t, 8, "x"), OW_TABLES_LOCKED);
	assert_int_equal(t->srv[8].pid, 0);
	assert_in_range((ow_clock_mono_ns() - t0) / OW_NS_PER_MS, 150, 9000);
	/* For a second the process does not wait again. */
	t0 = ow_clock_mono_ns();
	assert_int_equal(ow_tables_lock(t), OW_TABLES_LOCKED);
	assert_true(ow_clock_mono_ns() - t0 < 100 * OW_NS_PER_MS);
	snprintf(want, sizeof(want), "process %d (", (int)pid);
	assert_true(ow_tables_lock_holder(t, who, sizeof(who)));
	assert_non_null(strstr(who, want));
	end_holder(pid);
	assert_int_equal(ow_srv_take(t, 8, "x"), 0);
	assert_false(ow_tables_lock_holder(t, who, sizeof(who)));
	ow_tables_close(t);
}

static void a_process_that_waits_continues_a_stopped_holder(void **state)
{
	struct ow_tables *t = open_new("stopped");
	pid_t pid = hold_lock(t, true);
	uint64_t t0 = ow_clock_mono_ns();
	int st;

	assert_int_equal(ow_srv_take(t, 8, "x"), 0);
	assert_true(ow_clock_mono_ns() - t0 < 5 * OW_NS_PER_SEC);
	assert_int_equal(waitpid(pid, &st, 0), pid);
	assert_int_equal(st, 0);
	ow_tables_close(t);
}

static void clients_take_slots_while_the_lock_is_held(void **state)
{
	struct ow_tables *t = open_new("busy");
	pid_t pid = hold_lock(t, false);
	uint64_t t0 = ow_clock_mono_ns();
	uint32_t slot = 0, i;

	for (i = 0; i < 100; i++) {
		assert_int_equal(ow_clt_take(t, &slot), 0);
		ow_clt_clear(t, slot);
	}
	assert_int_equal(ow_srv_know(t, 9), 0);
	assert_true(ow_clock_mono_ns() - t0 < OW_NS_PER_SEC);
	end_holder(pid);
	ow_tables_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    servers_are_counted_again_after_a_death_under_the_lock),
		cmocka_unit_test(a_mark_is_whole_after_a_death_under_the_lock),
		cmocka_unit_test(
		    a_served_service_counts_as_served_during_a_recount),
		cmocka_unit_test(no_line_is_written_while_the_lock_is_held),
		cmocka_unit_test(without_the_lock_nothing_changes),
		cmocka_unit_test(
		    a_process_that_waits_continues_a_stopped_holder),
		cmocka_unit_test(clients_take_slots_while_the_lock_is_held),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
