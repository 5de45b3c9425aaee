/* SPDX-License-Identifier: Apache-2.0 */
/* test_waitset_shm.c - descriptors of the program in a server on shm */
#include "tests/unit/libatmi/domain_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define SRVID 3

static int open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(d);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

/* Allow this process to open `more` descriptors. */
static void leave_descriptors(int more)
{
	int next = dup(0);
	struct rlimit rl;

	close(next);
	getrlimit(RLIMIT_NOFILE, &rl);
	rl.rlim_cur = (rlim_t)(next + more);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &rl), 0);
}

static void allow_all(void)
{
	struct rlimit rl;

	getrlimit(RLIMIT_NOFILE, &rl);
	rl.rlim_cur = rl.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &rl), 0);
}

/* Write to `from`: the wait set reports the descriptor with tag 7. */
static void assert_reported(struct ow_waitset *w, int from, int to)
{
	uint32_t tag = 0, events = 0;
	char c;

	assert_int_equal(write(from, "x", 1), 1);
	assert_int_equal(ow_waitset_wait(w, true, &tag, &events), 0);
	assert_int_equal(tag, 7);
	assert_int_equal(read(to, &c, 1), 1);
}

static void a_watcher_that_could_not_start_leaves_nothing(void **state)
{
	struct ow_waitset *w = NULL;
	int fd[2], more, before, r = -1;

	assert_int_equal(ow_waitset_open(dom, SRVID, &w), 0);
	assert_int_equal(pipe2(fd, O_CLOEXEC | O_NONBLOCK), 0);
	before = open_descriptors();
	for (more = 0; more < 2; more++) {
		leave_descriptors(more);
		r = ow_waitset_add_fd(w, fd[0], 0, 7, OW_FD_WATCHED);
		allow_all();
		assert_int_equal(r, -EMFILE);
		assert_int_equal(open_descriptors(), before);
	}
	assert_int_equal(ow_waitset_add_fd(w, fd[0], 0, 7, OW_FD_WATCHED), 0);
	assert_reported(w, fd[1], fd[0]);
	assert_reported(w, fd[1], fd[0]);
	ow_waitset_close(w);
	assert_int_equal(open_descriptors(), before - 1);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_watcher_that_could_not_start_leaves_nothing),
	};

	setenv("NDRX_TRANSPORT", "shm", 1);
	dom_make();
	assert_int_equal(ow_srv_take(dom->tables, SRVID, "t"), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
