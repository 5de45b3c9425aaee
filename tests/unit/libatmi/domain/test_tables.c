/* SPDX-License-Identifier: Apache-2.0 */
/* test_tables.c - the shared tables: slots, services, lock, crashes */
#include "tests/unit/libatmi/domain_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define CHILDREN 8

static struct ow_tables *open_new(const char *name)
{
	struct ow_tables *t = NULL;

	assert_int_equal(ow_tables_open(scratch_path(name), true, &t), 0);
	return t;
}

/* ---- the segment ---- */

static void an_absent_domain_is_not_created_by_looking(void **state)
{
	struct ow_tables *t = NULL;

	assert_int_equal(ow_tables_open(scratch_path("none"), false, &t),
			 OW_TABLES_ABSENT);
	assert_null(t);
	assert_int_not_equal(access(scratch_path("none"), F_OK), 0);
}

static void open_and_mark(void *arg)
{
	struct ow_tables *t = NULL;

	if (ow_tables_open(arg, true, &t) != 0)
		_exit(1);
	atomic_fetch_add(&t->head->garbage, 1);
}

static void of_many_makers_at_once_all_get_the_same_segment(void **state)
{
	char path[256];
	pid_t pid[CHILDREN];
	struct ow_tables *t;
	int i, st;

	snprintf(path, sizeof(path), "%s", scratch_path("many"));
	for (i = 0; i < CHILDREN; i++) {
		pid[i] = test_fork();
		if (pid[i] == 0) {
			open_and_mark(path);
			_exit(0);
		}
	}
	for (i = 0; i < CHILDREN; i++) {
		waitpid(pid[i], &st, 0);
		assert_int_equal(st, 0);
	}
	t = open_new("many");
	assert_int_equal(t->head->garbage, CHILDREN);
	ow_tables_close(t);
}

static void patch(const char *path, size_t off, const void *p, size_t len)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, p, len, (off_t)off), len);
	close(fd);
}

static void a_segment_of_other_kind_is_foreign_and_left_alone(void **state)
{
	static const size_t off[] = {
		offsetof(struct ow_tables_head, magic),
		offsetof(struct ow_tables_head, version),
		offsetof(struct ow_tables_head, size),
		offsetof(struct ow_tables_head, boot_id),
	};
	struct ow_tables *t = NULL;
	char path[256];
	uint32_t bad = 0x01020304;
	size_t i;

	for (i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s", scratch_path("foreign"));
		ow_tables_close(open_new("foreign"));
		patch(path, off[i], &bad, sizeof(bad));
		assert_int_equal(ow_tables_open(path, true, &t),
				 OW_TABLES_FOREIGN);
		assert_null(t);
		assert_int_equal(unlink(path), 0);
	}
	scratch_write(path, "short");
	assert_int_equal(ow_tables_open(path, true, &t), OW_TABLES_FOREIGN);
	unlink(path);
	assert_int_equal(symlink("elsewhere", path), 0);
	assert_int_equal(ow_tables_open(path, true, &t), -ELOOP);
}

/* ---- servers ---- */

