/* SPDX-License-Identifier: Apache-2.0 */
/* test_voted.c - a subordinate that has voted is ended before its answer goes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "servers/tmsrv/branches.h"
#include "servers/tmsrv/end.h"
#include "servers/tmsrv/log.h"
#include "servers/tmsrv/table.h"
#include "servers/tmsrv/work.h"
#include "tests/unit/servers/folder.h"

#define ID   9u
#define RMID 3u

static char folder[64];
static struct tmlog *decisions;
static bool ended;
static int answered;

void __real_table_unlock(void);
void __wrap_table_unlock(void);
void __wrap_branches_do(struct tran *t, enum ow_tm_op op,
			enum branch_state which);
void __wrap_work_answer(struct job *j, const char *text);

void __wrap_branches_do(struct tran *t, enum ow_tm_op op,
			enum branch_state which)
{
	assert_int_equal(op, OW_TM_BRANCH_PREPARE);
	assert_int_equal(which, BRANCH_ACTIVE);
	t->branches[0].result = XA_OK;
}

/* Its superior, which waits no longer, has another job roll it back. */
void __wrap_table_unlock(void)
{
	struct tran *t = table_find(ID);

	if (t != NULL && t->state == TRAN_PREPARED && !t->busy && !ended) {
		free(t->branches); /* and `t`, with table_remove() */
		t->branches = NULL;
		t->n = UINT32_MAX;
		ended = true;
	}
	__real_table_unlock();
}

void __wrap_work_answer(struct job *j, const char *text)
{
	assert_null(text);
	assert_true(ended);
	assert_int_equal(j->m.result, XA_OK);
	assert_true(j->m.identity == tmlog_identity(decisions));
	answered++;
}

static void its_answer_says_what_it_was(void **state)
{
	struct job j = { .m = { .op = OW_TM_SUB_PREPARE, .tran = ID } };
	bool is_new;

	(void)state;
	j.t = table_add(ID, 1000, 0);
	assert_non_null(j.t);
	assert_non_null(table_join(j.t, RMID, true, &is_new));
	j.t->sup = (struct superior){ .node = 2, .tran = 77, .depth = 1 };
	j.t->state = TRAN_PREPARING;
	j.t->busy = true;
	end_run(&j);
	assert_int_equal(answered, 1);
	table_remove(j.t);
}

static int set_up(void **state)
{
	char why[300] = "";

	(void)state;
	folder_make(folder, "/tmp/ow_voted");
	if (tmlog_open(folder, "TRN.log", &decisions, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	end_begin(decisions, RMID);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	decisions = tmlog_close(decisions);
	return folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_answer_says_what_it_was),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
