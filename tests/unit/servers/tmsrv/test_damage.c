/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_damage.c - no damage to the log of a tmsrv loses a decision silently
 *
 * A log with known decisions is damaged in one way at random, and opened. All
 * decisions are there, or it is refused and says so; and if an operator goes
 * on, what is not there is in doubt, and no number comes again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "libndrx/storage/damage.h"
#include "servers/tmsrv/log.h"
#include "tests/unit/corruptions.h"
#include "tests/unit/servers/folder.h"

#define NAME	"TRN.log"
#define TRANS	200
#define STATES	3  /* of which older copies are kept */
#define FILES	2

void ow_fault_hit(const char *name);
void ow_fault_hit(const char *name)
{
	(void)name;
}

static char folder[64], path[FILES][96], report[96];
static struct image states[STATES][FILES];
static uint64_t trans[TRANS], last_number;
static bool is_live[TRANS];

static struct tmlog *open_log(char *why, size_t size)
{
	struct tmlog *l = NULL;

	return tmlog_open(folder, NAME, &l, why, size) == 0 ? l : NULL;
}

static void commit(struct tmlog *l, int i)
{
	struct tmlog_branch b[2] = { { 1, 1 }, { 2, 0 } };

	assert_int_equal(tmlog_number(l, &trans[i]), 0);
	b[1].branch = (uint32_t)trans[i];
	assert_int_equal(i % 5 == 4 ? tmlog_prepared(l, trans[i], b, 2)
				    : tmlog_commit(l, trans[i], b, 2), 0);
	is_live[i] = true;
	last_number = trans[i];
}

static void keep_state(int n)
{
	int f;

	for (f = 0; f < FILES; f++)
		states[n][f] = image_read(path[f]);
}

/* Decisions, a third of which does not end. The last record is a decision: all
 * ends before it are on disk with it. */
static int make(void **state)
{
	struct tmlog *l;
	char why[1024] = "";
	int i;

	(void)state;
	folder_make(folder, "/dev/shm/ow_damage");
	snprintf(path[0], sizeof(path[0]), "%s/%s", folder, NAME);
	snprintf(path[1], sizeof(path[1]), "%s/%s.mark", folder, NAME);
	snprintf(report, sizeof(report), "%s/%s.damage", folder, NAME);
	l = open_log(why, sizeof(why));
	for (i = 0; i < TRANS; i++) {
		if (i == TRANS / 3)
			keep_state(0);
		if (i == TRANS - 1)
			keep_state(1);
		commit(l, i);
		if (i % 3 != 0 && i != TRANS - 1) {
			tmlog_end(l, trans[i]);
			is_live[i] = false;
		}
	}
	tmlog_close(l);
	keep_state(STATES - 1);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	return folder_remove(folder);
}

/* ---- judged ---- */

static int found[TRANS], wrong;

static void note(uint64_t tran, const struct tmlog_branch *b, uint32_t n,
		 uint32_t by_hand, void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < TRANS && trans[i] != tran;)
		i++;
	if (i == TRANS || n != 2 || b[0].rmid != 1 || b[0].branch != 1 ||
	    b[1].rmid != 2 || b[1].branch != (uint32_t)tran)
		wrong++;
	else
		found[i]++;
}

static void note_prepared(uint64_t tran, const struct tmlog_branch *b,
			  uint32_t n, uint32_t by_hand, void *arg)
{
	wrong += by_hand != 0;
	note(tran, b, n, by_hand, arg);
}

static void look(struct tmlog *l)
{
	memset(found, 0, sizeof(found));
	wrong = 0;
	tmlog_each(l, note, NULL);
	tmlog_each_prepared(l, note_prepared, NULL);
}

/* Without damage: exactly what is to be there. */
static const char *judge_whole(struct tmlog *l)
{
	int i;

	look(l);
	for (i = 0; i < TRANS && wrong == 0; i++)
		if (found[i] != is_live[i])
			return is_live[i] ? "SILENT LOSS" : "ENDED IS BACK";
	return wrong ? "WRONG" : "intact";
}

/* With the operator's word: what was lost is in doubt. An end may be lost, a
 * branch is then committed twice. */
static const char *judge_accepted(struct tmlog *l)
{
	uint64_t number = 0;
	int i;

	look(l);
	for (i = 0; i < TRANS; i++)
		if (is_live[i] && !found[i] && !tmlog_may_have_lost(l, trans[i]))
			return "PRESUMED";
	if (tmlog_number(l, &number) != 0 || number <= last_number)
		return "A NUMBER TWICE";
	return wrong ? "WRONG" : "told";
}

static const char *judge(char *why, size_t size)
{
	struct tmlog *l = open_log(why, size);
	const char *outcome;

	if (l != NULL) {
		outcome = judge_whole(l);
		tmlog_close(l);
		return outcome;
	}
	if (strstr(why, "xadmin repair") == NULL ||
	    ow_damage_accept(report) != 0)
		return "NOT EXPLAINED";
	l = open_log(why, size);
	if (l == NULL)
		return "NOT REPAIRED";
	outcome = judge_accepted(l);
	tmlog_close(l);
	l = open_log(why, size); /* that is whole now */
	if (l == NULL || strcmp(judge_accepted(l), "told") != 0)
		outcome = "NOT KEPT";
	tmlog_close(l);
	return outcome;
}

static void damage_is_told_or_does_no_harm(void **state)
{
	uint64_t seed = corruptions_seed(), random = seed;
	long n = corruptions_wanted(200), i, intact = 0, told = 0, bad = 0;
	char what[128], why[1024];
	const char *outcome;
	struct image now;
	int f;

	(void)state;
	for (i = 0; i < n; i++) {
		for (f = 0; f < FILES; f++)
			image_write(path[f], &states[STATES - 1][f]);
		f = random_below(&random, 4) == 0;
		now = image_copy(&states[STATES - 1][f]);
		if (corrupt(&random, &now,
			    &states[random_below(&random, 2)][f], what,
			    sizeof(what)) != NULL) {
			image_write(path[f], &now);
			outcome = judge(why, sizeof(why));
			intact += strcmp(outcome, "intact") == 0;
			told += strcmp(outcome, "told") == 0;
			if (strcmp(outcome, "intact") != 0 &&
			    strcmp(outcome, "told") != 0) {
				bad++;
				print_message("%s: %s: %s: %s\n", path[f],
					      what, outcome, why);
			}
		}
		free(now.bytes);
		unlink(report);
	}
	print_message("seed %llu: %ld corruptions: %ld intact, %ld told, "
		      "%ld bad\n", (unsigned long long)seed, n, intact, told,
		      bad);
	assert_int_equal(bad, 0);
	assert_true(told > n / 4);
}

static void a_log_that_is_whole_is_whole(void **state)
{
	char why[1024] = "";
	int f;

	(void)state;
	for (f = 0; f < FILES; f++)
		image_write(path[f], &states[STATES - 1][f]);
	assert_string_equal(judge(why, sizeof(why)), "intact");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_that_is_whole_is_whole),
		cmocka_unit_test(damage_is_told_or_does_no_harm),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
