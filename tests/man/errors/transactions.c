/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transactions.c - errors of tpbegin() and tx_begin() and their relatives
 *
 * The resource managers are those of tests/e2e/programs/testxa.c. RM1 and RM2
 * are their folders, into which this program writes what goes wrong next. It
 * stops the tmsrv of the first one for a while.
 *
 * manager: 1
 */
#include "tests/man/errors/errors.h"

#include <signal.h>
#include <tx.h>

/* XA_HEURHAZ, XA_HEURRB and XAER_RMERR, for orders. */
#define HAZARD "8"
#define ROLLED_BACK "6"
#define REFUSED "-3"

/* What the next call of xa_OP does. */
static void order(const char *rm, const char *op, const char *what)
{
	char path[500];
	FILE *f;

	snprintf(path, sizeof(path), "%s/order.%s", getenv(rm), op);
	f = fopen(path, "w");
	EXPECT(f != NULL && fputs(what, f) >= 0 && fclose(f) == 0);
}

/* Work for both resource managers. */
static void work(void)
{
	char *p = text("add:5"), *q = text("add:5");
	long len;

	EXPECT(tpcall("A", p, 0, &p, &len, 0) == 0);
	EXPECT(tpcall("B", q, 0, &q, &len, 0) == 0);
}

/* A service has failed: only a rollback is left. */
static void doom(void)
{
	char *p = text("fail");
	long len;

	EXPECT(tpcall("A", p, 0, &p, &len, 0) == -1);
}

static void without_library(void)
{
	FAILS(TPEOS, tpopen());
}

static void refused_at_open(void)
{
	order("RM1", "open", "result " REFUSED);
	FAILS(TPERMERR, tpopen());
	order("RM1", "open", "result " REFUSED);
	FAILS(TX_ERROR, tx_open());
}

static void refused_at_the_end(void)
{
	char *p = text("x");
	long len;

	EXPECT(tpopen() == 0 && tpbegin(20, 0) == 0);
	order("RM1", "end", "result " REFUSED);
	FAILS(TPETRAN, tpcall("A", p, 0, &p, &len, TPTRANSUSPEND));
}

/* In the server. */
static void refused_at_an_asynchronous_call(void)
{
	char *p = text("x");
	long len;
	int cd;

	EXPECT(tpopen() == 0 && tpbegin(20, 0) == 0);
	order("RM2", "start", "result " REFUSED);
	cd = tpacall("B", p, 0, 0);
	FAILS(TPETRAN, tpgetrply(&cd, &p, &len, 0));
}

static void left_open(void)
{
	EXPECT(tpopen() == 0 && tpbegin(20, 0) == 0);
	FAILS(TPEPROTO, tpterm());
}

static void without_an_answer(void)
{
	pid_t tmsrv = (pid_t)atoi(getenv("TMSRV_PID"));

	EXPECT(tpopen() == 0 && tmsrv > 1 && kill(tmsrv, SIGSTOP) == 0);
	FAILS(TPETIME, tpbegin(20, 0));
	EXPECT(kill(tmsrv, SIGCONT) == 0);
}

static void with_a_bad_prefix(void)
{
	FAILS(TX_FAIL, tx_begin());
}

static void outcomes(void)
{
	EXPECT(tpopen() == 0 && tpbegin(20, 0) == 0);
	doom();
	FAILS(TPEABORT, tpcommit(0));
	EXPECT(tpbegin(20, 0) == 0);
	work();
	order("RM2", "commit", "lie " ROLLED_BACK);
	FAILS(TPEHEURISTIC, tpcommit(0));
	EXPECT(tpbegin(20, 0) == 0);
	work();
	order("RM2", "commit", "lie " HAZARD);
	FAILS(TPEHAZARD, tpcommit(0));
}

static void suspensions(void)
{
	TPTRANID held;

	EXPECT(tpbegin(20, 0) == 0 && tpsuspend(&held, 0) == 0);
	EXPECT(tpresume(&held, 0) == 0);
	FAILS(TPEPROTO, tpresume(&held, 0));
	EXPECT(tpsuspend(&held, 0) == 0);
	order("RM1", "start", "result " REFUSED);
	FAILS(TPETRAN, tpresume(&held, 0));
	EXPECT(tpresume(&held, 0) == 0);
	EXPECT(tpabort(0) == 0);
	FAILS(TPEMATCH, tpresume(&held, 0));
}

static void tx(void)
{
	FAILS(TX_PROTOCOL_ERROR, tx_commit());
	FAILS(TX_EINVAL, tx_set_commit_return(77));
	EXPECT(tx_begin() == TX_OK);
	doom();
	FAILS(TX_ROLLBACK, tx_commit());
	EXPECT(tx_begin() == TX_OK);
	work();
	order("RM2", "commit", "lie " ROLLED_BACK);
	FAILS(TX_MIXED, tx_commit());
	EXPECT(tx_begin() == TX_OK);
	work();
	order("RM2", "commit", "lie " HAZARD);
	FAILS(TX_HAZARD, tx_commit());
	EXPECT(tx_set_transaction_control(TX_CHAINED) == TX_OK);
	EXPECT(tx_begin() == TX_OK);
	order("RM1", "start", "result " REFUSED);
	FAILS(TX_NO_BEGIN, tx_commit());
	EXPECT(tx_set_transaction_control(TX_UNCHAINED) == TX_OK);
}

int main(void)
{
	with("NDRX_XA_DRIVERLIB=no/such.so", without_library);
	with("NDRX_TOUT=20", refused_at_open);
	with("NDRX_QPREFIX=no/such:name", with_a_bad_prefix);
	EXPECT(tpopen() == 0);
	outcomes();
	suspensions();
	tx();
	EXPECT(tpclose() == 0);
	with("NDRX_TOUT=20", refused_at_the_end);
	with("NDRX_TOUT=20", refused_at_an_asynchronous_call);
	with("NDRX_TOUT=20", left_open);
	with("NDRX_TOUT=1", without_an_answer);
	return wrong;
}
