/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tm.c - a tmsrv that is silent is not asked for a while, and is told all the
 * same what must not be committed
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/system.h"
#include "libatmi/domain/domain.h"
#include "libatmi/tran/tm.h"

#define PATIENCE_NS (5 * OW_NS_PER_SEC)
#define TRAN	    UINT64_C(0x0100650000000007)
#define OTHER	    UINT64_C(0x0100660000000007) /* of another tmsrv */

static struct ow_domain domain;
static struct ow_ctx ctx = { .dom = &domain };
static bool silent;
static int asked, told;
static uint64_t told_until, now = OW_NS_PER_SEC;

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
struct ow_ctx *__wrap_ow_ctx_get(void);
uint64_t __wrap_ow_timeout_lasting(const struct ow_ctx *c, uint64_t from);
int __wrap_ow_system_call(struct ow_ctx *c, struct ow_system_call *q,
			  struct ow_system_answer *ret);
void __wrap_ow_system_done(struct ow_ctx *c, struct ow_system_answer *a);
int __wrap_ow_system_tell(struct ow_ctx *c, struct ow_system_call *q);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	ret->tv_sec = (time_t)(now / OW_NS_PER_SEC);
	ret->tv_nsec = (long)(now % OW_NS_PER_SEC);
	return 0;
}

struct ow_ctx *__wrap_ow_ctx_get(void)
{
	return &ctx;
}

uint64_t __wrap_ow_timeout_lasting(const struct ow_ctx *c, uint64_t from)
{
	return from + 60 * OW_NS_PER_SEC;
}

int __wrap_ow_system_call(struct ow_ctx *c, struct ow_system_call *q,
			  struct ow_system_answer *ret)
{
	asked++;
	if (silent) {
		now = q->deadline;
		return ow_tp_fail(TPETIME, "silent");
	}
	*ret = (struct ow_system_answer){ .data = q->piece[0].iov_base,
					  .len = q->piece[0].iov_len };
	return 0;
}

void __wrap_ow_system_done(struct ow_ctx *c, struct ow_system_answer *a)
{
}

int __wrap_ow_system_tell(struct ow_ctx *c, struct ow_system_call *q)
{
	told++;
	told_until = q->deadline;
	return 0;
}

static int ask(uint32_t op, uint64_t tran)
{
	struct ow_tm m = { .op = op, .tran = tran };

	return ow_tm_ask_owner(&m);
}

static int set_up(void **state)
{
	ow_tm_be_brief(PATIENCE_NS);
	now += PATIENCE_NS;
	silent = true;
	asked = told = 0;
	return 0;
}

/* The question itself is too late when it goes on; the word is not. */
static void who_does_not_answer_finds_a_word_about_what_is_doomed(void **state)
{
	assert_int_equal(ask(OW_TM_DOOM, TRAN), -1);
	assert_int_equal(tperrno, TPETIME);
	assert_int_equal(asked, 1);
	assert_int_equal(told, 1);
	assert_true(told_until >= now + 30 * OW_NS_PER_SEC);
	assert_int_equal(ask(OW_TM_ABORT, TRAN), -1);
	assert_int_equal(tperrno, TPETIME);
	assert_int_equal(asked, 1);
	assert_int_equal(told, 2);
}

static void it_is_not_asked_for_a_while_and_others_are(void **state)
{
	assert_int_equal(ask(OW_TM_JOIN, TRAN), -1);
	assert_int_equal(ask(OW_TM_JOIN, TRAN), -1);
	assert_int_equal(asked, 1);
	silent = false;
	assert_int_equal(ask(OW_TM_JOIN, OTHER), 0);
	assert_int_equal(ask(OW_TM_JOIN, TRAN), -1);
	now += PATIENCE_NS;
	assert_int_equal(ask(OW_TM_JOIN, TRAN), 0);
	assert_int_equal(told, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			who_does_not_answer_finds_a_word_about_what_is_doomed,
			set_up),
		cmocka_unit_test_setup(
			it_is_not_asked_for_a_while_and_others_are, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
