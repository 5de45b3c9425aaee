/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - errors of calls, conversations, events and messages
 */
#include "tests/man/errors/errors.h"

#include <tpbind.h>

#include <tpadm.h>

static char *data, *reply;
static long len;

static void requests(void)
{
	char *other = tpalloc("CARRAY", NULL, 10);
	int cd = tpacall("ECHO", data, 0, 0);

	FAILS(TPEINVAL, tpcall(NULL, data, 0, &reply, &len, 0));
	FAILS(TPENOENT, tpcall("NOBODY", data, 0, &reply, &len, 0));
	FAILS(TPESVCFAIL, tpcall("FAIL", data, 0, &reply, &len, 0));
	FAILS(TPESVCERR, tpcall("NOTRETURN", data, 0, &reply, &len, 0));
	FAILS(TPEOTYPE, tpcall("ECHO", data, 0, &other, &len, TPNOCHANGE));
	FAILS(TPEINVAL, tpacall(NULL, data, 0, 0));
	FAILS(TPENOENT, tpacall("NOBODY", data, 0, 0));
	FAILS(TPEOTYPE, tpgetrply(&cd, &other, &len, TPNOCHANGE));
	FAILS(TPEBADDESC, tpcancel(12345));
	cd = tpacall("FAIL", data, 0, 0);
	FAILS(TPESVCFAIL, tpgetrply(&cd, &reply, &len, 0));
	cd = tpacall("NOTRETURN", data, 0, 0);
	FAILS(TPESVCERR, tpgetrply(&cd, &reply, &len, 0));
}

static void descriptors(void)
{
	while (tpacall("ECHO", NULL, 0, 0) > 0)
		;
	FAILS(TPELIMIT, tpacall("ECHO", NULL, 0, 0));
	FAILS(TPELIMIT, tpdequeue("ORDERS", "NEW", &(TPQCTL){ .flags = 0 },
				  &reply, &len, TPNOTRAN));
}

/* With an ordinary service each is over at once, and open until tprecv(). */
static void connections(void)
{
	while (tpconnect("ECHO", NULL, 0, TPSENDONLY) >= 0)
		;
	FAILS(TPELIMIT, tpconnect("ECHO", NULL, 0, TPSENDONLY));
}

static void conversations(void)
{
	char *other = tpalloc("CARRAY", NULL, 10);
	long event;
	int cd;

	FAILS(TPEINVAL, tpconnect(NULL, NULL, 0, TPSENDONLY));
	FAILS(TPENOENT, tpconnect("NOBODY", NULL, 0, TPSENDONLY));
	cd = tpconnect("CONV", text("recv send:x sleep:1"), 0, TPSENDONLY);
	EXPECT(cd >= 0);
	FAILS(TPEPROTO, tprecv(cd, &reply, &len, 0, &event));
	EXPECT(tpsend(cd, data, 0, TPRECVONLY, &event) == 0);
	FAILS(TPEOTYPE, tprecv(cd, &other, &len, TPNOCHANGE, &event));
	EXPECT(tpdiscon(cd) == 0);
	cd = tpconnect("CONV", text("recv"), 0, TPSENDONLY);
	EXPECT(tpsend(cd, data, 0, TPRECVONLY, &event) == 0);
	FAILS(TPEEVENT, tprecv(cd, &reply, &len, 0, &event));
}

static void without_memory(void)
{
	FAILS_WITHOUT_MEMORY(TPEOS, tpcall("ECHO", NULL, 0, &reply, &len, 0));
	FAILS_WITHOUT_MEMORY(TPEOS, tpinit(NULL));
	FAILS_WITHOUT_MEMORY(TPEOS, tpreplyfd());
	FAILS_WITHOUT_MEMORY(TPEOS, tpacall("ECHO", NULL, 0, 0));
}

static void messages(void)
{
	FAILS(TPEINVAL, tpnotify(NULL, data, 0, 0));
}

static void events(void)
{
	FAILS(TPEINVAL, tppost(NULL, data, 0, 0));
	FAILS(TPEINVAL, tpsubscribe("(", NULL, NULL, 0));
}

static void durable(void)
{
	TPQCTL ctl = { .flags = 0 };
	char *other = tpalloc("CARRAY", NULL, 10);

	FAILS(TPEINVAL, tpenqueue("ORDERS", NULL, &ctl, data, 0, TPNOTRAN));
	FAILS(TPENOENT, tpenqueue("NOSPACE", "NEW", &ctl, data, 0, TPNOTRAN));
	FAILS(TPEDIAGNOSTIC, tpdequeue("ORDERS", "EMPTY", &ctl, &reply, &len,
				       TPNOTRAN));
	EXPECT(tpenqueue("ORDERS", "NEW", &ctl, data, 0, TPNOTRAN) == 0);
	FAILS(TPEOTYPE, tpdequeue("ORDERS", "NEW", &ctl, &other, &len,
				  TPNOTRAN | TPNOCHANGE));
}

static void transactions(void)
{
	TPTRANID id;

	FAILS(TPEPROTO, tpcommit(0));
	FAILS(TPEINVAL, tpbegin(5, -1));
	FAILS(TPENOENT, ndrx_xa_sw_get());
	memset(&id, 0, sizeof(id));
	FAILS(TPEINVAL, tpresume(NULL, 0));
}

static void administration(void)
{
	UBFH *in = (UBFH *)tpalloc("UBF", NULL, 1024), *out = NULL;

	CBadd(in, Bfldid("TA_OPERATION"), "GET", 0, BFLD_STRING);
	CBadd(in, Bfldid("TA_CLASS"), "T_NOTHING", 0, BFLD_STRING);
	FAILS(TPEMIB, tpadmcall(in, &out, 0));
}

static void groups(void)
{
	FAILS(TPEINVAL, tpsgislocked(1000, 0, NULL));
	FAILS(TPENOENT, tpsgislocked(60, 0, NULL));
}

static void other_view(void)
{
	char *view = tpalloc("VIEW", "CUSTOMER", 0);
	int cd = tpacall("ECHO", view, 0, 0);

	FAILS(TPEITYPE, tpgetrply(&cd, &reply, &len, 0));
	FAILS(TPEITYPE, tpcall("ECHO", view, 0, &reply, &len, 0));
	FAILS(TPEITYPE, tpconnect("CONV", view, 0, TPSENDONLY));
	EXPECT(tpenqueue("ORDERS", "VIEWS", &(TPQCTL){ .flags = 0 }, view, 0,
			 TPNOTRAN) == 0);
}

static void view_of_another(void)
{
	FAILS(TPEITYPE, tpdequeue("ORDERS", "VIEWS", &(TPQCTL){ .flags = 0 },
				  &reply, &len, TPNOTRAN));
}

static void with_a_bad_prefix(void)
{
	FAILS(TPEINVAL, tpinit(NULL));
}

int main(void)
{
	data = text("hello");
	reply = text("");
	with("NDRX_QPREFIX=no/such:name", with_a_bad_prefix);
	with("VIEWFILES=other.v", other_view);
	with("NDRX_TOUT=5", without_memory);
	view_of_another();
	requests();
	conversations();
	messages();
	events();
	durable();
	transactions();
	groups();
	administration();
	with("NDRX_TOUT=5", descriptors);
	with("NDRX_TOUT=5", connections);
	return wrong;
}
