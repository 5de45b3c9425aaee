/* SPDX-License-Identifier: Apache-2.0 */
/* test_tables.c - the shared tables: slots, services, damage */
#include "tests/unit/libatmi/domain_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "libatmi/base/atomics.h"

#define CHILDREN 8

static struct ow_tables *open_new(const char *name)
{
	struct ow_tables *t = NULL;

	assert_int_equal(ow_tables_open(scratch_path(name), true, &t), 0);
	return t;
}

/* ---- what was done ---- */

static void do_some(void *arg)
{
	struct ow_tables *t = NULL;
	uint32_t slot;
	int i;

	if (ow_tables_open(arg, true, &t) != 0 || ow_clt_take(t, &slot) != 0)
		_exit(1);
	for (i = 0; i < 3; i++)
		ow_count_own(&t->did[slot].n[OW_DONE_REQUEST], 1);
	kill(getpid(), SIGKILL);
}

/* Its slot is cleared, and taken by another. */
static void what_a_killed_process_has_done_stays_counted(void **state)
{
	struct ow_tables *t = open_new("done");
	uint32_t slot = 1, i;
	char path[256];
	pid_t pid;
	int st;

	snprintf(path, sizeof(path), "%s", scratch_path("done"));
	for (i = 1; i <= 3; i++) {
		pid = test_fork();
		if (pid == 0)
			do_some(path);
		waitpid(pid, &st, 0);
		assert_true(WIFSIGNALED(st));
		assert_int_equal(ow_done_sum(t, OW_DONE_REQUEST), 4 * i - 1);
		ow_clt_clear(t, 0);
		assert_int_equal(ow_clt_take(t, &slot), 0);
		assert_int_equal(slot, 0);
		ow_count_own(&t->did[slot].n[OW_DONE_REQUEST], 1);
		ow_clt_clear(t, slot);
		assert_int_equal(ow_done_sum(t, OW_DONE_REQUEST), 4 * i);
	}
	atomic_fetch_add(&t->head->done[5].n[OW_DONE_REQUEST], 1);
	assert_int_equal(ow_done_sum(t, OW_DONE_REQUEST), 13);
	assert_int_equal(ow_done_sum(t, OW_DONE_POST), 0);
	ow_tables_close(t);
}

/* ---- the segment ---- */

static void opening_without_create_makes_no_segment(void **state)
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

static void concurrent_makers_get_the_same_segment(void **state)
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

static void a_foreign_segment_is_refused_and_not_changed(void **state)
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
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(ow_tables_open(path, true, &t), OW_TABLES_FOREIGN);
	unlink(path);
	assert_int_equal(symlink("elsewhere", path), 0);
	assert_int_equal(ow_tables_open(path, true, &t), -EPERM);
}

/* ---- PID namespaces ---- */

static void tables_of_another_namespace_are_refused_while_they_are_open(
    void **state)
{
	struct ow_tables *old = open_new("apart"), *t = NULL;
	char path[256];
	uint64_t ours = atomic_load(&old->head->pid_namespace);

	snprintf(path, sizeof(path), "%s", scratch_path("apart"));
	assert_int_equal(ours, ow_proc_namespace());
	assert_int_not_equal(ours, 0);
	atomic_store(&old->head->pid_namespace, ours + 1);
	assert_int_equal(ow_tables_open(path, true, &t), OW_TABLES_APART);
	assert_int_equal(ow_tables_open(path, false, &t), OW_TABLES_APART);
	assert_null(t);
	assert_int_equal(atomic_load(&old->head->pid_namespace), ours + 1);
	ow_tables_close(old);
	assert_int_equal(ow_tables_open(path, false, &t), 0);
	assert_int_equal(atomic_load(&t->head->pid_namespace), ours);
	ow_tables_close(t);
	unlink(path);
}

/* A program may have closed all its descriptors. */
static void a_mapping_alone_keeps_the_tables_from_another_namespace(
    void **state)
{
	struct ow_tables *t = open_new("mapped");
	char path[256];
	size_t len = 4096;
	void *p;

	snprintf(path, sizeof(path), "%s", scratch_path("mapped"));
	atomic_fetch_add(&t->head->pid_namespace, 1);
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd, 0);
	assert_true(p != MAP_FAILED);
	ow_tables_close(t);
	t = NULL;
	assert_int_equal(ow_tables_open(path, true, &t), OW_TABLES_APART);
	munmap(p, len);
	assert_int_equal(ow_tables_open(path, true, &t), 0);
	ow_tables_close(t);
	unlink(path);
}

