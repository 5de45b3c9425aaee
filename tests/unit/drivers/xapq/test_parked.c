/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_parked.c - facts about open branches that take orders
 */
#include "drivers/xapq/parked.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "drivers/parking/open.h"
#include "fake_pg.h"

static struct fake f;
static XID x;

static int ask(const XID *branch, enum parking_order order, const char *row)
{
	return parking_ask_open(&park_driver, branch, order, row);
}

static int begin(void **state)
{
	(void)state;
	fake_open(&f, db_connect);
	x = (XID){ .formatID = 1, .gtrid_length = 16, .bqual_length = 8 };
	snprintf(x.data, sizeof(x.data), "%d", (int)getpid());
	return 0;
}

static void end_server(void)
{
	close(f.fd);
}

static void park_it(void)
{
	assert_int_equal(park(&x, f.db, UINT64_MAX, false), 0);
}

static void is_gone(void)
{
	assert_int_equal(ask(&x, PARKING_COMMIT, ""), XAER_NOTA);
	assert_int_equal(ask(&x, PARKING_ROLLBACK, ""), XAER_NOTA);
}

static void nobody_has_a_branch_that_is_not_parked(void **state)
{
	(void)state;
	is_gone();
	db_close(f.db);
	end_server();
}

static void a_commit_is_its_row_and_one_order(void **state)
{
	(void)state;
	f.len = fake_done(f.text, "COMMIT");
	fake_answer(&f);
	park_it();
	assert_int_equal(ask(&x, PARKING_COMMIT, "INSERT 1"), XA_OK);
	fake_answered(&f);
	assert_non_null(strstr(f.query, "INSERT 1; COMMIT"));
	is_gone();
	/* Its connection can be used again. */
	assert_ptr_equal(park_take_spare(), f.db);
	db_close(f.db);
	end_server();
}

/* A database that does not sync the commit would lose the decision; whatever the
 * program has set in its session. */
static void the_decision_is_synced(void **state)
{
	(void)state;
	f.len = fake_done(f.text, "COMMIT");
	fake_answer(&f);
	park_it();
	assert_int_equal(ask(&x, PARKING_COMMIT, "INSERT 1"), XA_OK);
	fake_answered(&f);
	assert_non_null(strstr(f.query, "set_config('synchronous_commit'"));
	db_close(park_take_spare());
	end_server();
	/* Unless the open string allows it. */
	begin(state);
	f.len = fake_done(f.text, "COMMIT");
	fake_answer(&f);
	assert_int_equal(park(&x, f.db, UINT64_MAX, true), 0);
	assert_int_equal(ask(&x, PARKING_COMMIT, "INSERT 1"), XA_OK);
	fake_answered(&f);
	assert_null(strstr(f.query, "set_config("));
	assert_non_null(strstr(f.query, "; SET LOCAL lock_timeout = '10s'; "
					"INSERT 1; COMMIT"));
	db_close(park_take_spare());
	end_server();
}

/* ---- what an answer means ---- */

static void check_answer(const char *severity, const char *sqlstate, int xa)
{
	f.ends = true;
	f.len = fake_report(f.text, 'E', severity, sqlstate);
	f.len += fake_message(f.text + f.len, 'Z', "E", 1);
	fake_answer(&f);
	park_it();
	assert_int_equal(ask(&x, PARKING_COMMIT, "INSERT 1"), xa);
	fake_answered(&f);
	assert_null(park_take_spare());
	end_server();
	begin(NULL);
}

static void what_errors_mean(void **state)
{
	(void)state;
	check_answer("ERROR", "23505", XA_RBROLLBACK);
	check_answer("ERROR", "40001", XA_RBROLLBACK);
	check_answer("ERROR", "40003", XAER_RMFAIL);
	check_answer("FATAL", "57P01", XAER_RMFAIL);
	check_answer("FATAL", "25P04", XAER_RMFAIL);
	/* Its commit may be on disk. */
	check_answer("PANIC", "58030", XAER_RMFAIL);
	nobody_has_a_branch_that_is_not_parked(NULL);
}

/* Nothing was sent, and the branch has ended with its connection. */
static void a_branch_whose_server_has_gone_is_rolled_back(void **state)
{
	(void)state;
	park_it();
	shutdown(f.fd, SHUT_RDWR);
	assert_int_equal(ask(&x, PARKING_COMMIT, ""), XA_RBROLLBACK);
	assert_null(park_take_spare());
	is_gone();
	end_server();
}

/* Nobody else knows how it has ended. */
static void a_commit_without_a_row_is_waited_for(void **state)
{
	(void)state;
	f.len = fake_done(f.text, "COMMIT");
	f.pause_ms = 3200; /* with a row the database is asked after three */
	fake_answer(&f);
	park_it();
	assert_int_equal(ask(&x, PARKING_COMMIT, ""), XA_OK);
	fake_answered(&f);
	db_close(park_take_spare());
	end_server();
}

static void who_gets_no_order_in_time_rolls_back(void **state)
{
	(void)state;
	f.len = fake_done(f.text, "ROLLBACK");
	fake_answer(&f);
	assert_int_equal(park(&x, f.db, 1, false), 0);
	fake_answered(&f);
	assert_string_equal(f.query, "ROLLBACK");
	while (ask(&x, PARKING_ROLLBACK, "") != XAER_NOTA)
		;
	end_server();
	/* Its connection is lost meanwhile: it is not used again. */
	assert_null(park_take_spare());
}

static int threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	int n = 0;

	assert_non_null(tasks);
	while (readdir(tasks) != NULL)
		n++;
	closedir(tasks);
	return n;
}

