/* SPDX-License-Identifier: Apache-2.0 */
/* test_orders.c - facts about the threads that take orders for branches */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <fcntl.h>

#include "drivers/parking/address.h"
#include "drivers/parking/ask.h"
#include "drivers/parking/parking.h"

#define NAME "test_orders"

static sem_t begun, go;
static int ended;

/* 'w': as a slow database, until go. */
static int obey(struct parking *p, const char *order, size_t len)
{
	(void)len;
	if (order[0] == '?')
		return 7; /* the branch stays */
	if (order[0] == 'w') {
		sem_post(&begun);
		sem_wait(&go);
	}
	parking_end(p);
	free(p);
	__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
	return XA_OK;
}

static void late(struct parking *p)
{
	parking_end(p);
	free(p);
	__atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
}

static bool is_usable(void *db)
{
	(void)db;
	return true;
}

static int closed;

static void finish(void *db)
{
	(void)db;
	closed++;
}

static const struct parking_driver driver = {
	.name = NAME,
	.obey = obey,
	.late = late,
	.is_usable = is_usable,
	.close = finish,
};

#define SECOND UINT64_C(1000000000)

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

static XID branch(unsigned char n)
{
	XID x = { .formatID = 1, .gtrid_length = 8, .bqual_length = 4 };

	memset(x.data, n, 12);
	memcpy(x.data, &(int){ getpid() }, 4); /* other runs of this test */
	return x;
}

static void park_branch(const XID *x, uint64_t until_ns)
{
	struct parking *p = calloc(1, sizeof(*p));

	assert_int_equal(parking_listen(p, &driver, x), 0);
	assert_int_equal(parking_begin(p, NULL, until_ns), 0);
}

static int ask(const XID *x, const char *order)
{
	int result = -1;
	int r = parking_ask(NAME, x, order[0], order + 1, 3, &result);

	return r == PARKING_ANSWERED ? result : -1000 - r;
}

static void *ask_slowly(void *x)
{
	return (void *)(intptr_t)ask(x, "w");
}

/* Each has its own connection. */
static void a_slow_database_holds_up_no_other_branch(void **state)
{
	XID slow = branch(1), other = branch(2), third = branch(3);
	int was = __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
	pthread_t thread;
	void *answer;

	park_branch(&third, now_ns() + SECOND / 2);
	park_branch(&other, UINT64_MAX);
	park_branch(&slow, now_ns() + SECOND / 4);
	pthread_create(&thread, NULL, ask_slowly, &slow);
	sem_wait(&begun);
	assert_int_equal(ask(&other, "?"), 7);
	assert_int_equal(ask(&other, "c"), XA_OK);
	/* The time of both others is over. The slow one comes first. */
	while (__atomic_load_n(&ended, __ATOMIC_SEQ_CST) < was + 2)
		usleep(1000);
	sem_post(&go);
	pthread_join(thread, &answer);
	assert_int_equal((intptr_t)answer, XA_OK);
	assert_int_equal(ask(&slow, "c"), -1000 - PARKING_GONE);
}

static void a_branch_can_be_asked_again_and_again(void **state)
{
	XID x = branch(4);
	int i;

	park_branch(&x, UINT64_MAX);
	for (i = 0; i < 100; i++)
		assert_int_equal(ask(&x, "?"), 7);
	assert_int_equal(ask(&x, "c"), XA_OK);
}

/* The parent has no descriptor any more; the child asks. */
static void who_has_no_free_descriptor_takes_orders_all_the_same(void **state)
{
	struct rlimit was, none;
	struct rusage before, after;
	int pipes[2], status, fd;
	XID x = branch(5);
	pid_t child;
	char byte;

	park_branch(&x, UINT64_MAX);
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		(void)!read(pipes[0], &byte, 1);
		_exit(ask(&x, "?") == 7 && ask(&x, "c") == XA_OK ? 0 : 1);
	}
	getrlimit(RLIMIT_NOFILE, &was);
	fd = open("/dev/null", O_RDONLY);
	none = was;
	none.rlim_cur = (rlim_t)fd;
	close(fd);
	setrlimit(RLIMIT_NOFILE, &none);
	assert_int_equal(open("/dev/null", O_RDONLY), -1);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(write(pipes[1], "x", 1), 1);
	waitpid(child, &status, 0);
	getrusage(RUSAGE_SELF, &after);
	setrlimit(RLIMIT_NOFILE, &was);
	assert_int_equal(status, 0);
	/* Nor does it spin. */
	assert_true(after.ru_utime.tv_sec + after.ru_stime.tv_sec <=
		    before.ru_utime.tv_sec + before.ru_stime.tv_sec + 1);
	close(pipes[0]);
	close(pipes[1]);
}

