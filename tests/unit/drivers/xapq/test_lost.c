/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_lost.c - facts about connections to a PostgreSQL that goes
 *
 * What is sent over such a connection is never read: it must count as not sent,
 * and so nothing may be sent.
 */
#include "drivers/xapq/database.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "fake_pg.h"

static struct fake f;

static int begin(void **state)
{
	(void)state;
	fake_open(&f, db_connect);
	return 0;
}

static int end(void **state)
{
	(void)state;
	fake_close(&f);
	return 0;
}

static void one_that_says_nothing_is_not_lost(void **state)
{
	char say[256];

	(void)state;
	assert_false(db_is_lost(f.db));
	/* Nor one that says something else. */
	fake_send(&f, say, fake_report(say, 'N', "WARNING", "01000"));
	assert_false(db_is_lost(f.db));
}

static void one_that_has_ended_is_lost(void **state)
{
	(void)state;
	shutdown(f.fd, SHUT_RDWR);
	assert_true(db_is_lost(f.db));
	assert_true(db_is_lost(NULL));
}

/* Its process is about to end, and has not yet. */
static void a_farewell_that_is_not_read_yet(void **state)
{
	char say[256];

	(void)state;
	fake_send(&f, say, fake_report(say, 'E', "FATAL", "57P01"));
	assert_true(db_is_lost(f.db));
	assert_int_equal(fake_unread(&f), 0);
}

/* It came with the answer to the command before. */
static void a_farewell_that_is_read_already(void **state)
{
	size_t n;
	PGresult *r;

	(void)state;
	n = fake_done(f.text, "BEGIN");
	f.len = n + fake_report(f.text + n, 'E', "FATAL", "57P01");
	fake_answer(&f);
	r = db_execute(f.db, "BEGIN");
	fake_answered(&f);
	assert_int_equal(PQresultStatus(r), PGRES_COMMAND_OK);
	PQclear(r);
	assert_true(db_is_lost(f.db));
	assert_int_equal(fake_unread(&f), 0);
}

/* A server that is killed says so by a warning, in the middle of a command, or
 * behind it. */
static void a_warning_that_it_goes_counts(void **state)
{
	static const char *const states[] = { "57P01", "57P02" };
	size_t n, i;
	PGresult *r;

	for (i = 0; i < 2; i++) {
		n = fake_report(f.text, 'N', "WARNING", states[i]);
		f.len = n + fake_done(f.text + n, "BEGIN");
		fake_answer(&f);
		r = db_execute(f.db, "BEGIN");
		fake_answered(&f);
		/* What it has answered holds. */
		assert_int_equal(PQresultStatus(r), PGRES_COMMAND_OK);
		PQclear(r);
		assert_true(db_is_lost(f.db));
		assert_int_equal(fake_unread(&f), 0);
		end(state);
		begin(state);
	}
}

/* Also one of a time limit. */
static void each_fatal_error_is_a_farewell(void **state)
{
	char say[256];

	(void)state;
	fake_send(&f, say, fake_report(say, 'E', "FATAL", "25P03"));
	assert_true(db_is_lost(f.db));
}

static void what_a_failed_statement_means(void **state)
{
	static const struct {
		const char *severity, *state;
		bool ends;
		int xa;
	} rows[] = {
		{ "ERROR", "42704", false, XAER_NOTA },
		{ "ERROR", "23505", false, XAER_RMERR },
		{ "ERROR", "08006", false, XAER_RMFAIL },
		{ "ERROR", "57P01", false, XAER_RMFAIL },
		{ "ERROR", "23505", true, XAER_RMFAIL },
		{ "FATAL", "25P03", true, XAER_RMFAIL },
	};
	PGresult *r;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		f.len = fake_report(f.text, 'E', rows[i].severity,
				    rows[i].state);
		f.ends = rows[i].ends;
		if (!f.ends)
			f.len += fake_message(f.text + f.len, 'Z', "I", 1);
		fake_answer(&f);
		r = db_execute(f.db, "x");
		fake_answered(&f);
		assert_int_equal(db_fail(f.db, r, "x", XAER_RMERR),
				 rows[i].xa);
		PQclear(r);
		end(state);
		begin(state);
	}
}

static int heard;

static void hear_too(void *arg, const char *text)
{
	(void)arg;
	(void)text;
	heard++;
}

static void a_program_hears_its_notices(void **state)
{
	char say[256];

	(void)state;
	heard = 0;
	PQsetNoticeProcessor(f.db, hear_too, NULL);
	fake_send(&f, say, fake_report(say, 'N', "NOTICE", "00000"));
	assert_false(db_is_lost(f.db));
	assert_int_equal(heard, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			one_that_says_nothing_is_not_lost, begin, end),
		cmocka_unit_test_setup_teardown(one_that_has_ended_is_lost,
						begin, end),
		cmocka_unit_test_setup_teardown(
			a_farewell_that_is_not_read_yet, begin, end),
		cmocka_unit_test_setup_teardown(
			a_farewell_that_is_read_already, begin, end),
		cmocka_unit_test_setup_teardown(
			a_warning_that_it_goes_counts, begin, end),
		cmocka_unit_test_setup_teardown(
			each_fatal_error_is_a_farewell, begin, end),
		cmocka_unit_test_setup_teardown(what_a_failed_statement_means,
						begin, end),
		cmocka_unit_test_setup_teardown(a_program_hears_its_notices,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