/* Each keeps the others off for a moment, and no signal ends one. */
static void of_many_processes_of_a_new_namespace_all_come_in(void **state)
{
	struct ow_tables *t = open_new("crowd");
	char path[256];
	pid_t pid[CHILDREN];
	int i, st;

	snprintf(path, sizeof(path), "%s", scratch_path("crowd"));
	atomic_fetch_add(&t->head->pid_namespace, 1);
	ow_tables_close(t);
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
	t = open_new("crowd");
	assert_int_equal(t->head->garbage, CHILDREN);
	ow_tables_close(t);
	unlink(path);
}

/* ---- servers ---- */

static void one_of_many_processes_gets_the_server_slot(void **state)
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
			r = read(go[0], &c, 1); /* until all children run */
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

static void the_slot_of_a_dead_process_with_our_pid_is_taken(void **state)
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

/* One server advertises and withdraws one name after the other. */
static void names_without_servers_make_room_for_new_ones(void **state)
{
	struct ow_tables *t = open_new("names");
	int i, at, kept, remote, old;
	uint32_t gen;
	char name[32];

	assert_int_equal(ow_tables_lock(t), 0);
	kept = ow_svc_name(t, "KEPT");
	atomic_store(&t->svc[kept].nsrv, 1);
	/* Requests that name it by its slot may wait somewhere. */
	remote = ow_svc_name(t, "ABROAD");
	ow_svc_set_mark(t, (uint32_t)remote, OW_SVC_REMOTE, true);
	ow_svc_set_mark(t, (uint32_t)remote, OW_SVC_REMOTE, false);
	assert_int_equal(atomic_load(&t->svc[remote].nsrv), 0);
	old = ow_svc_name(t, "N0");
	gen = atomic_load(&t->svc[old].gen);
	for (i = 0; i < 200000; i++) {
		snprintf(name, sizeof(name), "N%d", i);
		at = ow_svc_name(t, name);
		assert_true(at >= 0 && at != kept && at != remote);
		assert_true(ow_svc_is(&t->svc[at], name));
		atomic_fetch_add(&t->svc[at].gen, 1);
		atomic_fetch_add(&t->svc[at].nsrv, 1);
		if (i % 1000 == 999)
			assert_int_equal(ow_svc_find(t, name), at);
		atomic_fetch_sub(&t->svc[at].nsrv, 1);
		atomic_fetch_add(&t->svc[at].gen, 1);
	}
	ow_tables_unlock(t);
	assert_int_equal(ow_svc_find(t, "KEPT"), kept);
	assert_int_equal(ow_svc_find(t, "ABROAD"), remote);
	assert_int_equal(ow_svc_find(t, name), at);
	/* A context that remembers the slot notices. */
	assert_true(ow_svc_is(&t->svc[old], "N0") ||
		    atomic_load(&t->svc[old].gen) != gen + 2);
	ow_tables_close(t);
}