static void of_many_processes_one_gets_the_server_slot(void **state)
{
	struct ow_tables *t = open_new("srv");
	int go[2], out[2], i, r, got = 0;
	pid_t pid[CHILDREN];
	char c;

	assert_int_equal(pipe(go) | pipe(out), 0);
	for (i = 0; i < CHILDREN; i++) {
		pid[i] = test_fork();
		if (pid[i] == 0) {
			close(go[1]);
			r = read(go[0], &c, 1); /* until all are there */
			r = ow_srv_take(t, 77, "x");
			c = r == 0 ? 'y' : r == OW_TABLES_TAKEN ? 'n' : '?';
			r = write(out[1], &c, 1) == 1 ? 0 : 1;
			pause();
			_exit(r);
		}
	}
	close(go[1]);
	for (i = 0; i < CHILDREN; i++) {
		assert_int_equal(read(out[0], &c, 1), 1);
		assert_int_not_equal(c, '?');
		got += c == 'y';
	}
	assert_int_equal(got, 1);
	assert_true(ow_srv_alive(t, 77));
	for (i = 0; i < CHILDREN; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	assert_false(ow_srv_alive(t, 77));
	close(go[0]);
	close(out[0]);
	close(out[1]);
	ow_tables_close(t);
}

static void a_dead_namesake_does_not_own_our_slot(void **state)
{
	struct ow_tables *t = open_new("namesake");

	assert_int_equal(ow_srv_take(t, 5, "x"), 0);
	atomic_fetch_sub(&t->srv[5].start, 1);
	assert_false(ow_srv_alive(t, 5));
	assert_int_equal(ow_srv_take(t, 5, "x"), OW_TABLES_TAKEN);
	ow_tables_close(t);
}

static void used_server_slots_are_found_in_order(void **state)
{
	static const uint32_t ids[] = { 1, 63, 64, 65, 4095, 65535 };
	struct ow_tables *t = open_new("next");
	uint32_t at = 0;
	size_t i;

	assert_int_equal(ow_srv_next(t, 1), 0);
	for (i = 6; i-- > 0;)
		assert_int_equal(ow_srv_take(t, ids[i], "x"), 0);
	for (i = 0; i < 6; i++) {
		at = ow_srv_next(t, at + 1);
		assert_int_equal(at, ids[i]);
	}
	assert_int_equal(ow_srv_next(t, at + 1), 0);
	ow_tables_close(t);
}

/* ---- services ---- */

static void services_are_found_by_name(void **state)
{
	struct ow_tables *t = open_new("svc");
	char name[32];
	int i;

	assert_int_equal(ow_svc_find(t, "A"), -1);
	ow_tables_lock(t);
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "SVC%d", i);
		assert_true(ow_svc_name(t, name) >= 0);
	}
	assert_int_equal(ow_svc_name(t, "SVC7"), ow_svc_find(t, "SVC7"));
	memset(name, 'x', 31);
	name[31] = '\0';
	assert_true(ow_svc_name(t, name) >= 0);
	assert_int_equal(
	    ow_svc_name(t, "12345678901234567890123456789012"), -1);
	ow_tables_unlock(t);
	assert_int_equal(t->head->nsvc, 2001);
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "SVC%d", i);
		assert_string_equal(t->svc[ow_svc_find(t, name)].name, name);
	}
	assert_int_equal(ow_svc_find(t, "SVC2000"), -1);
	ow_tables_close(t);
}

static void die_in_the_lock(void *arg)
{
	struct ow_tables *t = arg;
	int s;

	ow_tables_lock(t);
	s = ow_svc_name(t, "A");
	atomic_store(&t->srv[9].nadv, 2);
	atomic_store(&t->adv[9][1].svc, (uint32_t)s + 1);
	atomic_store(&t->svc[s].nsrv, 4711);
	atomic_store(&t->svc[ow_svc_name(t, "B")].nsrv, 4711);
	raise(SIGKILL);
}

static void servers_are_counted_anew_after_a_death_in_the_lock(void **state)
{
	struct ow_tables *t = open_new("robust");

	assert_int_equal(ow_srv_take(t, 9, "x"), 0);
	assert_int_equal(in_child(die_in_the_lock, t), 128 + SIGKILL);
	ow_tables_lock(t);
	ow_tables_unlock(t);
	assert_int_equal(t->svc[ow_svc_find(t, "A")].nsrv, 1);
	assert_int_equal(t->svc[ow_svc_find(t, "B")].nsrv, 0);
	ow_tables_lock(t); /* usable for ever */
	ow_tables_unlock(t);
	ow_tables_close(t);
}

/* ---- clients ---- */

static void take_many(struct ow_tables *t, int out)
{
	uint32_t slot = 0;
	int i;

	for (i = 0; i < 100; i++) {
		if (ow_clt_take(t, &slot) != 0)
			_exit(1);
		if (i % 3 == 0) {
			ow_tables_lock(t);
			ow_clt_clear(t, slot);
			ow_tables_unlock(t);
		} else if (write(out, &slot, sizeof(slot)) != sizeof(slot)) {
			_exit(1);
		}
	}
	_exit(0);
}