static void connections_that_are_not_needed_are_few(void **state)
{
	char db[12];
	int i;

	closed = 0;
	for (i = 0; i < 12; i++)
		parking_give_spare(&driver, &db[i]);
	assert_int_equal(closed, 4);
	for (i = 7; i >= 0; i--)
		assert_ptr_equal(parking_take_spare(), &db[i]);
	assert_null(parking_take_spare());
}

/* Its address, and one connection that waits. */
static int connect_to(const XID *x)
{
	struct sockaddr_un a;
	socklen_t n = parking_address(NAME, x, &a);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);

	if (connect(fd, (struct sockaddr *)&a, n) == 0)
		return fd;
	close(fd);
	return -1;
}

/* One that is made past libc's handlers has the socket, too. */
static void a_child_does_not_take_the_place_of_a_branch_that_has_ended(
    void **state)
{
	XID x = branch(6);
	int status;
	pid_t child;

	park_branch(&x, UINT64_MAX);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		sleep(20);
		_exit(0);
	}
	assert_int_equal(ask(&x, "c"), XA_OK);
	assert_int_equal(ask(&x, "?"), -1000 - PARKING_GONE);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

/* A stopped process, to which one order after the other is given. */
static void who_takes_no_orders_holds_up_nobody_for_ever(void **state)
{
	int i, result, fds[64], n = 0;
	struct parking *p = calloc(1, sizeof(*p));
	uint64_t began;
	XID x = branch(7);

	assert_int_equal(parking_listen(p, &driver, &x), 0);
	while (n < 64 && (fds[n] = connect_to(&x)) >= 0)
		n++;
	assert_in_range(n, 1, 63);
	alarm(20);
	began = now_ns();
	assert_int_equal(parking_ask(NAME, &x, 'c', "", 1, &result),
			 PARKING_NOT_SENT);
	assert_true(now_ns() - began >= SECOND);
	alarm(0);
	for (i = 0; i < n; i++)
		close(fds[i]);
	parking_end(p);
	free(p);
}

static void another_user_gives_no_orders(void **state)
{
	XID x = branch(8);
	int status, fd;
	pid_t child;
	char byte;

	if (geteuid() != 0)
		skip();
	park_branch(&x, UINT64_MAX);
	child = fork();
	if (child == 0) {
		fd = setuid(65534) == 0 ? connect_to(&x) : -1;
		fcntl(fd, F_SETFL, 0);
		(void)!send(fd, "c", 1, MSG_NOSIGNAL); /* it may have gone */
		_exit(fd >= 0 && recv(fd, &byte, 1, 0) <= 0 ? 0 : 1);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(ask(&x, "c"), XA_OK);
}

/* As in a library that reads without a limit. */
static void who_reads_from_a_silent_server_is_cut_off(void **state)
{
	struct parking_limit limit;
	int fds[2], status;
	pid_t child;
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	parking_limit_begin(&limit, fds[0], 60);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	/* A child would hold the connection. */
	child = fork();
	if (child == 0)
		_exit(fcntl(limit.fd, F_GETFD) == -1 ? 0 : 1);
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_false(parking_limit_end(&limit));
	assert_int_equal(fcntl(limit.fd, F_GETFD), -1);

	parking_limit_begin(&limit, fds[0], 1);
	assert_int_equal(read(fds[0], &byte, 1), 0);
	assert_true(parking_limit_end(&limit));
	close(fds[0]);
	close(fds[1]);

	parking_limit_begin(&limit, -1, 0);
	assert_false(parking_limit_end(&limit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_can_be_asked_again_and_again),
		cmocka_unit_test(
		    who_has_no_free_descriptor_takes_orders_all_the_same),
		cmocka_unit_test(a_slow_database_holds_up_no_other_branch),
		cmocka_unit_test(connections_that_are_not_needed_are_few),
		cmocka_unit_test(
		    a_child_does_not_take_the_place_of_a_branch_that_has_ended),
		cmocka_unit_test(who_takes_no_orders_holds_up_nobody_for_ever),
		cmocka_unit_test(another_user_gives_no_orders),
		cmocka_unit_test(who_reads_from_a_silent_server_is_cut_off),
	};

	sem_init(&begun, 0, 0);
	sem_init(&go, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
