/* SPDX-License-Identifier: Apache-2.0 */
/* test_timeout.c - time-outs, descriptors and contexts of calls */
#include "tests/unit/libatmi/domain_fixture.h"

#include <xatmi.h>

#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/slot.h"
#include "libatmi/call/timeout.h"
#include "libatmi/base/tperror.h"
#include "libatmi/domain/prc.h"

static struct ow_ctx *ctx(void)
{
	struct ow_ctx *c = ow_ctx_get();

	assert_non_null(c);
	return c;
}

static int fresh(void **state)
{
	ow_ctx_leave();
	return 0;
}

/* NDRX_TOUT is 60 s here. tptoutset() has effect until the process ends. */
static void the_time_out_with_the_narrowest_scope_counts(void **state)
{
	struct ow_ctx *c = ctx();

	assert_int_equal(ow_timeout_take(c), 60000);
	assert_int_equal(tptoutget(), 60);
	assert_int_equal(tpgblktime(0), 60);
	assert_int_equal(tptoutset(20), 0);
	assert_int_equal(ow_timeout_take(c), 20000);
	assert_int_equal(tpsblktime(10, TPBLK_ALL), 0);
	assert_int_equal(tpsblktime(5, TPBLK_NEXT), 0);
	assert_int_equal(tpgblktime(0), 5);
	assert_int_equal(tpgblktime(TPBLK_ALL), 10);
	assert_int_equal(ow_timeout_take(c), 5000);
	assert_int_equal(ow_timeout_take(c), 10000); /* TPBLK_NEXT is used up */
	assert_int_equal(tpgblktime(TPBLK_NEXT), 0);
	assert_int_equal(tpsblktime(0, TPBLK_ALL), 0);
	assert_int_equal(ow_timeout_take(c), 20000);
}

static void a_time_out_may_be_given_in_milliseconds(void **state)
{
	struct ow_ctx *c = ctx();

	assert_int_equal(tpsblktime(1500, TPBLK_NEXT | TPBLK_MILLISECOND), 0);
	assert_int_equal(tpgblktime(TPBLK_NEXT), 2);
	assert_int_equal(tpgblktime(TPBLK_NEXT | TPBLK_MILLISECOND), 1500);
	assert_int_equal(tpgblktime(TPBLK_MILLISECOND), 1500);
	assert_int_equal(ow_timeout_take(c), 1500);
	assert_int_equal(tpsblktime(3, TPBLK_ALL | TPBLK_SECOND), 0);
	assert_int_equal(tpgblktime(TPBLK_ALL | TPBLK_MILLISECOND), 3000);
	assert_int_equal(tpsblktime(0, TPBLK_ALL), 0);
	assert_int_equal(tpsblktime(1, TPBLK_MILLISECOND), -1);
	assert_int_equal(tperrno, TPEINVAL);
}

static void an_absolute_priority_is_1_to_100(void **state)
{
	static const int bad[] = { 0, -1, 101, INT32_MAX, INT32_MIN };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(tpsprio(bad[i], TPABSOLUTE), -1);
		assert_int_equal(tperrno, TPEINVAL);
		assert_int_equal(tpsprio(bad[i], 0), 0); /* a difference */
	}
	assert_int_equal(tpsprio(1, TPABSOLUTE), 0);
	assert_int_equal(tpsprio(100, TPABSOLUTE), 0);
}

