/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_last.c - facts about what a tmsrv makes of the words of its last resource
 */
#include "servers/tmsrv/last.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "libatmi/base/clock.h"
#include "tests/unit/servers/tmsrv/last_fixture.h"

#define NS UINT64_C(1000000000)

static char folder[] = "/tmp/ow_lastXXXXXX", mark[64], why[200];

/* A life of a tmsrv, with LASTRESOURCE or without. */
static int start(bool wanted)
{
	config.last_resource = wanted;
	return last_begin(NULL, folder, "TRN", why, sizeof(why));
}

static int begin(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(mark, sizeof(mark), "%s/TRN.last", folder);
	return 0;
}

static int end(void **state)
{
	(void)state;
	remove(mark);
	return remove(folder);
}

/* Does it look into the database now? */
static bool look(void)
{
	static int times;
	struct job *j;

	last_look(ow_clock_mono_ns() + (uint64_t)++times * 10 * NS);
	j = job;
	job = NULL;
	if (j != NULL)
		j->run(j);
	free(j);
	return j != NULL;
}

static struct tran *known(void)
{
	struct tran *t;

	table_lock();
	t = table_find(EARLIER);
	table_unlock();
	return t;
}

static void forget_known(void)
{
	table_lock();
	table_remove(table_find(EARLIER));
	table_unlock();
}

static void only_a_mark_says_that_there_may_be_rows(void **state)
{
	int i;

	(void)state;
	assert_int_equal(start(false), 0);
	assert_false(last_may_have(EARLIER));
	assert_false(look());
	/* Who cannot keep rows makes none. */
	has_driver = false;
	assert_int_equal(start(true), -1);
	has_driver = true;
	config.rmid = 0;
	assert_int_equal(start(true), -1);
	config.rmid = RMID;
	assert_int_not_equal(access(mark, F_OK), 0);
	/* It stays, also when the configuration has changed. */
	assert_int_equal(start(true), 0);
	assert_int_equal(access(mark, F_OK), 0);
	assert_true(last_may_have(EARLIER));
	assert_int_equal(start(false), 0);
	assert_true(last_may_have(EARLIER));
	has_driver = false;
	assert_int_equal(start(false), -1); /* nobody can read them */
	assert_int_equal(start(true), -1);
	has_driver = true;
	assert_int_equal(remove(mark), 0);
	/* Is there one? Nobody knows. */
	assert_int_equal(symlink(mark, mark), 0);
	assert_int_equal(start(false), -1);
	assert_int_equal(start(true), -1);
	assert_int_equal(remove(mark), 0);
	/* A power cut would take it away: the file, or its name. */
	for (i = 1; i <= 2; i++) {
		sync_fails = i;
		assert_int_equal(start(true), -1);
		assert_int_equal(sync_fails, 0);
		assert_int_equal(remove(mark), 0);
	}
	assert_int_equal(start(true), 0);
	assert_int_equal(remove(mark), 0);
}

static void rows_that_are_not_needed_are_removed_together(void **state)
{
	uint64_t i;

	(void)state;
	while (look())
		;
	for (i = 0; i < 200; i++)
		last_done(FIRST + i);
	forgets = XAER_RMFAIL;
	assert_true(look());
	assert_int_equal(forgotten, 200);
	forgotten = 0;
	forgets = XA_OK;
	assert_true(look());
	assert_int_equal(forgotten, 200);
	assert_false(look());
}

/* Whose branch is it? `second`: there is a last resource already. */
static bool gives(uint32_t flags, uint32_t rmid, uint32_t superior,
		  bool second, int64_t left_ns)
{
	uint64_t now = ow_clock_mono_ns();
	struct branch b[2] = { { .rmid = RMID, .last = second },
			       { .rmid = rmid } };
	struct tran t = { .id = FIRST,
			  .branches = b,
			  .n = 2,
			  .deadline_ns = now + (uint64_t)left_ns,
			  .sup.node = superior };
	struct ow_tm m = { .flags = flags, .rmid = rmid };
	bool is;

	last_give(&t, &b[1], &m);
	is = b[1].last;
	assert_int_equal((m.flags & OW_TM_IS_LAST) != 0, is);
	if (is)
		assert_in_range(m.timeout_ms, left_ns / 1000000 - 500,
				left_ns / 1000000 + 1);
	assert_ptr_equal(last_of(&t), second ? &b[0] : is ? &b[1] : NULL);
	return is;
}

