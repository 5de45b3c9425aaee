/* SPDX-License-Identifier: Apache-2.0 */
/* test_remote.c - branches at other nodes, and whose subordinate a transaction
 * is */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servers/tmsrv/subordinate.h"
#include "servers/tmsrv/superior.h"
#include "servers/tmsrv/vote.h"
#include "libatmi/base/clock.h"
#include "tests/unit/servers/folder.h"

#define OWN 1u /* node */

static char folder[64];
static struct tmlog *decisions;

static int set_up(void **state)
{
	char why[300] = "";

	folder_make(folder, "/tmp/ow_far");
	if (tmlog_open(folder, "TRN.log", &decisions, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	superior_begin(decisions, OWN, NULL);
	subordinate_begin(decisions);
	return 0;
}

static void drop(struct tran *t, void *arg)
{
	(void)arg;
	table_remove(t);
}

static int tear_down(void **state)
{
	table_each(drop, NULL);
	decisions = tmlog_close(decisions);
	return folder_remove(folder);
}

static struct tran *add(uint64_t id)
{
	struct tran *t = table_add(id, 30000, ow_clock_mono_ns());

	assert_non_null(t);
	return t;
}

static struct ow_tm_remote enlist(uint64_t id, uint32_t node, uint64_t sub)
{
	struct ow_tm_remote f = { .m = { .op = OW_TM_ENLIST, .tran = id },
				  .node = node,
				  .sub = sub,
				  .sub_identity = sub * 10 };

	superior_enlist(&f);
	return f;
}

/* `mark`: of the log whose number it is; 0: not said. */
static int check_of(uint64_t id, uint32_t from, uint32_t mark)
{
	struct ow_tm_remote f = { .m = { .op = OW_TM_CHECK, .tran = id },
				  .from = from,
				  .sub = mark };

	superior_check(&f);
	return f.m.result;
}

static int check(uint64_t id, uint32_t from)
{
	return check_of(id, from, 0);
}

static struct ow_tm_remote adopt(uint64_t id, uint32_t from)
{
	struct ow_tm_remote f = { .m = { .op = OW_TM_ADOPT,
					 .timeout_ms = 30000 },
				  .from = from,
				  .superior = 77,
				  .identity = 78,
				  .path = { 5, from } };

	subordinate_adopt(id, &f);
	return f;
}

static int ask(uint64_t id, uint32_t from, enum ow_tm_op op, uint64_t identity)
{
	struct ow_tm_remote f = { .m = { .op = op, .tran = id },
				  .from = from,
				  .superior = 77,
				  .identity = identity };

	assert_true(subordinate_serve(&f)); /* without branches: at once */
	return f.m.result;
}

static void a_node_is_one_branch_and_its_first_number_counts(void **state)
{
	struct tran *t = add(9);
	struct ow_tm_remote f = enlist(9, 2, 0);

	assert_int_equal(f.m.result, OW_TM_OK);
	assert_int_equal(f.sub, 0);
	assert_true(f.m.timeout_ms > 0 && f.m.timeout_ms <= 30001);
	assert_int_equal(f.superior, 9);
	assert_int_equal(f.identity, tmlog_identity(decisions));
	assert_int_equal(f.path[0], OWN);
	assert_int_equal(f.path[1], 0);
	assert_int_equal(enlist(9, 2, 40).sub, 40);
	assert_int_equal(enlist(9, 2, 41).sub, 40);
	assert_int_equal(enlist(9, 2, 0).sub, 40);
	assert_int_equal(enlist(9, 2, 0).sub_identity, 400);
	assert_int_equal(t->n, 1);
	assert_int_equal(enlist(9, 3, 0).sub, 0);
	assert_int_equal(t->n, 2);
}

static void a_number_of_another_log_is_not_ours(void **state)
{
	struct ow_tm_remote f = { .m = { .op = OW_TM_ENLIST, .tran = 9 },
				  .node = 3 };
	uint64_t own = tmlog_identity(decisions);

	add(9);
	enlist(9, 2, 40);
	assert_int_equal(check_of(9, 2, ow_tm_log_mark(own)), OW_TM_OK);
	assert_int_equal(check_of(9, 2, ow_tm_log_mark(own) ^ 1),
			 OW_TM_UNKNOWN);
	f.m.log = ow_tm_request_mark(own) ^ 1;
	superior_enlist(&f);
	assert_int_equal(f.m.result, OW_TM_UNKNOWN);
	f.m.log = ow_tm_request_mark(own);
	superior_enlist(&f);
	assert_int_equal(f.m.result, OW_TM_OK);
	assert_int_equal(ow_tm_log_mark(0), 0);
	assert_int_not_equal(ow_tm_log_mark(UINT64_C(0x100000001)), 0);
}

static void what_ends_takes_no_node(void **state)
{
	struct tran *t = add(9);

	assert_int_equal(enlist(8, 2, 0).m.result, OW_TM_UNKNOWN);
	t->state = TRAN_PREPARING;
	assert_int_equal(enlist(9, 2, 0).m.result, OW_TM_ENDING);
	t->state = TRAN_ACTIVE;
	t->deadline_ns = 1;
	assert_int_equal(enlist(9, 2, 0).m.result, OW_TM_ENDING);
	assert_int_equal(t->n, 0);
}

static void a_call_back_is_of_the_superior_and_further_up_is_a_loop(void **state)
{
	struct ow_tm_remote f;
	uint32_t i;

	adopt(9, 2); /* 5 called 2, which called this node */
	f = enlist(9, 2, 0);
	assert_int_equal(f.m.result, OW_TM_OK);
	assert_true(f.m.flags & OW_TM_BACK);
	assert_int_equal(f.sub, 77);
	assert_int_equal(enlist(9, 5, 0).m.result, OW_TM_LOOP);
	f = enlist(9, 3, 0);
	assert_int_equal(f.m.result, OW_TM_OK);
	assert_int_equal(f.path[1], 2);
	assert_int_equal(f.path[2], OWN);
	for (i = 2; i < OW_TM_DEPTH; i++)
		table_find(9)->sup.path[i] = 100 + i;
	assert_int_equal(enlist(9, 4, 0).m.result, OW_TM_LOOP);
}

static void a_node_may_name_its_own_transactions_only(void **state)
{
	adopt(9, 2);
	assert_int_equal(check(9, 2), OW_TM_OK);
	assert_int_equal(check(9, 3), OW_TM_UNKNOWN);
	assert_int_equal(check(9, 0), OW_TM_UNKNOWN);
	assert_int_equal(check(10, 2), OW_TM_UNKNOWN);
	add(11);
	assert_int_equal(check(11, 0), OW_TM_UNKNOWN);
	assert_int_equal(check(11, 3), OW_TM_UNKNOWN);
	enlist(11, 3, 0);
	assert_int_equal(check(11, 3), OW_TM_OK);
	table_find(11)->state = TRAN_ABORTING;
	assert_int_equal(check(11, 3), OW_TM_ENDING);
}

static void nobody_but_the_superior_ends_a_subordinate(void **state)
{
	struct ow_tm_remote f = adopt(9, 2);

	assert_int_equal(f.sub, 9);
	assert_int_equal(f.sub_identity, tmlog_identity(decisions));
	assert_int_equal(ask(9, 3, OW_TM_SUB_ROLLBACK, 78), XAER_NOTA);
	assert_int_equal(ask(9, 2, OW_TM_SUB_ROLLBACK, 79), XAER_NOTA);
	assert_int_equal(ask(8, 2, OW_TM_SUB_ROLLBACK, 78), XAER_NOTA);
	add(10); /* of this node alone */
	assert_int_equal(ask(10, 2, OW_TM_SUB_ROLLBACK, 78), XAER_NOTA);
	assert_int_equal(ask(9, 2, OW_TM_SUB_COMMIT, 78), XAER_PROTO);
	assert_int_equal(ask(9, 2, OW_TM_SUB_FORGET, 78), XAER_PROTO);
	assert_int_equal(ask(9, 2, OW_TM_SUB_ROLLBACK, 78), XA_OK);
	assert_null(table_find(9));
	assert_int_equal(ask(9, 2, OW_TM_SUB_ROLLBACK, 78), XAER_NOTA);
}

static void a_vote_without_branches(void **state)
{
	adopt(9, 2);
	assert_int_equal(ask(9, 2, OW_TM_SUB_PREPARE, 78), XA_RDONLY);
	assert_null(table_find(9));
	adopt(9, 2);
	table_find(9)->doomed = true;
	assert_int_equal(ask(9, 2, OW_TM_SUB_PREPARE, 78), XA_RBROLLBACK);
	adopt(9, 2);
	table_find(9)->state = TRAN_PREPARED;
	assert_int_equal(ask(9, 2, OW_TM_SUB_PREPARE, 78), XA_OK);
	table_find(9)->busy = true;
	assert_int_equal(ask(9, 2, OW_TM_SUB_COMMIT, 78), XAER_RMFAIL);
}

/* This tmsrv is killed: another reads its log. */
static void read_again(void)
{
	char why[300] = "";

	table_each(drop, NULL);
	decisions = tmlog_close(decisions);
	if (tmlog_open(folder, "TRN.log", &decisions, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	subordinate_begin(decisions);
	assert_true(vote_recover(decisions));
}

static void what_was_decided_by_hand_and_above_is_known_after_a_kill(
    void **state)
{
	static const struct {
		enum by_hand hand;
		enum ow_tm_op op;
		int result;
		enum told told;
	} all[] = {
		{ HAND_COMMIT, OW_TM_SUB_COMMIT, XA_HEURCOM, TOLD_SAME },
		{ HAND_COMMIT, OW_TM_SUB_ROLLBACK, XA_HEURCOM, TOLD_OTHERWISE },
		{ HAND_ROLLBACK, OW_TM_SUB_COMMIT, XA_HEURRB, TOLD_OTHERWISE },
		{ HAND_ROLLBACK, OW_TM_SUB_ROLLBACK, XA_HEURRB, TOLD_SAME },
	};
	struct tran *t;
	uint64_t id;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		id = 20 + i;
		adopt(id, 2);
		t = table_find(id);
		assert_int_equal(vote_log(decisions, t, NULL, 0), 0);
		assert_int_equal(tmlog_by_hand(decisions, id, all[i].hand), 0);
		t->hand = all[i].hand;
		t->state = TRAN_HEURISTIC;
		read_again(); /* nothing was told yet */
		t = table_find(id);
		assert_int_equal(t->hand, all[i].hand);
		assert_int_equal(t->told, TOLD_NOTHING);
		t->state = TRAN_HEURISTIC;
		assert_int_equal(ask(id, 2, all[i].op, 78), all[i].result);
		read_again();
		t = table_find(id);
		assert_int_equal(t->hand, all[i].hand);
		assert_int_equal(t->told, all[i].told);
		t->state = TRAN_HEURISTIC;
		assert_int_equal(ask(id, 2, OW_TM_SUB_FORGET, 78), XA_OK);
	}
}

static void what_a_superior_has_decided_is_told(void **state)
{
	static const struct {
		enum tran_state state;
		bool commits;
		int result;
	} all[] = { { TRAN_ACTIVE, false, OW_TM_ENDING },
		    { TRAN_PREPARING, false, OW_TM_ENDING },
		    { TRAN_PREPARED, false, OW_TM_ENDING },
		    { TRAN_COMMITTING, true, OW_TM_COMMITTED },
		    { TRAN_ABORTING, false, OW_TM_ABORTED },
		    { TRAN_HEURISTIC, true, OW_TM_COMMITTED },
		    { TRAN_HEURISTIC, false, OW_TM_ABORTED } };
	struct ow_tm_remote f = { .m = { .tran = 9 } };
	struct tran *t = add(9);
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		t->state = all[i].state;
		t->commits = all[i].commits;
		superior_status(&f);
		assert_int_equal(f.m.result, all[i].result);
	}
	f.m.tran = 8;
	superior_status(&f);
	assert_int_equal(f.m.result, OW_TM_UNKNOWN);
}

static void a_remote_branch_is_read_as_it_was_written(void **state)
{
	struct tmlog_branch w[2 * SUPERIOR_WORDS];
	struct tran *t = add(9), *u = add(10);
	uint32_t n, k;

	enlist(9, 3, UINT64_C(0x1122334455667788));
	t->branches[0].sub_identity = UINT64_C(0xaabbccddeeff0011);
	n = superior_words(&t->branches[0], w);
	assert_int_equal(n, SUPERIOR_WORDS);
	for (k = 0; k < n; k++)
		assert_int_equal(superior_read(u, w, k), 0);
	assert_int_equal(u->n, 0);
	assert_int_equal(superior_read(u, w, n), n);
	assert_int_equal(u->branches[0].rmid, BRANCH_REMOTE);
	assert_int_equal(u->branches[0].node, 3);
	assert_int_equal(u->branches[0].number, t->branches[0].number);
	assert_int_equal(u->branches[0].sub, t->branches[0].sub);
	assert_int_equal(u->branches[0].sub_identity,
			 t->branches[0].sub_identity);
	assert_int_equal(u->branches[0].state, BRANCH_PREPARED);
}

static void a_lost_log_there_is_not_taken_for_done(void **state)
{
	const struct branch b = { .node = 2, .sub = 4, .sub_identity = 6 };
	struct ow_tm m = { .result = XAER_NOTA, .identity = 6 };

	assert_int_equal(superior_result(&b, &m), XAER_NOTA);
	m.identity = 7;
	assert_int_equal(superior_result(&b, &m), XA_HEURHAZ);
	m.result = XA_OK;
	assert_int_equal(superior_result(&b, &m), XA_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define FACT(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		FACT(a_node_is_one_branch_and_its_first_number_counts),
		FACT(a_number_of_another_log_is_not_ours),
		FACT(what_ends_takes_no_node),
		FACT(a_call_back_is_of_the_superior_and_further_up_is_a_loop),
		FACT(a_node_may_name_its_own_transactions_only),
		FACT(nobody_but_the_superior_ends_a_subordinate),
		FACT(a_vote_without_branches),
		FACT(what_was_decided_by_hand_and_above_is_known_after_a_kill),
		FACT(what_a_superior_has_decided_is_told),
		FACT(a_remote_branch_is_read_as_it_was_written),
		FACT(a_lost_log_there_is_not_taken_for_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
