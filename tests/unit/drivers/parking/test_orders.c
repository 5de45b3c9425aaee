/* SPDX-License-Identifier: Apache-2.0 */
/* test_orders.c - facts about the threads that take orders for branches */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <fcntl.h>

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

static void finish(void *db)
{
	(void)db;
}

static const struct parking_driver driver = {
	.name = NAME,
	.obey = obey,
	.late = late,
	.is_usable = is_usable,
	.close = finish,
};

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
	pthread_t thread;
	void *answer;

	park_branch(&slow, UINT64_MAX);
	park_branch(&other, UINT64_MAX);
	park_branch(&third, 1); /* its time is over */
	pthread_create(&thread, NULL, ask_slowly, &slow);
	sem_wait(&begun);
	assert_int_equal(ask(&other, "?"), 7);
	assert_int_equal(ask(&other, "c"), XA_OK);
	while (__atomic_load_n(&ended, __ATOMIC_SEQ_CST) < 2)
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
		cmocka_unit_test(who_reads_from_a_silent_server_is_cut_off),
	};

	sem_init(&begun, 0, 0);
	sem_init(&go, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
