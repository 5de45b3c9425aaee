/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsrvctxdata.c - context data: by which a thread takes a request over
 *
 * They hold the number of the request (continued.h) and name the process: a
 * request does not leave the process that has received it. They may be copied.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/tran/tx.h"
#include "libatmisrv/continued.h"
#include "libatmisrv/server.h"
#include "libatmisrv/proxy.h"

#define MAGIC UINT64_C(0x317478746372574f) /* "OWrctxt1" */

struct ctxdata {
	uint64_t magic;
	uint64_t number;
	int64_t pid;
};

static int begin(uint64_t *ret_number)
{
	struct ow_server *s = ow_server_used();
	int r;

	if (s != NULL && s->rq.active && s->rq.conv >= 0)
		return ow_tp_fail(TPEPROTO, "a conversation is not handed on");
	if (s != NULL && s->rq.active && s->ctx->tran != 0 &&
	    s->ctx->tx->initiator)
		return ow_tp_fail(TPEPROTO, "the service has begun a "
				  "transaction: that is not handed on");
	if (s != NULL && s->main != NULL)
		return ow_tp_fail(TPEPROTO, "a dispatch thread hands no "
				  "request on");
	r = ow_continued_begin(s, ret_number);
	if (r == OW_CONTINUED_OUTSIDE)
		return ow_tp_fail(TPEPROTO, "tpsrvgetctxdata() outside of a "
				  "service");
	if (r == -ENOSPC)
		return ow_tp_fail(TPEOS, "no shared memory for the record of "
				  "the request");
	return r < 0 ? ow_tp_fail_errno(r, "context data") : 0;
}

char *tpsrvgetctxdata2(char *p_buf, long *p_len)
{
	struct ctxdata c = { .magic = MAGIC, .pid = getpid() };
	char *to = p_buf;

	ow_tp_clear();
	if (p_buf != NULL && (p_len == NULL || *p_len < (long)sizeof(c))) {
		ow_tp_fail(TPEINVAL, "the buffer must hold %zu bytes, and its "
			   "length be given", sizeof(c));
		return NULL;
	}
	if (to == NULL)
		to = malloc(sizeof(c));
	if (to == NULL) {
		ow_tp_fail(TPEOS, "no memory for context data");
		return NULL;
	}
	if (begin(&c.number) != 0) {
		if (p_buf == NULL)
			free(to);
		return NULL;
	}
	memcpy(to, &c, sizeof(c));
	if (p_len != NULL)
		*p_len = (long)sizeof(c);
	return to;
}

char *tpsrvgetctxdata(void)
{
	return tpsrvgetctxdata2(NULL, NULL);
}

void tpsrvfreectxdata(char *data)
{
	free(data);
}

/* May this thread take a request? 0, or -1 with tperrno. */
static int check_thread(void)
{
	struct ow_server *s = ow_server_used();
	struct ow_ctx *c;

	if (ow_server_main() == NULL)
		return ow_tp_fail(TPEPROTO, "this process is not a server");
	if (s != NULL && (s->rq.continued != NULL || s->rq.active))
		return ow_tp_fail(TPEPROTO, "this thread has a request");
	c = ow_ctx_get();
	return c == NULL || ow_ctx_need_domain(c) != 0 ? -1 : 0;
}

int tpsrvsetctxdata(char *data, long flags)
{
	struct ow_proxy *st;
	struct ctxdata c;
	int r;

	ow_tp_clear();
	if (data == NULL)
		return ow_tp_fail(TPEINVAL, "context data are NULL");
	memcpy(&c, data, sizeof(c));
	if (c.magic != MAGIC)
		return ow_tp_fail(TPEINVAL, "not data of tpsrvgetctxdata()");
	if (c.pid != getpid())
		return ow_tp_fail(TPEPROTO, "a request of process %lld: it can "
				  "be answered there only", (long long)c.pid);
	if (check_thread() != 0)
		return -1;
	st = ow_proxy_need();
	if (st == NULL)
		return ow_tp_fail(TPEOS, "no memory for a request");
	r = ow_continued_take(st, c.number, (flags & TPNOAUTBUF) != 0);
	if (r == OW_CONTINUED_HELD)
		return ow_tp_fail(TPEPROTO, "another thread has the request");
	if (r == OW_CONTINUED_INSIDE)
		return ow_tp_fail(TPEPROTO, "the thread is in a transaction, "
				  "and the request is of one");
	if (r == OW_CONTINUED_LOST)
		return ow_tp_fail(TPETRAN, "the transaction of the request has "
				  "ended: its caller gets TPESVCERR");
	if (r == OW_CONTINUED_UNKNOWN)
		return ow_tp_fail(TPEPROTO, "the request is answered, or its "
				  "time is over");
	return 0;
}
