/* SPDX-License-Identifier: Apache-2.0 */
/* test_socket.c - the control socket has one living listener */
#include "tests/unit/libatmi/domain_fixture.h"

#include <sys/socket.h>
#include <unistd.h>

static void connecting_without_a_listener_fails(void **state)
{
	int fd = ow_domain_connect(dom);

	assert_true(fd == -ENOENT || fd == -ECONNREFUSED);
}

static void a_second_listener_is_refused(void **state)
{
	int in = -1, out;

	/* The child of the previous test may still hold the lock. */
	WAIT_FOR((in = ow_domain_listen(dom)) >= 0);
	out = ow_domain_connect(dom);
	assert_true(out >= 0);
	close(out);
	assert_int_equal(ow_domain_listen(dom), -EADDRINUSE);
	close(in);
}

/* What a killed ndrxd leaves: its child, between vfork() and execve(), still
 * has the listening socket. */
static int leave_the_socket_to_a_child(int until)
{
	char c;

	if (ow_domain_listen(dom) < 0)
		return 1;
	if (test_fork() == 0) {
		prctl(PR_SET_PDEATHSIG, 0);
		_exit(read(until, &c, 1) != 0);
	}
	return 0;
}

static void a_socket_left_by_a_dead_listener_refuses(void **state)
{
	int end[2], status, fd;
	pid_t pid;

	assert_int_equal(pipe(end), 0);
	pid = test_fork();
	if (pid == 0) {
		close(end[1]);
		_exit(leave_the_socket_to_a_child(end[0]));
	}
	close(end[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	fd = ow_domain_connect(dom);
	assert_int_equal(fd, -ECONNREFUSED);
	close(end[1]); /* the child ends */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connecting_without_a_listener_fails),
		cmocka_unit_test(a_socket_left_by_a_dead_listener_refuses),
		cmocka_unit_test(a_second_listener_is_refused),
	};

	dom_make();
	snprintf(dom->run_dir, sizeof(dom->run_dir), "%s/run", scratch_dir);
	snprintf(dom->sock, sizeof(dom->sock), "%s/run/ndrxd.sock",
		 scratch_dir);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