static void bad_times_and_flags_are_refused(void **state)
{
	assert_int_equal(tptoutset(0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tptoutset(-1), -1);
	assert_int_equal(tptoutset(INT32_MAX), -1);
	assert_int_equal(tpsblktime(-1, TPBLK_NEXT), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpsblktime(1, 0), -1);
	assert_int_equal(tpsblktime(1, TPBLK_NEXT | TPBLK_ALL), -1);
	assert_int_equal(tpgblktime(77), -1);
	assert_int_equal(tpsprio(1, 2), -1);
}

static void TPNOTIME_means_no_deadline(void **state)
{
	struct ow_ctx *c = ctx();
	uint64_t now = ow_clock_mono_ns();

	tpsblktime(3, TPBLK_NEXT);
	assert_int_equal(ow_timeout_deadline(c, TPNOTIME, now),
			 OW_DEADLINE_NEVER);
	assert_int_equal(tpgblktime(TPBLK_NEXT), 0); /* used up */
	tpsblktime(3, TPBLK_NEXT);
	assert_int_equal(ow_timeout_deadline(c, 0, now),
			 now + 3 * OW_NS_PER_SEC);
}

static void a_failed_call_uses_up_the_time_out_of_the_next_call(void **state)
{
	char *data = NULL;
	long len = 0;

	tpsblktime(3, TPBLK_NEXT);
	assert_int_equal(tpcall("NOBODY", NULL, 0, &data, &len, 0), -1);
	assert_int_equal(tperrno, TPENOENT);
	assert_int_equal(tpgblktime(TPBLK_NEXT), 0);
}

static void every_descriptor_is_given_out_once(void **state)
{
	static bool seen[OW_CD_MAX];
	struct ow_ctx *c = ctx();
	uint64_t seq = 0, last = 0;
	int i, cd;

	assert_int_equal(ow_slot_need(c), 0);
	for (i = 1; i < OW_CD_MAX; i++) {
		cd = ow_call_new(c, &seq);
		assert_in_range(cd, 1, OW_CD_MAX - 1);
		assert_false(seen[cd]);
		seen[cd] = true;
		assert_true(seq > last);
		last = seq;
	}
	assert_int_equal(ow_call_new(c, &seq), 0);
	ow_call_drop(c, 77);
	ow_call_drop(c, 77);
	assert_int_equal(c->outstanding, OW_CD_MAX - 2);
	assert_int_equal(ow_call_new(c, &seq), 77);
	assert_true(seq > last);
	ow_call_drop_all(c);
	assert_int_equal(c->outstanding, 0);
	assert_null(ow_call_find(c, 77));
	assert_null(ow_call_find(c, 0));
	assert_null(ow_call_find(c, -1));
	assert_null(ow_call_find(c, OW_CD_MAX));
}

static void leaving_frees_slot_and_queue(void **state)
{
	struct ow_ctx *c = ctx();
	uint32_t slot;
	char name[96];

	assert_int_equal(ow_slot_need(c), 0);
	slot = c->slot;
	ow_clt_queue(dom->tables, slot, name);
	assert_int_equal(dom->tables->clt[slot].gen & 1, 1);
	ow_ctx_leave();
	assert_int_equal(dom->tables->clt[slot].gen & 1, 0);
	assert_false(dom_mq_exists(name));
	ow_ctx_leave();
	assert_null(ow_ctx_peek());
}

static void use_in_child(void *arg)
{
	struct ow_ctx *parents = arg;
	struct ow_ctx *c;

	if (ow_ctx_peek() != NULL)
		_exit(1);
	c = ow_ctx_get();
	if (c == NULL || ow_slot_need(c) != 0)
		_exit(2);
	if (c->slot == parents->slot)
		_exit(3);
	ow_ctx_leave();
	_exit((dom->tables->clt[parents->slot].gen & 1) == 1 ? 0 : 4);
}

static void a_forked_child_gets_a_new_context(void **state)
{
	struct ow_ctx *c = ctx();
	uint32_t depth = 9;

	assert_int_equal(ow_slot_need(c), 0);
	assert_int_equal(in_child(use_in_child, c), 0);
	assert_int_equal(ow_queue_peek(dom, ow_mailbox(c->slot), &depth),
			 0);
	assert_int_equal(atomic_load(&c->clt->gen), c->gen);
}

static void call_in_a_crowd(void *unused)
{
	struct ow_ctx *c = ow_ctx_get();

	if (c == NULL || ow_slot_need(c) != -1)
		_exit(1);
	if (tperrno != TPELIMIT)
		_exit(2);
	if (strstr(tpstrerror(tperrno), "process slots of the domain") == NULL)
		_exit(3);
}

static void a_domain_without_a_free_process_slot_says_so(void **state)
{
	struct ow_tables *t = dom->tables;
	uint32_t i, own = ow_prc_self(t);

	for (i = 1; i < OW_PRC_MAX; i++) /* all of a living process */
		atomic_store(&t->prc[i].owner, ow_proc_id_self());
	assert_int_equal(in_child(call_in_a_crowd, NULL), 0);
	for (i = 1; i < OW_PRC_MAX; i++)
		if (i != own)
			atomic_store(&t->prc[i].owner, 0);
}

static void *join_and_end(void *arg)
{
	struct ow_ctx *c = ow_ctx_get();

	if (c == NULL || ow_slot_need(c) != 0)
		return NULL;
	ow_clt_queue(dom->tables, c->slot, arg);
	return arg;
}

static void a_thread_that_ends_leaves_nothing(void **state)
{
	char name[96] = "";
	void *ret = NULL;
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, join_and_end, name), 0);
	pthread_join(t, &ret);
	assert_non_null(ret);
	assert_false(dom_mq_exists(name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_teardown(test, fresh)
		T(the_time_out_with_the_narrowest_scope_counts),
		T(a_time_out_may_be_given_in_milliseconds),
		T(an_absolute_priority_is_1_to_100),
		T(bad_times_and_flags_are_refused),
		T(TPNOTIME_means_no_deadline),
		T(a_failed_call_uses_up_the_time_out_of_the_next_call),
		T(every_descriptor_is_given_out_once),
		T(leaving_frees_slot_and_queue),
		T(a_forked_child_gets_a_new_context),
		T(a_thread_that_ends_leaves_nothing),
		T(a_domain_without_a_free_process_slot_says_so),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
