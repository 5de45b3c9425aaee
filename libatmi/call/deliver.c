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
#include "libatmi/buffer/callinfo.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/log/log.h"
#include "libatmi/wire/cause.h"
#include "libubf/base/compatible.h"

static bool same_view(const struct ow_msg *m, const void *payload,
		      const struct ow_buf_info *info)
{
	return info->view != NULL &&
	       ow_buf_is_view(payload, m->sub_len, info->view);
}

/* May the reply go into *data? TPEOTYPE under TPNOCHANGE. */
static int check_type(const struct ow_envelope *e, char *const *data,
		      long flags)
{
	const void *payload = e->payload.data;
	const struct ow_msg *m = e->head;
	struct ow_buf_info info;
	struct ow_msg inner;

	if ((flags & TPNOCHANGE) == 0 || *data == NULL || payload == NULL)
		return 0;
	if (m->buftype == OW_BUF_NOTED &&
	    ow_callinfo_inner(m, payload, &inner, &payload) == 0)
		m = &inner;
	if (m->buftype == OW_BUF_NULL && ow_compat_tuxedo())
		return 0; /* *data stays as it is */
	if (ow_buf_find(*data, &info) != 0 ||
	    info.type != (enum ow_buf_type)m->buftype)
		return ow_tp_fail(TPEOTYPE, "the reply has another buffer "
				  "type, and TPNOCHANGE was given");
	if (m->buftype == OW_BUF_VIEW && !same_view(m, payload, &info))
		return ow_tp_fail(TPEOTYPE, "the reply is another view, and "
				  "TPNOCHANGE was given");
	return 0;
}

/* The payload becomes a typed buffer: 0, or -1 with tperrno. */
static int unpack(struct ow_envelope *e, char **data, long *len)
{
	const struct ow_msg *m = e->head;
	struct ow_payload *p = &e->payload;
	int r = OW_BUF_COPY;

	if (p->data == NULL)
		return ow_tp_fail(TPESYSTEM, "the reply's block is gone");
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

int ow_deliver_content(struct ow_envelope *e, char **data, long *len,
		       long flags)
{
	int r = check_type(e, data, flags);

	return r == 0 ? unpack(e, data, len) : r;
}

/* What is known of an error besides its cause. */
static const char *meaning(const struct ow_msg *m)
{
	bool unbegun = m->urcode == OW_URCODE_UNBEGUN;

	switch (m->tperr) {
	case TPESVCFAIL:
		return "the service returned TPFAIL";
	case TPESVCERR:
		return unbegun ? "the last server of the service died, or the "
				 "request could not be read: it was queued, no "
				 "server had begun it"
			       : "the server failed or died while it had begun "
				 "the request";
	case TPETIME:
		return "the service reports a time-out";
	case TPENOENT:
		return unbegun ? "the last server of the service has left; the "
				 "request was queued, no server had begun it"
			       : "the service reports TPENOENT";
	default:
		return unbegun ? "refused where it was to be served, no server "
				 "had begun it"
			       : "reported by the service";
	}
}

int ow_deliver_error(const struct ow_msg *m, const void *payload)
{
	char why[OW_CAUSE_MAX + 1];

	if (m->tperr <= TPMINVAL || m->tperr > TPMAXVAL)
		return ow_tp_fail(TPESYSTEM, "the reply carries error %d",
				  m->tperr);
	ow_cause_read(m, payload, why);
	if (why[0] == '\0')
		return ow_tp_fail(m->tperr, "%s", meaning(m));
	log_warn("call %d: the service reports %s: %s", m->cd,
		 tpecodestr(m->tperr), why);
	return ow_tp_fail(m->tperr, "%s: %s",
			  m->tperr == TPESVCERR ? "the service failed"
						: meaning(m), why);
}

int ow_deliver(struct ow_ctx *c, int cd, struct ow_envelope *e, char **data,
	       long *len, long flags)
{
	const struct ow_msg *m = e->head;
	bool unpacked, unbegun = false;
	int r = 0;

	OW_PROBE3(reply_taken, m->span_id, m->tperr, cd);
	if (m->tperr == 0 || m->tperr == TPESVCFAIL) {
		r = ow_deliver_content(e, data, len, flags);
		tpurcode = (long)m->urcode;
	} else {
		unbegun = m->urcode == OW_URCODE_UNBEGUN;
	}
	unpacked = r == 0;
	if (r == 0 && m->tperr != 0)
		r = ow_deliver_error(m, e->payload.data);
	if (e == &c->in && e->payload.owner == OW_PAYLOAD_OWNED)
		ow_envelope_release(e);
	ow_call_drop(c, cd); /* closes a kept reply */
	/* A reply cannot be unpacked: what it says is lost. That receives into
	 * c->in. */
	if (r != 0 && c->tran != 0)
		(void)ow_ctx_failed(c, flags, unpacked ? OW_CALL_ANSWERED
						       : OW_CALL_LOST);
	if (unbegun)
		ow_tp_unbegun();
	return r;
}