static void client_slots_are_never_given_out_twice(void **state)
{
	struct ow_tables *t = open_new("clt");
	static uint8_t seen[OW_CLT_MAX];
	uint32_t slot;
	int out[2], i, st, n = 0;

	assert_int_equal(pipe(out), 0);
	for (i = 0; i < CHILDREN; i++)
		if (test_fork() == 0)
			take_many(t, out[1]);
	close(out[1]);
	while (read(out[0], &slot, sizeof(slot)) == sizeof(slot)) {
		assert_int_equal(seen[slot]++, 0);
		n++;
	}
	assert_int_equal(n, CHILDREN * 66);
	while (wait(&st) > 0)
		assert_int_equal(st, 0);
	close(out[0]);
	ow_tables_close(t);
}

static void a_slot_used_again_has_another_generation(void **state)
{
	struct ow_tables *t = open_new("gen");
	uint32_t a = 0, b = 0, gen;

	assert_int_equal(ow_clt_take(t, &a), 0);
	gen = t->clt[a].gen;
	assert_int_equal(gen & 1, 1);
	ow_clt_clear(t, a);
	assert_int_equal(t->clt[a].gen & 1, 0);
	ow_clt_clear(t, a); /* twice does not take it */
	assert_int_equal(t->clt[a].gen, gen + 1);
	assert_int_equal(ow_clt_take(t, &b), 0);
	assert_int_equal(a, b);
	assert_int_equal(t->clt[b].gen, gen + 2);
	ow_tables_close(t);
}

/* ---- processes ---- */

static void dead_processes_and_zombies_have_no_start(void **state)
{
	uint64_t start = ow_proc_start_self();
	siginfo_t si;
	pid_t pid;

	assert_true(start != 0 && start == ow_proc_start(getpid()));
	assert_true(ow_proc_alive(getpid(), start));
	assert_false(ow_proc_alive(getpid(), start + 1));
	assert_false(ow_proc_alive(0, start));
	assert_false(ow_proc_alive(-1, start));
	pid = test_fork();
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT);
	assert_int_equal(ow_proc_start(pid), 0);
	assert_false(ow_proc_alive(pid, start));
	waitpid(pid, NULL, 0);
	assert_int_equal(ow_proc_start(pid), 0);
}

static void check_own_start(void *arg)
{
	uint64_t parents = *(uint64_t *)arg;

	_exit(ow_proc_start_self() == ow_proc_start(getpid()) &&
	      ow_proc_alive(getppid(), parents) ? 0 : 1);
}

static void a_forked_child_knows_its_own_start(void **state)
{
	uint64_t start = ow_proc_start_self();

	assert_int_equal(in_child(check_own_start, &start), 0);
}

static void *wait_for_ever(void *arg)
{
	pause();
	return NULL;
}

static void end_main_thread(void *arg)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_for_ever, NULL);
	syscall(SYS_exit, 0); /* this thread only */
}

static void a_process_lives_while_a_thread_does(void **state)
{
	pid_t pid = test_fork();
	uint64_t start;
	char state_now = 0;

	if (pid == 0) {
		end_main_thread(NULL);
		_exit(1);
	}
	start = ow_proc_start(pid);
	assert_true(start != 0);
	WAIT_FOR(({
		char path[40], text[512] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		fd = open(path, O_RDONLY);
		if (read(fd, text, sizeof(text) - 1) > 0)
			state_now = strrchr(text, ')')[2];
		close(fd);
		state_now == 'Z';
	}));
	assert_true(ow_proc_alive(pid, start));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_false(ow_proc_alive(pid, start));
}

static void look_without_descriptors(void *arg)
{
	struct rlimit none = { 0, 0 };
	uint64_t start = ow_proc_start(getppid());

	setrlimit(RLIMIT_NOFILE, &none);
	if (!ow_proc_alive(getppid(), start))
		_exit(1);
	_exit(ow_proc_alive(0x7ffffffe, 1) ? 2 : 0);
}

static void who_cannot_look_takes_nobody_for_dead(void **state)
{
	assert_int_equal(in_child(look_without_descriptors, NULL), 0);
}

/* ---- damage ---- */

