/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpadmcall.c - a request of MIB(5), answered in the process that asks
 */
#include <pthread.h>
#include <tpadm.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/mib_call.h"
#include "libatmi/call/shared.h"
#include "libatmi/mib/fields.h"
#include "libatmi/mib/mib.h"
#include "libubf/base/uncancelled.h"

static struct ow_mib *mib; /* the cursors of this process */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
	struct ow_mib_settings s = { .cursors = OW_MIB_CURSORS,
				     .hold_s = OW_MIB_HOLD_S,
				     .page = OW_MIB_PAGE };

	mib = ow_mib_new(&s);
}

static int check_ubf(const char *data, const char *what)
{
	struct ow_buf_info info;

	if (ow_buf_find(data, &info) != 0)
		return ow_tp_fail(TPEINVAL, "%s %p is not a buffer from "
				  "tpalloc(), or was freed", what,
				  (const void *)data);
	if (info.type != OW_BUF_UBF)
		return ow_tp_fail(TPEINVAL, "%s is of type %s: administration "
				  "is by UBF", what, info.type_name);
	return 0;
}

/* The context, whose domain runs; NULL with tperrno. */
static struct ow_ctx *need_domain(void)
{
	struct ow_ctx *c = ow_ctx_get();

	if (c == NULL || ow_ctx_need_domain(c) == 0)
		return c;
	if (c->guest != NULL)
		ow_tp_fail(TPEPERM, "a guest does not administrate the domain");
	return NULL;
}

/* The reply goes into `*out`, or takes its place. */
static void hand_over(char *reply, UBFH **out)
{
	struct ow_buf_info info;

	if (*out != NULL && ow_buf_find((char *)*out, &info) == 0 &&
	    Bcpy(*out, (UBFH *)reply) == 0) {
		ow_buf_free(reply);
		return;
	}
	if (*out != NULL)
		ow_buf_free((char *)*out);
	*out = (UBFH *)reply;
}

static int answer(struct ow_ctx *c, UBFH *in, UBFH **out)
{
	OW_UNCANCELLED;
	char *reply = ow_buf_new(OW_BUF_UBF, OW_MIB_PAGE + OW_MIB_RESERVE);
	char text[300] = "";
	BFLDLEN len = sizeof(text);
	long e;

	pthread_once(&once, make);
	if (reply == NULL || mib == NULL) {
		ow_buf_free(reply);
		return ow_tp_fail(TPEOS, "no memory for a reply");
	}
	e = ow_mib_answer(mib, c->dom, in, (UBFH *)reply);
	if (e < 0)
		Bget((UBFH *)reply, OW_TA_STATUS, 0, text, &len);
	hand_over(reply, out);
	return e < 0 ? ow_tp_fail(TPEMIB, "%s", text) : 0;
}

int tpadmcall(UBFH *in, UBFH **out, long flags)
{
	OW_SHARED;
	struct ow_ctx *c;

	(void)flags;
	ow_tp_clear();
	if (in == NULL || out == NULL)
		return ow_tp_fail(TPEINVAL, "in or out is NULL");
	if (check_ubf((char *)in, "in") != 0 ||
	    (*out != NULL && check_ubf((char *)*out, "*out") != 0))
		return -1;
	c = need_domain();
	return c == NULL ? -1 : answer(c, in, out);
}

/* For tpcall(): a reply may have another type than the buffer that was there. */
static int answer_call(char *idata, char **odata, long *olen)
{
	struct ow_buf_info info;
	UBFH *out = NULL;
	long e = 0;
	int r;

	if (*odata != NULL && ow_buf_find(*odata, &info) == 0 &&
	    info.type == OW_BUF_UBF)
		out = (UBFH *)*odata;
	r = tpadmcall((UBFH *)idata, &out, 0);
	if (out == NULL)
		return r;
	if ((char *)out != *odata && *odata != NULL && *odata != idata)
		ow_buf_free(*odata);
	*odata = (char *)out;
	*olen = Bused(out);
	(void)Bget(out, OW_TA_ERROR, 0, (char *)&e, NULL);
	tpurcode = e; /* as tpadmsv returns */
	return r == -1 && tperrno == TPEMIB
		       ? ow_tp_fail(TPESVCFAIL, "%s", ow_tp_detail()) : r;
}

ow_mib_call_fn *const ow_mib_call = answer_call;