/* Their decisions would be lost among those of earlier lives. */
static void none_is_given_before_the_rows_are_read(void **state)
{
	(void)state;
	assert_false(gives(OW_TM_MAY_BE_LAST, RMID, 0, false, (int64_t)(9 * NS)));
}

/* The open string has changed: the rows are elsewhere. */
static void a_database_that_does_not_know_the_log_says_nothing(void **state)
{
	FILE *f;

	(void)state;
	assert_int_equal(start(true), 0);
	opens = XAER_RMERR;
	assert_true(look());
	assert_true(made); /* it is to learn it */
	f = fopen(mark, "w");
	assert_non_null(f);
	fprintf(f, "%016llx\n", (unsigned long long)IDENTITY);
	fclose(f);
	assert_int_equal(start(true), 0);
	opens = XAER_NOTA;
	row_words = "1:1 ";
	room = 9;
	assert_true(last_may_have(EARLIER));
	asked = 0;
	assert_true(look());
	assert_false(made);
	assert_int_equal(asked, 0); /* its answer would be a row there */
	assert_null(known());
	assert_false(gives(OW_TM_MAY_BE_LAST, RMID, 0, false, (int64_t)(9 * NS)));
	assert_true(last_may_have(EARLIER));
	row_words = NULL;
	opens = XA_OK;
}

