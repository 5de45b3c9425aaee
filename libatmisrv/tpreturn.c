/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpreturn.c - end a service function with a reply
 *
 * Station 6 of a call: after dispatch.c, before answer.c. Whatever the service
 * passes, its caller gets an answer: memory that is not a buffer means
 * TPESVCERR.
 */
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/buffer/parts.h"
#include "libatmi/log/log.h"
#include "libatmi/base/probe.h"
#include "libatmi/base/tperror.h"
#include "libatmisrv/server.h"

/* What the caller will see as tperrno, and whether the data goes along. */
static int outcome(int rval, long rcode, long flags)
{
	if (flags & TPSOFTTIMEOUT)
		return TPETIME;
	if (flags & TPSOFTENOENT)
		return TPENOENT;
	if (flags & TPSOFTERR)
		return rcode > TPMINVAL && rcode <= TPMAXVAL ? (int)rcode
							     : TPESVCERR;
	return rval == TPSUCCESS ? 0 : TPESVCFAIL;
}

/* Fill in the payload; 0, or -1 when `data` cannot be sent. *ret_flat: with
 * what the data point to. */
static int fill_payload(struct ow_answer *a, char *data, long len,
			char **ret_flat)
{
	struct ow_buf_info info;

	a->type = OW_BUF_NULL;
	if (data == NULL)
		return 0;
	if (ow_buf_find(data, &info) != 0 ||
	    ow_buf_wire_len(data, &info, len, &a->wire_len) != 0)
		return -1;
	if (info.type == OW_BUF_UBF &&
	    ow_parts_flatten(data, ret_flat, &a->wire_len) != 0) {
		a->wire_len = 0;
		return -1;
	}
	a->type = info.type;
	if (info.view != NULL)
		a->sub_len = (uint8_t)ow_buf_put_subtype(info.view,
							 a->subtype);
	else if (*ret_flat == NULL)
		a->block = ow_buf_block(data);
	a->data = *ret_flat != NULL ? *ret_flat : data;
	return 0;
}

static void send_answer(struct ow_server *s, struct ow_answer *a, char *data)
{
	int r = ow_answer_send(s->dom, s->answers, a);

	if (r == OW_ANSWER_NOROOM || (r < 0 && a->wire_len != 0)) {
		log_error("reply: %s: %s: the caller gets TPEOS",
			  s->dom->shm_dir, r < 0 ? strerror(-r) : "full");
		s->job.failed = true;
		a->tperr = TPEOS;
		a->data = NULL;
		a->block = 0;
		a->wire_len = 0;
		a->type = OW_BUF_NULL;
		a->sub_len = 0;
		r = ow_answer_send(s->dom, s->answers, a);
	}
	/* PARKED is as good as sent. */
	if ((r == 0 || r == OW_ANSWER_PARKED) && a->block != 0) {
		s->job.given = a->block;
		ow_buf_give(data);
	}
	if (r == OW_ANSWER_NOBODY || r == OW_ANSWER_FULL)
		atomic_fetch_add(&s->slot->lost_replies, 1);
	else if (r < 0)
		log_error("reply: %s", strerror(-r));
}

void tpreturn(int rval, long rcode, char *data, long len, long flags)
{
	struct ow_server *s = ow_server_self();
	struct ow_answer a = { .urcode = rcode };
	char *flat = NULL;

	ow_tp_clear();
	if (s == NULL || !s->job.active || s->job.returned) {
		ow_tp_fail(TPEPROTO, "tpreturn() outside of a service");
		return;
	}
	a.request = s->job.msg;
	a.deadline_ns = s->job.msg->deadline_ns;
	a.tperr = outcome(rval, rcode, flags);
	if (fill_payload(&a, data, len, &flat) != 0) {
		log_error("tpreturn: data %p, length %ld: not a buffer of "
			  "tpalloc() that can be sent", (void *)data, len);
		a.tperr = TPESVCERR;
	}
	OW_PROBE3(service_end, s->offers[s->slot->cur_adv - 1].name,
		  s->job.msg->span_id, a.tperr);
	s->job.failed = a.tperr != 0;
	ow_dispatch_count(s);
	if (s->job.msg->cd != 0)
		send_answer(s, &a, data);
	free(flat);
	if (rval == TPEXIT)
		tpexit();
	s->job.returned = true;
	ow_buf_free_deep(data);
	ow_buf_free_auto();
	if (!s->no_longjmp)
		ow_dispatch_leave(s);
}