static void scribble(void *p, size_t len, unsigned int *seed)
{
	uint8_t *b = p;
	size_t i;

	for (i = 0; i < len; i++)
		b[i] = (uint8_t)rand_r(seed);
}

static void walk(struct ow_tables *t)
{
	uint32_t id, slot;
	int n = 0;

	for (id = ow_srv_next(t, 1); id != 0 && n++ < 70000;
	     id = ow_srv_next(t, id + 1))
		assert_true(id < OW_SRV_MAX);
	(void)ow_srv_alive(t, 3);
	(void)ow_svc_find(t, "A");
	(void)ow_svc_find(t, "no such service");
	ow_tables_lock(t);
	(void)ow_svc_name(t, "NEW");
	ow_tables_unlock(t);
	if (ow_clt_take(t, &slot) == 0)
		assert_true(slot < OW_CLT_MAX);
}

/* Everything but the lock, whose bytes belong to the C library. */
static void random_bytes_in_the_tables_crash_nobody(void **state)
{
	struct ow_tables *t = open_new("random");
	unsigned int seed = 3;
	size_t at = offsetof(struct ow_tables_head, srv_high);
	int i;

	assert_int_equal(ow_srv_take(t, 3, "x"), 0);
	for (i = 0; i < 20; i++) {
		scribble((char *)t->head + at, sizeof(*t->head) - at, &seed);
		scribble(t->svc, 64 * sizeof(t->svc[0]), &seed);
		scribble(t->srv, 64 * sizeof(t->srv[0]), &seed);
		scribble(t->clt, 64 * sizeof(t->clt[0]), &seed);
		scribble(t->adv[3], sizeof(t->adv[3]), &seed);
		walk(t);
	}
	ow_tables_close(t);
}

static void look_for_unknown(void *arg)
{
	struct ow_tables *t = arg;
	char name[16];
	int i;

	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "NO%d", i);
		if (ow_svc_find(t, name) != -1)
			_exit(1);
	}
	if (ow_srv_take(t, 60000, "x") != OW_TABLES_NOSPACE)
		_exit(2);
}

static void a_full_file_system_is_an_error_and_no_signal(void **state)
{
	char dir[256], path[300];
	struct ow_tables *t = NULL;
	char page[4096] = { 1 };
	int fd, r;

	snprintf(dir, sizeof(dir), "%s", scratch_path("small"));
	mkdir(dir, 0700);
	if (mount("small", dir, "tmpfs", 0, "size=1m") != 0) {
		print_message("needs root: no small tmpfs\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/t", dir);
	r = ow_tables_open(path, true, &t);
	snprintf(path, sizeof(path), "%s/fill", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	while (write(fd, page, sizeof(page)) > 0)
		;
	close(fd);
	if (r == 0)
		r = in_child(look_for_unknown, t);
	ow_tables_close(t);
	umount2(dir, MNT_DETACH);
	assert_int_equal(r, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_absent_domain_is_not_created_by_looking),
		cmocka_unit_test(
		    of_many_makers_at_once_all_get_the_same_segment),
		cmocka_unit_test(
		    a_segment_of_other_kind_is_foreign_and_left_alone),
		cmocka_unit_test(of_many_processes_one_gets_the_server_slot),
		cmocka_unit_test(a_dead_namesake_does_not_own_our_slot),
		cmocka_unit_test(used_server_slots_are_found_in_order),
		cmocka_unit_test(services_are_found_by_name),
		cmocka_unit_test(
		    servers_are_counted_anew_after_a_death_in_the_lock),
		cmocka_unit_test(client_slots_are_never_given_out_twice),
		cmocka_unit_test(a_slot_used_again_has_another_generation),
		cmocka_unit_test(dead_processes_and_zombies_have_no_start),
		cmocka_unit_test(a_forked_child_knows_its_own_start),
		cmocka_unit_test(a_process_lives_while_a_thread_does),
		cmocka_unit_test(who_cannot_look_takes_nobody_for_dead),
		cmocka_unit_test(random_bytes_in_the_tables_crash_nobody),
		cmocka_unit_test(
		    a_full_file_system_is_an_error_and_no_signal),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