/* The next life would believe any database. */
static void a_mark_that_is_half_written_is_none(void **state)
{
	struct rlimit was, few;

	(void)state;
	assert_int_equal(remove(mark), 0);
	assert_int_equal(start(true), 0);
	opens = XA_OK;
	sync_fails = 1;
	assert_true(look());
	assert_int_equal(sync_fails, 0);
	assert_false(gives(OW_TM_MAY_BE_LAST, RMID, 0, false, (int64_t)(9 * NS)));
	assert_int_equal(remove(mark), 0);
	assert_int_equal(start(true), 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	few = (struct rlimit){ .rlim_cur = 5, .rlim_max = was.rlim_max };
	setrlimit(RLIMIT_FSIZE, &few);
	assert_true(look());
	setrlimit(RLIMIT_FSIZE, &was);
	assert_false(gives(OW_TM_MAY_BE_LAST, RMID, 0, false, (int64_t)(9 * NS)));
	assert_int_equal(start(true), 0);
	made = false;
	opens = XAER_RMERR;
	assert_true(look());
	assert_true(made); /* it is to learn it */
	opens = XA_OK;
}

static void write_mark(const char *text)
{
	FILE *f = fopen(mark, "w");

	assert_non_null(f);
	fprintf(f, "%016llx%s", (unsigned long long)IDENTITY, text);
	fclose(f);
}

/* A row that nobody has read is found; but then the rows cannot be read. */
static void open_again(void)
{
	outcome = XA_OK;
	opens = XAER_RMERR;
	assert_true(last_may_have(EARLIER + 20000));
	assert_true(look());
	outcome = XA_RBROLLBACK;
}

/* An older copy of it does not: there decisions of that life may be missing. */
static void the_database_is_to_know_the_life_before(void **state)
{
	(void)state;
	for (first = FIRST + 2; first > FIRST; first--) {
		/* Of a former version; of a hand. */
		write_mark(first == FIRST + 1 ? "\n" : " 1x\n");
		assert_int_equal(start(true), 0);
		opens = XAER_RMERR;
		assert_true(look());
		assert_false(made);
		assert_true(life.was == 0 && life.is == first);
	}
	opens = XA_OK;
	first = FIRST - 2;
	assert_int_equal(start(true), 0);
	assert_true(look());
	first = FIRST;
	assert_int_equal(start(true), 0);
	open_again();
	assert_true(!made && life.was == FIRST - 2 && life.is == FIRST);
	/* In the midst of a life it is that. */
	opens = XA_OK;
	assert_true(look());
	open_again();
	assert_true(!made && life.was == FIRST && life.is == FIRST);
	opens = XA_OK;
}

/* A row of which only a part was read would be removed when that part is
 * committed, and the rest of the branches rolled back. */
static void a_row_is_read_whole_or_again(void **state)
{
	(void)state;
	row_words = "1:1 2:1 4:1 ";
	room = 2;
	assert_true(look());
	assert_null(known());
	row_words = "1:1 2:1 4:"; /* cut */
	room = 9;
	assert_true(look());
	assert_null(known());
	row_words = "1:1 2:1 4:1 ";
	assert_true(look());
	assert_non_null(known());
	assert_int_equal(known()->n, 3);
	assert_int_equal(known()->state, TRAN_COMMITTING);
	assert_true(known()->row && !known()->busy);
	assert_false(look()); /* all is read */
	forget_known();
}

static void a_row_may_name_many_branches(void **state)
{
	char words[100 * 16];
	size_t at = 0;
	uint32_t i;

	(void)state;
	for (i = 1; i <= 100; i++)
		at += (size_t)sprintf(words + at, "%u:%u ", i, 1000 + i);
	assert_int_equal(start(true), 0);
	outcome = XA_OK; /* a row that nobody has read yet: so all are read */
	assert_true(last_may_have(EARLIER));
	row_words = words;
	room = 100;
	assert_true(look());
	assert_non_null(known());
	assert_int_equal(known()->n, 100);
	for (i = 1; i <= 100; i++) {
		assert_int_equal(known()->branches[i - 1].rmid, i);
		assert_int_equal(known()->branches[i - 1].number, 1000 + i);
	}
	forget_known();
	row_words = NULL;
	outcome = XA_RBROLLBACK;
	while (look())
		;
}

static struct ow_tm order(enum ow_tm_op op)
{
	return (struct ow_tm){ .op = op, .identity = IDENTITY, .tran = FIRST,
			       .rmid = RMID, .branch = 1 };
}

static void an_order_that_was_not_sent_is_given_again(void **state)
{
	struct ow_tm one = order(OW_TM_BRANCH_COMMIT_ONE);
	struct ow_tm back = order(OW_TM_BRANCH_ROLLBACK);

	(void)state;
	commits = rolls_back = XA_RETRY;
	assert_int_equal(last_do(&one), OW_TM_NOT_SENT);
	assert_int_equal(last_do(&back), OW_TM_NOT_SENT);
	commits = rolls_back = XAER_NOTA;
	assert_int_equal(last_do(&one), XAER_NOTA);
	assert_int_equal(last_do(&back), XAER_NOTA);
}

static void only_an_order_that_has_gone_out_is_in_doubt(void **state)
{
	static const struct {
		int commits, outcome;
		enum last_result how;
		int asked;
	} rows[] = {
		{ XA_OK, 0, LAST_COMMITTED, 0 },
		{ XA_RBROLLBACK, 0, LAST_ROLLED_BACK, 0 },
		{ XAER_NOTA, 0, LAST_ROLLED_BACK, 0 },
		{ XA_RETRY, 0, LAST_NOT_ASKED, 0 },
		{ XAER_RMFAIL, XA_OK, LAST_COMMITTED, 1 },
		{ XAER_RMFAIL, XA_RBROLLBACK, LAST_ROLLED_BACK, 1 },
		{ XAER_RMFAIL, XAER_RMFAIL, LAST_UNKNOWN, 1 },
		{ XAER_RMFAIL, XAER_RMERR, LAST_UNKNOWN, 1 },
	};
	struct branch b = { .rmid = RMID, .number = 1, .last = true };
	struct tran t = { .id = FIRST };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		commits = rows[i].commits;
		outcome = rows[i].outcome;
		asked = 0;
		assert_int_equal(last_decide(&t, &b, NULL, 0), rows[i].how);
		assert_int_equal(asked, rows[i].asked);
	}
}

static void the_row_has_the_words_of_all(void **state)
{
	static const struct tmlog_branch words[] = { { 1, 2 }, { 34, 5 } };
	struct branch b = { .rmid = RMID, .number = 1, .last = true };
	struct tran t = { .id = FIRST };

	(void)state;
	commits = XA_OK;
	assert_int_equal(last_decide(&t, &b, words, 2), LAST_COMMITTED);
	assert_string_equal(words_of_row, "1:2 34:5 ");
}

