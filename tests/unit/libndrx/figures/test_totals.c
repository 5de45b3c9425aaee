/* SPDX-License-Identifier: Apache-2.0 */
/* test_totals.c - counters of the tables, added up so that they only grow */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "libndrx/figures/totals.h"

static struct ow_observer v;
static struct ow_totals *totals;
static char path[64];

/* Tables with one service, offered by servers 1 and 2. */
static int open_all(void **state)
{
	struct ow_tables *t;
	int svc;

	snprintf(path, sizeof(path), "/dev/shm/ow_test_totals,%d",
		 (int)getpid());
	unlink(path);
	if (ow_tables_open(path, true, &v.d.tables) != 0)
		return -1;
	t = v.d.tables;
	assert_int_equal(ow_tables_lock(t), 0);
	svc = ow_svc_name(t, "ECHO");
	ow_tables_unlock(t);
	for (uint32_t id = 1; id <= 2; id++) {
		assert_int_equal(ow_srv_take(t, id, "sv"), 0);
		assert_int_equal(ow_srv_need_row(t, id, 0), 0);
		ow_tables_adv(t, id)[0].svc = (uint32_t)svc + 1;
		t->srv[id].nadv = 1;
	}
	totals = ow_totals_open();
	return totals != NULL ? 0 : -1;
}

static int close_all(void **state)
{
	totals = ow_totals_close(totals);
	ow_observer_close(&v);
	unlink(path);
	return 0;
}

static const struct ow_total *look(void)
{
	assert_int_equal(ow_totals_look(totals, &v), 0);
	return ow_totals_service(
	    totals, (uint32_t)ow_svc_find(v.d.tables, "ECHO"));
}

static uint64_t count_of(int counter)
{
	return look()->counts.n[counter];
}

static void rows_of_servers_are_added_up(void **state)
{
	struct ow_adv *a = &ow_tables_adv(v.d.tables, 1)[0];
	struct ow_adv *b = &ow_tables_adv(v.d.tables, 2)[0];

	a->ok = 10;
	b->ok = 5;
	b->hist[4] = 5;
	assert_int_equal(count_of(OW_CNT_OK), 15);
	assert_int_equal(count_of(OW_CNT_OK), 15);
	a->ok = 11;
	assert_int_equal(count_of(OW_CNT_OK), 16);
	assert_int_equal(count_of(OW_CNT_HIST + 4), 5);
}

static void a_row_that_restarts_at_zero_does_not_lower_the_total(void **state)
{
	struct ow_adv *a = &ow_tables_adv(v.d.tables, 1)[0];

	a->ok = 100;
	a->wakeups = 50;
	a->wait_hist[3] = 9;
	look();
	a->ok = a->wakeups = a->wait_hist[3] = 0;
	v.d.tables->srv[1].nadv = 0;
	assert_int_equal(count_of(OW_CNT_OK), 100);
	v.d.tables->srv[1].nadv = 1;
	a->ok = 3;
	a->wait_hist[3] = 1;
	assert_int_equal(count_of(OW_CNT_OK), 103);
	assert_int_equal(count_of(OW_CNT_WAKEUPS), 50);
	assert_int_equal(count_of(OW_CNT_WAIT_HIST + 3), 10);
}

static void a_new_process_that_counts_higher_is_counted_from_zero(void **state)
{
	struct ow_adv *a = &ow_tables_adv(v.d.tables, 1)[0];

	a->ok = a->hist[3] = 30;
	look();
	v.d.tables->srv[1].start++; /* nobody looked in between */
	a->ok = a->hist[3] = 31;
	assert_int_equal(count_of(OW_CNT_OK), 61);
	assert_int_equal(count_of(OW_CNT_HIST + 3), 61);
	a->ok = 32;
	assert_int_equal(count_of(OW_CNT_OK), 62);
}

static void a_reused_row_counts_for_its_new_service(void **state)
{
	struct ow_tables *t = v.d.tables;
	int other;

	ow_tables_adv(t, 1)[0].ok = 7;
	look();
	assert_int_equal(ow_tables_lock(t), 0);
	other = ow_svc_name(t, "OTHER");
	ow_tables_unlock(t);
	ow_tables_adv(t, 1)[0].svc = (uint32_t)other + 1;
	ow_tables_adv(t, 1)[0].ok = 8;
	assert_int_equal(count_of(OW_CNT_OK), 7);
	assert_int_equal(ow_totals_service(totals, (uint32_t)other)
			     ->counts.n[OW_CNT_OK],
			 8);
}

static void servers_at_work_are_counted_at_each_look(void **state)
{
	v.d.tables->srv[1].cur_adv = 1;
	v.d.tables->srv[2].cur_adv = 1;
	assert_int_equal(look()->busy, 2);
	v.d.tables->srv[1].cur_adv = 0;
	assert_int_equal(look()->busy, 1);
}

static void totals_keep_the_calls_of_clients_that_left(void **state)
{
	const struct ow_totals_clients *c = ow_totals_clients(totals);
	struct ow_tables *t = v.d.tables;
	uint32_t slot;

	assert_int_equal(ow_clt_take(t, &slot), 0);
	t->clt[slot].calls = 20;
	t->clt[slot].outstanding = 2;
	look();
	assert_int_equal(c->calls, 20);
	assert_int_equal(c->outstanding, 2);
	ow_clt_clear(t, slot);
	look();
	assert_int_equal(c->contexts, 0);
	assert_int_equal(ow_clt_take(t, &slot), 0);
	t->clt[slot].calls = 25; /* more than the one before */
	look();
	assert_int_equal(c->calls, 45);
	assert_int_equal(c->contexts, 1);
}

static void damaged_rows_are_left_out(void **state)
{
	ow_tables_adv(v.d.tables, 1)[0].svc = UINT32_MAX;
	v.d.tables->srv[2].nadv = UINT32_MAX;
	assert_non_null(look());
	assert_int_equal(ow_totals_service(totals, UINT32_MAX)->counts.n[OW_CNT_OK],
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup_teardown(test, open_all, close_all)
		T(rows_of_servers_are_added_up),
		T(a_row_that_restarts_at_zero_does_not_lower_the_total),
		T(a_new_process_that_counts_higher_is_counted_from_zero),
		T(a_reused_row_counts_for_its_new_service),
		T(servers_at_work_are_counted_at_each_look),
		T(totals_keep_the_calls_of_clients_that_left),
		T(damaged_rows_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
