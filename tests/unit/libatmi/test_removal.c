/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_removal.c - the removal of a domain may be cut off anywhere
 *
 * The sources are compiled with fault points (libatmi/base/fault.h). This
 * process never joins a domain: each child makes one, removes one, or starts
 * over what is left of one.
 */
#include "tests/unit/libatmi/domain_fixture.h"

#include <dirent.h>
#include <sched.h>

#include "libatmi/base/fault.h"

#define POINTS_MAX 200

static long left; /* fault points until something happens; 0: none */
static int fault_signal; /* raised there; 0: the process hangs until SIGUSR1 */
static int hanging[2];	 /* pipe: written to when the process hangs */

static void go_on(int sig)
{
	(void)sig;
}

static void hang(void)
{
	signal(SIGUSR1, go_on);
	if (write(hanging[1], "h", 1) != 1)
		_exit(20);
	pause();
}

void ow_fault_hit(const char *name)
{
	(void)name;
	if (left == 0 || --left > 0)
		return;
	if (fault_signal != 0)
		raise(fault_signal);
	else
		hang();
}

static struct ow_domain *join(void)
{
	struct ow_domain *d = NULL;
	char why[512];

	if (ow_domain_join(true, &d, why, sizeof(why)) != 0)
		_exit(2);
	return d;
}

/* A domain with a service queue and a block. */
static struct ow_domain *make(const char *svc)
{
	struct ow_queue_shape shape = { 2, 512 };
	struct ow_domain *d = join();
	struct ow_queue *q = NULL;
	uint64_t ref;
	void *data;

	if (ow_tables_lock(d->tables) != 0 ||
	    ow_svc_name(d->tables, svc) < 0 ||
	    ow_queue_create(d, ow_service_queue(svc), &shape, &q) != 0 ||
	    ow_block_alloc(d->blocks, 100, 0, &ref, &data) != 0)
		_exit(3);
	ow_tables_unlock(d->tables);
	return d;
}

static bool has_queue(struct ow_domain *d, const char *svc)
{
	uint32_t depth;

	return ow_queue_peek(d, ow_service_queue(svc), &depth) !=
	       OW_QUEUE_GONE;
}

static void remove_at(void *point)
{
	struct ow_domain *d = make("OLD");

	left = *(long *)point;
	ow_reap_domain(d);
}

/* A start over what is left: a new domain, without anything of the old one. */
static void start_anew(void *unused)
{
	uint64_t t0 = ow_clock_mono_ns();
	struct ow_domain *d;

	d = join();
	if (ow_domain_is_gone(d))
		_exit(4);
	if (has_queue(d, "OLD"))
		_exit(5);
	if (ow_clock_mono_ns() - t0 > 2 * OW_NS_PER_SEC)
		_exit(6);
	ow_reap_domain(d);
}

static int files_left(void)
{
	DIR *dir = opendir(scratch_dir);
	struct dirent *e;
	int n = 0;

	assert_non_null(dir);
	while ((e = readdir(dir)) != NULL)
		n += strncmp(e->d_name, "owr", 3) == 0;
	closedir(dir);
	return n;
}

static void a_start_completes_a_removal_killed_at_any_point(void **state)
{
	long n;
	int st;

	fault_signal = SIGKILL;
	for (n = 1; n < POINTS_MAX; n++) {
		st = in_child(remove_at, &n);
		if (st == 0)
			break;
		assert_int_equal(st, 128 + SIGKILL);
		assert_int_equal(in_child(start_anew, &n), 0);
		assert_int_equal(files_left(), 0);
	}
	print_message("%ld points\n", n - 1);
	assert_in_range(n, 4, POINTS_MAX - 1);
	assert_int_equal(files_left(), 0);
}

/* Make a domain, let the old remover go on, look at the domain. */
static void make_and_look(void *remover)
{
	struct ow_domain *d = make("NEW");
	char path[160];

	kill(*(pid_t *)remover, SIGUSR1);
	while (ow_proc_exists(*(pid_t *)remover))
		sched_yield();
	ow_domain_shm_path(d, "blocks", path, sizeof(path));
	if (ow_domain_is_gone(d) || !has_queue(d, "NEW") ||
	    access(path, F_OK) != 0)
		_exit(7);
	ow_reap_domain(d);
}

static void remove_whole(void *unused)
{
	struct ow_domain d;
	char why[512], path[160];

	if (ow_domain_read_env(&d, why, sizeof(why)) != 0)
		_exit(9);
	ow_domain_shm_path(&d, "tables", path, sizeof(path));
	if (ow_tables_open(path, false, &d.tables) != 0)
		_exit(10);
	ow_domain_learn(&d);
	ow_reap_domain(&d);
}

static void expect_busy(void *unused)
{
	struct ow_domain *d = NULL;
	char why[512];

	_exit(ow_domain_join(true, &d, why, sizeof(why)) == -EBUSY &&
	      strstr(why, "being removed") != NULL ? 0 : 1);
}

static pid_t start_removal(long *point)
{
	pid_t pid = test_fork();

	if (pid == 0) {
		remove_at(point);
		_exit(0);
	}
	return pid;
}

/* A remover that hangs is waited for, then taken over; when it goes on it sees
 * that it is no longer the remover. */
static void a_hung_remover_removes_nothing_of_the_next_domain(void **state)
{
	long point = 2; /* it has become the remover */
	pid_t remover;
	char c;
	int st;

	fault_signal = 0;
	assert_int_equal(pipe(hanging), 0);
	remover = start_removal(&point);
	assert_int_equal(read(hanging[0], &c, 1), 1);
	assert_int_equal(in_child(expect_busy, NULL), 0);
	assert_int_equal(in_child(remove_whole, NULL), 0);
	assert_int_equal(files_left(), 0);
	assert_int_equal(in_child(make_and_look, &remover), 0);
	assert_int_equal(waitpid(remover, &st, 0), remover);
	assert_int_equal(st, 0);
	assert_int_equal(files_left(), 0);
}

static void a_start_continues_a_stopped_remover(void **state)
{
	long point = 3;
	pid_t remover;
	int st;

	fault_signal = SIGSTOP;
	remover = start_removal(&point);
	assert_int_equal(waitpid(remover, &st, WUNTRACED), remover);
	assert_true(WIFSTOPPED(st));
	assert_int_equal(in_child(start_anew, &point), 0);
	assert_int_equal(waitpid(remover, &st, 0), remover);
	assert_int_equal(st, 0);
	assert_int_equal(files_left(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_start_completes_a_removal_killed_at_any_point),
		cmocka_unit_test(a_start_continues_a_stopped_remover),
		cmocka_unit_test(
		    a_hung_remover_removes_nothing_of_the_next_domain),
	};
	char prefix[40];

	scratch_make();
	snprintf(prefix, sizeof(prefix), "/owr%x%llx", (unsigned int)getpid(),
		 (unsigned long long)ow_clock_real_ns() & 0xffffff);
	setenv("NDRX_QPREFIX", prefix, 1);
	setenv("NDRX_SHMPATH", scratch_dir, 1);
	unsetenv("NDRX_APPHOME");
	unsetenv("NDRX_DPID");
	unsetenv("NDRX_WAKE");
	setenv("NDRX_DEBUG_STR", "ndrx=0 ubf=0 tp=0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