static void one_branch_of_its_own_resource_manager_is_the_last(void **state)
{
	const int64_t s = (int64_t)NS;

	(void)state;
	while (look()) /* the rows are read */
		;
	assert_true(gives(OW_TM_MAY_BE_LAST, RMID, 0, false, 9 * s));
	assert_false(gives(0, RMID, 0, false, 9 * s));
	assert_false(gives(OW_TM_MAY_BE_LAST, RMID + 1, 0, false, 9 * s));
	assert_false(gives(OW_TM_MAY_BE_LAST, RMID, 2, false, 9 * s));
	assert_false(gives(OW_TM_MAY_BE_LAST, RMID, 0, true, 9 * s));
	assert_false(gives(OW_TM_MAY_BE_LAST, RMID, 0, false, 0));
}

/* As long as the database has not said "never" about that very number. */
static void nothing_is_presumed_of_earlier_lives(void **state)
{
	(void)state;
	assert_false(last_may_have(FIRST));
	assert_true(last_may_have(EARLIER));
	outcome = XAER_RMFAIL;
	assert_true(look());
	assert_true(last_may_have(EARLIER));
	outcome = XA_RBROLLBACK;
	assert_true(look());
	assert_false(last_may_have(EARLIER));
	assert_true(last_may_have(EARLIER + 1));
	assert_true(last_may_have(EARLIER + 1));
	/* Who has an answer is not asked for again, nor twice at a time. */
	asked = 0;
	outcome = XAER_RMFAIL;
	assert_true(look());
	assert_int_equal(asked, 1);
	assert_true(last_may_have(EARLIER + 1));
	/* A row that nobody has read yet. */
	outcome = XA_OK;
	row_words = "1:1 ";
	room = 9;
	assert_true(look());
	assert_non_null(known());
	assert_true(last_may_have(EARLIER + 1));
	/* Its branches are done. */
	last_done(EARLIER);
	outcome = XA_RBROLLBACK;
	assert_true(look());
	assert_null(row_words);
}

static uint64_t ask_about(uint64_t n)
{
	uint64_t i, may = 0;

	for (i = 1; i <= n; i++)
		may += last_may_have(EARLIER + 10 + i);
	return may;
}

/* Any node may ask about any number: each answer is a row, and is remembered. */
static void who_asks_about_many_numbers_fills_nothing(void **state)
{
	(void)state;
	while (look())
		;
	outcome = XA_RBROLLBACK;
	asked = 0;
	assert_int_equal(ask_about(9000), 9000);
	assert_true(look());
	assert_int_equal(asked, 1024);
	assert_false(look());
	/* Who asks again gets an answer. */
	assert_int_equal(ask_about(3000), 3000 - 1024);
	while (look())
		(void)ask_about(8000);
	assert_int_equal(asked, 8000);
	assert_int_equal(ask_about(8000), 0);
	/* More are asked for once more: the database knows what it has said. */
	while (asked < 12000 && ask_about(9000) > 0)
		(void)look();
	assert_true(asked >= 12000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_mark_says_that_there_may_be_rows),
		cmocka_unit_test(none_is_given_before_the_rows_are_read),
		cmocka_unit_test(
		    a_database_that_does_not_know_the_log_says_nothing),
		cmocka_unit_test(a_mark_that_is_half_written_is_none),
		cmocka_unit_test(the_database_is_to_know_the_life_before),
		cmocka_unit_test(a_row_is_read_whole_or_again),
		cmocka_unit_test(a_row_may_name_many_branches),
		cmocka_unit_test(an_order_that_was_not_sent_is_given_again),
		cmocka_unit_test(only_an_order_that_has_gone_out_is_in_doubt),
		cmocka_unit_test(the_row_has_the_words_of_all),
		cmocka_unit_test(
			one_branch_of_its_own_resource_manager_is_the_last),
		cmocka_unit_test(nothing_is_presumed_of_earlier_lives),
		cmocka_unit_test(
			rows_that_are_not_needed_are_removed_together),
		cmocka_unit_test(who_asks_about_many_numbers_fills_nothing),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