/* Of three the oldest ends first, then the last; one thread sees to all. */
static void branches_end_in_any_order(void **state)
{
	struct fake fakes[3];
	XID xids[3];
	int i, n;

	(void)state;
	db_close(f.db);
	end_server();
	for (i = 0; i < 3; i++) {
		fake_open(&fakes[i], db_connect);
		fakes[i].len = fake_done(fakes[i].text, "ROLLBACK");
		xids[i] = x;
		xids[i].data[20] = (char)i;
	}
	n = threads();
	for (i = 0; i < 3; i++)
		assert_int_equal(park(&xids[i], fakes[i].db, UINT64_MAX, false),
				 0);
	assert_in_range(threads(), n, n + 1);
	for (i = 0; i < 6; i++) {
		n = i / 2 * 2 % 3; /* 0 0 2 2 1 1 */
		if (i % 2 == 0)
			fake_answer(&fakes[n]);
		assert_int_equal(ask(&xids[n], PARKING_ROLLBACK, ""),
				 i % 2 == 0 ? XA_OK : XAER_NOTA);
		if (i % 2 == 0)
			fake_answered(&fakes[n]);
	}
	for (i = 0; i < 3; i++) {
		db_close(park_take_spare());
		close(fakes[i].fd);
	}
}

static void some_connections_are_kept(void **state)
{
	struct fake fakes[9];
	char some[8];
	int i;

	(void)state;
	db_close(f.db);
	end_server();
	for (i = 0; i < 9; i++) {
		fake_open(&fakes[i], db_connect);
		fakes[i].len = fake_done(fakes[i].text, "ROLLBACK");
		fake_answer(&fakes[i]);
		assert_int_equal(park(&x, fakes[i].db, UINT64_MAX, false), 0);
		assert_int_equal(ask(&x, PARKING_ROLLBACK, ""), XA_OK);
		fake_answered(&fakes[i]);
	}
	/* The last one was closed: it has said so, and ended. */
	assert_int_equal(recv(fakes[8].fd, some, sizeof(some), 0), 5);
	assert_int_equal(some[0], 'X');
	assert_int_equal(recv(fakes[8].fd, some, sizeof(some), 0), 0);
	for (i = 0; i < 8; i++)
		db_close(park_take_spare());
	assert_null(park_take_spare());
	for (i = 0; i < 9; i++)
		close(fakes[i].fd);
}

/* ---- other processes ---- */

/* As long as its parent lives, and is not done with it. */
static void live(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

/* A child of a kind that runs no handlers. */
static pid_t raw_child(void)
{
	pid_t pid = (pid_t)syscall(SYS_fork);

	if (pid == 0)
		live();
	assert_true(pid > 0);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_child_that_holds_the_address_takes_no_orders(void **state)
{
	pid_t pid;

	(void)state;
	f.len = fake_done(f.text, "ROLLBACK");
	fake_answer(&f);
	park_it();
	pid = raw_child();
	assert_int_equal(ask(&x, PARKING_ROLLBACK, ""), XA_OK);
	fake_answered(&f);
	is_gone();
	end_child(pid);
	db_close(park_take_spare());
	end_server();
}

/* Or the database keeps what the process has left, as long as the child lives. */
static void a_child_does_not_hold_the_connection(void **state)
{
	char some[8];
	pid_t pid;

	(void)state;
	f.len = fake_done(f.text, "ROLLBACK");
	fake_answer(&f);
	park_it();
	pid = fork();
	if (pid == 0)
		live();
	assert_int_equal(ask(&x, PARKING_ROLLBACK, ""), XA_OK);
	fake_answered(&f);
	close(PQsocket(park_take_spare())); /* as if the process had ended */
	assert_int_equal(recv(f.fd, some, sizeof(some), 0), 0);
	end_child(pid);
	end_server();
}

static void what_cannot_be_sent_is_not_gone(void **state)
{
	int fds[1024], n = 0;
	char *much = calloc(1, PARKING_MOST + 1);

	(void)state;
	f.len = fake_done(f.text, "ROLLBACK");
	fake_answer(&f);
	park_it();
	memset(much, 'x', PARKING_MOST);
	assert_int_equal(ask(&x, PARKING_COMMIT, much), XA_RETRY);
	free(much);
	while (n < 1024 && (fds[n] = dup(0)) >= 0)
		n++;
	assert_true(n < 1024);
	assert_int_equal(ask(&x, PARKING_COMMIT, ""), XA_RETRY);
	assert_int_equal(ask(&x, PARKING_ROLLBACK, ""), XA_RETRY);
	while (n-- > 0)
		close(fds[n]);
	assert_int_equal(ask(&x, PARKING_ROLLBACK, ""), XA_OK);
	fake_answered(&f);
	db_close(park_take_spare());
	end_server();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nobody_has_a_branch_that_is_not_parked,
				       begin),
		cmocka_unit_test_setup(a_commit_is_its_row_and_one_order,
				       begin),
		cmocka_unit_test_setup(the_decision_is_synced, begin),
		cmocka_unit_test_setup(what_errors_mean, begin),
		cmocka_unit_test_setup(
			a_branch_whose_server_has_gone_is_rolled_back, begin),
		cmocka_unit_test_setup(a_commit_without_a_row_is_waited_for,
				       begin),
		cmocka_unit_test_setup(who_gets_no_order_in_time_rolls_back,
				       begin),
		cmocka_unit_test_setup(branches_end_in_any_order, begin),
		cmocka_unit_test_setup(some_connections_are_kept, begin),
		cmocka_unit_test_setup(
			a_child_that_holds_the_address_takes_no_orders, begin),
		cmocka_unit_test_setup(a_child_does_not_hold_the_connection,
				       begin),
		cmocka_unit_test_setup(what_cannot_be_sent_is_not_gone, begin),
	};
	struct rlimit few = { 256, 256 };

	setrlimit(RLIMIT_NOFILE, &few);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