static void services_are_found_by_name(void **state)
{
	struct ow_tables *t = open_new("svc");
	char name[32];
	int i;

	assert_int_equal(ow_svc_find(t, "A"), -1);
	assert_int_equal(ow_tables_lock(t), 0);
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

/* ---- clients ---- */

static void take_many(struct ow_tables *t, int out)
{
	uint32_t slot = 0;
	int i;

	for (i = 0; i < 100; i++) {
		if (ow_clt_take(t, &slot) != 0)
			_exit(1);
		if (i % 3 == 0) {
			ow_clt_clear(t, slot);
		} else if (write(out, &slot, sizeof(slot)) != sizeof(slot)) {
			_exit(1);
		}
	}
	_exit(0);
}

static void concurrent_processes_get_different_client_slots(void **state)
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

static void a_reused_client_slot_has_a_new_generation(void **state)
{
	struct ow_tables *t = open_new("gen");
	uint32_t a = 0, b = 0, gen;

	assert_int_equal(ow_clt_take(t, &a), 0);
	gen = t->clt[a].gen;
	assert_int_equal(gen & 1, 1);
	ow_clt_clear(t, a);
	assert_int_equal(t->clt[a].gen & 1, 0);
	ow_clt_clear(t, a); /* clearing twice does not change it */
	assert_int_equal(t->clt[a].gen, gen + 1);
	assert_int_equal(ow_clt_take(t, &b), 0);
	assert_int_equal(a, b);
	assert_int_equal(t->clt[b].gen, gen + 2);
	ow_tables_close(t);
}

/* A slot that is freed while another process looks for one is not forgotten. */
static void freed_slots_are_taken_again(void **state)
{
	struct ow_tables *t = open_new("again");
	uint32_t slot[100], seen, at = 0, i;

	for (i = 0; i < 100; i++)
		assert_int_equal(ow_clt_take(t, &slot[i]), 0);
	seen = atomic_load(&t->head->clt_hint);
	ow_clt_clear(t, slot[40]);
	ow_hint_raise(&t->head->clt_hint, seen, slot[99] + 1); /* too late */
	assert_int_equal(ow_clt_take(t, &at), 0);
	assert_int_equal(at, slot[40]);
	for (i = 100; i-- > 0;)
		ow_clt_clear(t, slot[i]);
	assert_int_equal(ow_clt_take(t, &at), 0);
	assert_int_equal(at, slot[0]);
	assert_true(atomic_load(&t->head->clt_high) <= 101);
	ow_tables_close(t);
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
	assert_int_equal(ow_tables_lock(t), 0);
	(void)ow_svc_name(t, "NEW");
	ow_tables_unlock(t);
	if (ow_clt_take(t, &slot) == 0)
		assert_true(slot < OW_CLT_MAX);
}

/* All but the lock is overwritten; its bytes belong to the C library. */
static void random_bytes_in_the_tables_crash_no_process(void **state)
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
		scribble(ow_tables_adv(t, 3), OW_ADV_MAX * sizeof(struct ow_adv),
			 &seed);
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

static void a_full_file_system_is_an_error_not_a_signal(void **state)
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

static void a_thread_takes_a_slot_at_the_end_of_the_table(void **state)
{
	struct ow_tables *t = open_new("threads");
	uint32_t a = 0, b = 0;

	assert_int_equal(ow_srv_take(t, 7, "x"), 0);
	assert_int_equal(ow_srv_know(t, OW_SRV_MAX - 1), 0);
	atomic_store(&t->srv[OW_SRV_MAX - 1].ctl_changed, 1); /* ndrxd's */
	assert_int_equal(ow_srv_take_thread(t, 7, 2, "x", &a), 0);
	assert_int_equal(ow_srv_take_thread(t, 7, 3, "x", &b), 0);
	assert_int_equal(a, OW_SRV_MAX - 2);
	assert_int_equal(b, OW_SRV_MAX - 3);
	assert_int_equal(t->srv[b].of, 7);
	assert_int_equal(t->srv[b].thread, 3);
	assert_true(ow_srv_alive(t, a));
	assert_false(ow_srv_is_thread(t, 7));
	assert_true(ow_srv_is_thread(t, a));
	assert_int_equal(ow_tables_lock(t), 0);
	ow_srv_clear(t, a);
	ow_tables_unlock(t);
	assert_false(ow_srv_is_thread(t, a));
	assert_string_equal(t->srv[a].bin, "");
	assert_int_equal(ow_srv_take_thread(t, 7, 2, "x", &b), 0);
	assert_int_equal(b, a);
	ow_tables_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_killed_process_has_done_stays_counted),
		cmocka_unit_test(opening_without_create_makes_no_segment),
		cmocka_unit_test(concurrent_makers_get_the_same_segment),
		cmocka_unit_test(a_foreign_segment_is_refused_and_not_changed),
		cmocka_unit_test(
		    tables_of_another_namespace_are_refused_while_they_are_open),
		cmocka_unit_test(
		    a_mapping_alone_keeps_the_tables_from_another_namespace),
		cmocka_unit_test(
		    of_many_processes_of_a_new_namespace_all_come_in),
		cmocka_unit_test(one_of_many_processes_gets_the_server_slot),
		cmocka_unit_test(
		    the_slot_of_a_dead_process_with_our_pid_is_taken),
		cmocka_unit_test(used_server_slots_are_found_in_order),
		cmocka_unit_test(a_thread_takes_a_slot_at_the_end_of_the_table),
		cmocka_unit_test(services_are_found_by_name),
		cmocka_unit_test(names_without_servers_make_room_for_new_ones),
		cmocka_unit_test(freed_slots_are_taken_again),
		cmocka_unit_test(
		    concurrent_processes_get_different_client_slots),
		cmocka_unit_test(a_reused_client_slot_has_a_new_generation),
		cmocka_unit_test(random_bytes_in_the_tables_crash_no_process),
		cmocka_unit_test(a_full_file_system_is_an_error_not_a_signal),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
