/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_switch.c - what tmsrv may believe of a tmqueue that gives no answer, or
 * refuses
 *
 * This program has the function that calls. A commit that has certainly changed
 * nothing must not count as sent: a branch that is gone afterwards was not
 * committed by it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <xa.h>
#include <xatmi.h>

#include "drivers/aqdisk/openstr.h"
#include "libatmi/durable/message.h"

struct xa_switch_t *ndrx_get_xa_switch(void);
int ndrx_xa_has_sent(void);

/* What the next call does. */
static struct {
	int tperr;	/* tpcall() fails with it; 0: it is answered */
	bool unbegun;	/* and says that no server has begun it */
	int refused;	/* the answer says this */
	int xa;		/* or this */
	bool garbage;	/* it is no answer */
	uint16_t op;	/* what was asked */
	uint32_t flags; /* with these flags */
	int branches;	/* RECOVER finds so many */
	uint8_t behind; /* it was asked for those behind this one; 0: all */
} q;

/* As many branches, numbered from 1. */
static char *list(long *ret_len)
{
	struct ow_mq_xid rows[4] = { { .gtrid = 0 } };
	struct ow_mq_answer a = { .magic = OW_MQ_ANSWER };
	int i;

	for (i = 0; i < q.branches; i++)
		rows[i] = (struct ow_mq_xid){ .format = 1, .gtrid = 1,
					      .data = { (uint8_t)(i + 1) } };
	a.count = (uint64_t)q.branches;
	a.len = a.count * sizeof(rows[0]);
	return ow_mq_answer_write(&a, rows, ret_len);
}

static char *answer(long *ret_len)
{
	struct ow_mq_answer a = { .magic = OW_MQ_ANSWER, .tperr = q.refused,
				  .count = (uint64_t)(q.xa + OW_MQ_XA_BASE) };

	if (q.refused != 0)
		a.count = 0;
	if (q.garbage)
		a.magic = 0;
	return ow_mq_answer_write(&a, NULL, ret_len);
}

int __wrap_tpcall(char *svc, char *idata, long ilen, char **odata, long *olen,
		  long flags);

int __wrap_tpcall(char *svc, char *idata, long ilen, char **odata, long *olen,
		  long flags)
{
	struct ow_mq_message m;

	assert_string_equal(svc, "@QSPS");
	assert_int_equal(ow_mq_request_read(idata, ilen, &m), 0);
	assert_true(m.head.xid.gtrid == 1 || m.head.op == OW_MQ_RECOVER);
	q.behind = m.head.xid.gtrid == 1 ? m.head.xid.data[0] : 0;
	q.op = m.head.op;
	q.flags = m.head.flags;
	tperrno = q.tperr;
	if (q.unbegun)
		tpurcode = LONG_MIN;
	if (q.tperr != 0)
		return -1;
	tpfree(*odata);
	*odata = q.op == OW_MQ_RECOVER ? list(olen) : answer(olen);
	return 0;
}

static XID branch = { .formatID = 1, .gtrid_length = 1, .bqual_length = 1,
		      .data = "gb" };

static int commit(long flags)
{
	return ndrx_get_xa_switch()->xa_commit_entry(&branch, 5, flags);
}

static int setup(void **state)
{
	char info[] = "datadir=\"/x\",qspace=\"S\"";

	memset(&q, 0, sizeof(q));
	tpurcode = 0;
	return ndrx_get_xa_switch()->xa_open_entry(info, 5, 0) == XA_OK ? 0
									: -1;
}

static void what_no_server_has_begun_was_not_sent(void **state)
{
	static const int errors[] = { TPENOENT, TPEPERM, TPEBLOCK, TPEOS,
				      TPELIMIT, TPETIME, TPESVCERR };
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		q.tperr = errors[i];
		q.unbegun = true;
		assert_int_equal(commit(0), XAER_RMFAIL);
		assert_int_equal(ndrx_xa_has_sent(), 0);
	}
}

/* tpurcode of an earlier call says nothing. */
static void what_may_have_been_begun_was_sent(void **state)
{
	static const int errors[] = { TPETIME, TPESVCERR, TPESYSTEM, TPEOS };
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		q.tperr = errors[i];
		tpurcode = LONG_MIN;
		assert_int_equal(commit(0), XAER_RMFAIL);
		assert_int_not_equal(ndrx_xa_has_sent(), 0);
	}
	q.tperr = 0;
	q.garbage = true;
	assert_int_equal(commit(0), XAER_RMFAIL);
	assert_int_not_equal(ndrx_xa_has_sent(), 0);
}

/* A full disk: tmqueue has undone what it began. */
static void what_tmqueue_refuses_was_not_sent(void **state)
{
	q.refused = TPEOS;
	assert_int_equal(commit(0), XAER_RMFAIL);
	assert_int_equal(ndrx_xa_has_sent(), 0);
	q.refused = 0;
	assert_int_equal(commit(0), XA_OK);
	assert_int_not_equal(ndrx_xa_has_sent(), 0);
}

