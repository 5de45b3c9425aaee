/* SPDX-License-Identifier: Apache-2.0 */
/* test_archive.c - a report that cannot be made leaves nothing */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "libndrx/blackbox/archive.h"

/* The number that the next descriptor gets. */
static int next_fd(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	close(fd);
	return fd;
}

static void without_a_second_descriptor_nothing_is_left(void **state)
{
	struct ow_bb_archive *a = NULL;
	struct rlimit before, few;
	int fd = next_fd(), r;
	char path[64];

	snprintf(path, sizeof(path), "/tmp/archive.%d", (int)getpid());
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = (rlim_t)fd + 1; /* one more */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	r = ow_bb_archive_make(path, &a);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(r, -EMFILE);
	assert_int_equal(next_fd(), fd);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(ow_bb_archive_make(path, &a), 0);
	assert_int_equal(ow_bb_archive_close(a), 0);
	/* a file that was there before stays */
	assert_int_equal(ow_bb_archive_make(path, &a), -EEXIST);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(next_fd(), fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_second_descriptor_nothing_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
