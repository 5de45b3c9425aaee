/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.c - hand a reply to the program that called
 */
#include "libatmi/call/deliver.h"

#include <errno.h>
#include <xatmi.h>

#include "libatmi/base/probe.h"
#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"

/* May the reply go into *data? TPEOTYPE under TPNOCHANGE. */
static int check_type(const struct ow_msg *m, char *const *data, long flags)
{
	struct ow_buf_info info;

	if ((flags & TPNOCHANGE) == 0 || *data == NULL)
		return 0;
	if (ow_buf_find(*data, &info) == 0 &&
	    info.type == (enum ow_buf_type)m->buftype)
		return 0;
	return ow_tp_fail(TPEOTYPE, "the reply has another buffer type, and "
			  "TPNOCHANGE was given");
}

static bool same_view(const struct ow_msg *m, const void *payload,
		      const char *data)
{
	struct ow_buf_info info;

	return data == NULL ||
	       (ow_buf_find(data, &info) == 0 && info.view != NULL &&
		ow_buf_is_view(payload, m->sub_len, info.view));
}

/* The payload becomes a typed buffer: 0, or -1 with tperrno. */
static int unpack(struct ow_envelope *e, char **data, long *len, long flags)
{
	const struct ow_msg *m = e->head;
	struct ow_payload *p = &e->payload;
	int r = OW_BUF_COPY;

	if (p->data == NULL)
		return ow_tp_fail(TPESYSTEM, "the reply's block is gone");
	if (flags & TPNOCHANGE && m->buftype == OW_BUF_VIEW &&
	    !same_view(m, p->data, *data))
		return ow_tp_fail(TPEOTYPE, "the reply is another view, and "
				  "TPNOCHANGE was given");
	if (p->block != 0 && m->len > 0)
		r = ow_buf_from_block(m, e->blocks, p->data, false, data, len);
	if (r == 0)
		p->owner = OW_PAYLOAD_UNOWNED; /* the block is the buffer's */
	if (r == OW_BUF_COPY)
		r = ow_buf_from_msg(m, p->data, data, len);
	if (r == -EPROTOTYPE)
		return ow_tp_fail(TPEOTYPE, "the reply is a view that is not "
				  "known here, or another one of its name");
	if (r == -ENOMEM)
		return ow_tp_fail(TPEOS, "no memory for a reply of %llu bytes",
				  (unsigned long long)m->len);
	return r != 0 ? ow_tp_fail(TPESYSTEM, "the reply is damaged") : 0;
}

static int fail_reply(const struct ow_msg *m)
{
	switch (m->tperr) {
	case TPESVCFAIL:
		return ow_tp_fail(TPESVCFAIL, "the service returned TPFAIL");
	case TPESVCERR:
		if (m->urcode == OW_URCODE_UNBEGUN)
			return ow_tp_fail(TPESVCERR, "the last server of the "
					  "service died; the request was "
					  "queued, no server had begun it");
		return ow_tp_fail(TPESVCERR, "the server failed or died while "
				  "it had begun the request");
	case TPETIME:
		return ow_tp_fail(TPETIME, "the service reports a time-out");
	case TPENOENT:
		if (m->urcode == OW_URCODE_UNBEGUN)
			return ow_tp_fail(TPENOENT, "the last server of the "
					  "service has left; the request was "
					  "queued, no server had begun it");
		return ow_tp_fail(TPENOENT, "the service reports TPENOENT");
	default:
		if (m->tperr > TPMINVAL && m->tperr <= TPMAXVAL)
			return ow_tp_fail(m->tperr, "reported by the service");
		return ow_tp_fail(TPESYSTEM, "the reply carries error %d",
				  m->tperr);
	}
}

int ow_deliver(struct ow_ctx *c, int cd, struct ow_envelope *e, char **data,
	       long *len, long flags)
{
	const struct ow_msg *m = e->head;
	int r = 0;

	OW_PROBE3(reply_taken, m->span_id, m->tperr, cd);
	if (m->tperr == 0 || m->tperr == TPESVCFAIL) {
		r = check_type(m, data, flags);
		if (r == 0)
			r = unpack(e, data, len, flags);
		tpurcode = (long)m->urcode;
	}
	if (r == 0 && m->tperr != 0)
		r = fail_reply(m);
	if (e == &c->in && e->payload.owner == OW_PAYLOAD_OWNED)
		ow_envelope_release(e);
	ow_call_drop(c, cd); /* closes a kept reply */
	return r;
}