static void codes_of_tmqueue_are_those_of_the_switch(void **state)
{
	static const int codes[] = { XA_OK, XA_RDONLY, XAER_NOTA, XAER_PROTO,
				     XAER_RMERR };
	struct xa_switch_t *sw = ndrx_get_xa_switch();
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		q.xa = codes[i];
		assert_int_equal(sw->xa_prepare_entry(&branch, 5, 0), codes[i]);
		assert_int_equal(q.op, OW_MQ_PREPARE);
		assert_int_equal(sw->xa_rollback_entry(&branch, 5, 0),
				 codes[i]);
		assert_int_equal(q.op, OW_MQ_ROLLBACK);
		assert_int_equal(commit(TMONEPHASE), codes[i]);
		assert_int_equal(q.op, OW_MQ_COMMIT);
		assert_int_equal(q.flags, TMONEPHASE);
	}
}

/* tmqueue itself joins: who goes on with a branch asks nothing. */
static void only_the_beginning_of_a_branch_is_said(void **state)
{
	struct xa_switch_t *sw = ndrx_get_xa_switch();

	assert_int_equal(sw->xa_start_entry(&branch, 5, TMJOIN), XA_OK);
	assert_int_equal(sw->xa_start_entry(&branch, 5, TMRESUME), XA_OK);
	assert_int_equal(sw->xa_end_entry(&branch, 5, TMSUCCESS), XA_OK);
	assert_int_equal(q.op, 0);
	assert_int_equal(sw->xa_start_entry(&branch, 5, TMNOFLAGS), XA_OK);
	assert_int_equal(q.op, OW_MQ_BEGIN);
	q.xa = XAER_RMERR;
	assert_int_equal(sw->xa_start_entry(&branch, 5, TMNOFLAGS),
			 XAER_RMERR);
}

/* A scan goes on behind the last branch that it has given. */
static void a_scan_gives_each_branch_once(void **state)
{
	struct xa_switch_t *sw = ndrx_get_xa_switch();
	XID xids[4];

	q.branches = 3;
	assert_int_equal(sw->xa_recover_entry(xids, 2, 5, TMSTARTRSCAN), 2);
	assert_int_equal(q.behind, 0);
	assert_int_equal(xids[1].data[0], 2);
	assert_int_equal(sw->xa_recover_entry(xids, 4, 5, TMNOFLAGS), 3);
	assert_int_equal(q.behind, 2);
	assert_int_equal(xids[2].data[0], 3);
	q.branches = 0;
	assert_int_equal(sw->xa_recover_entry(xids, 4, 5, TMNOFLAGS), 0);
	assert_int_equal(q.behind, 3);
	q.op = 0;
	assert_int_equal(sw->xa_recover_entry(xids, 0, 5, TMENDRSCAN), 0);
	assert_int_equal(q.op, 0);
	q.branches = 1;
	assert_int_equal(sw->xa_recover_entry(xids, 4, 5, TMSTARTRSCAN), 1);
	assert_int_equal(q.behind, 0);
	q.tperr = TPENOENT;
	assert_int_equal(sw->xa_recover_entry(xids, 4, 5, TMSTARTRSCAN),
			 XAER_RMFAIL);
}

static void open_strings_have_quotes_or_none(void **state)
{
	static const struct {
		const char *text, *item, *want; /* NULL: no room for it */
	} all[] = {
		{ "datadir=\"a, b\",qspace=\"S\"", "datadir", "a, b" },
		{ "datadir='/x',qspace='S'", "qspace", "S" },
		{ "datadir=/x,qspace=S", "datadir", "/x" },
		{ "qspace=\"a\\\"b\"", "qspace", "a\"b" },
		{ "qspace=123456789012345", "qspace", "123456789012345" },
		{ "qspace=1234567890123456", "qspace", NULL },
	};
	char to[16];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(openstr_item(all[i].text, all[i].item, to,
					      sizeof(to)),
				 all[i].want != NULL ? 0 : -EINVAL);
		if (all[i].want != NULL)
			assert_string_equal(to, all[i].want);
	}
}

static void a_branch_without_an_id_is_refused_unasked(void **state)
{
	XID none = { .formatID = 1 };

	assert_int_equal(ndrx_get_xa_switch()->xa_commit_entry(&none, 5, 0),
			 XAER_INVAL);
	assert_int_equal(q.op, 0);
}

int main(void)
{
#define FACT(name) cmocka_unit_test_setup(name, setup)
	const struct CMUnitTest tests[] = {
		FACT(what_no_server_has_begun_was_not_sent),
		FACT(what_may_have_been_begun_was_sent),
		FACT(what_tmqueue_refuses_was_not_sent),
		FACT(codes_of_tmqueue_are_those_of_the_switch),
		FACT(only_the_beginning_of_a_branch_is_said),
		FACT(a_scan_gives_each_branch_once),
		FACT(open_strings_have_quotes_or_none),
		FACT(a_branch_without_an_id_is_refused_unasked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
