/* SPDX-License-Identifier: Apache-2.0 */
/*
 * post.c - a post of this node goes to all nodes that want the event
 *
 * tpevsrv, which has delivered it here, gives the message
 * (libatmi/post/message.h) to one of the bridges, by a one-way request. It goes
 * to one bridge of each node, as a request without an id; that one gives it to
 * a tpevsrv there.
 */
#include <stdlib.h>
#include <string.h>

#include "libatmi/log/log.h"
#include "libatmi/post/message.h"
#include "libatmi/wire/msg.h"
#include "libatmisrv/deferred.h"
#include "libatmisrv/own.h"
#include "servers/bridge/out/post.h"
#include "servers/bridge/out/remote.h"
#include "servers/bridge/peers/allowance.h"
#include "servers/bridge/peers/send.h"

static bool is_for(const struct ow_br_peer *p, const char *event)
{
	return p->up && (event == NULL || ow_interest_has(&p->interest, event));
}

/* Of the bridges of a node, `p` the first of them, the one that gets the
 * message; NULL: the node does not want it. Lock held. */
static struct ow_br_peer *choose(struct ow_br_peer *p, const char *event)
{
	struct ow_br_peer *best = NULL;

	for (; p != NULL; p = p->sibling)
		if (is_for(p, event) &&
		    (best == NULL || p->lane[OW_BR_REQUESTS].waiting <
					 best->lane[OW_BR_REQUESTS].waiting))
			best = p;
	return best;
}

/* NULL, or why it does not get the post. */
static const char *find_reason(const struct ow_br_calls *cs,
			       const struct ow_br_peer *p,
			       const struct ow_br_frame *head, bool ubf)
{
	if (ow_br_is_full(p) ||
	    ow_br_allowance_is_full(p, ow_br_allowance_service(head), 1))
		return "too much waits for the node";
	if (ubf && cs->dir->tables != 0 && p->tables != 0 &&
	    cs->dir->tables != p->tables)
		return "the field tables there are others (FLDTBLDIR, "
		       "FIELDTBLS)";
	return NULL;
}

static bool queue_one(struct ow_br_calls *cs, struct ow_br_peer *p,
		      const struct ow_br_frame *head, bool ubf,
		      const char *event, const void *message)
{
	const char *why = find_reason(cs, p, head, ubf);
	struct ow_br_out *o = NULL;

	if (why == NULL) {
		o = ow_br_out_new(head->total);
		why = "no memory";
	}
	if (o == NULL) {
		p->lost++;
		log_error("%s %s does not go to node %u: %s",
			  event != NULL ? "event" : "tpbroadcast()",
			  event != NULL ? event : "", p->node, why);
		return false;
	}
	o->frame = *head;
	memcpy(o->payload, message, head->total);
	ow_br_queue(p, OW_BR_REQUESTS, o);
	p->calls_out++;
	return true;
}

int ow_br_message_queue(struct ow_br_calls *cs, const struct ow_br_frame *head,
		       const char *event, bool ubf, const void *message)
{
	struct ow_br_peer *p;
	uint32_t i;
	int n = 0;

	pthread_mutex_lock(&cs->peers->lock);
	for (i = 0; i < cs->peers->npeers; i++) {
		p = cs->peers->peer[i];
		p = p->is_first ? choose(p, event) : NULL;
		if (p != NULL)
			n += queue_one(cs, p, head, ubf, event, message);
	}
	pthread_mutex_unlock(&cs->peers->lock);
	return n;
}

void ow_br_message_frame(const struct ow_msg *m, enum ow_br_kind kind,
			size_t len, struct ow_br_frame *ret)
{
	*ret = (struct ow_br_frame){ .kind = (uint8_t)kind,
				     .buftype = OW_BUF_CARRAY,
				     .prio = m->prio,
				     .total = len,
				     .trace_flags = m->trace_flags };
	memcpy(ret->trace_id, m->trace_id, sizeof(ret->trace_id));
	memcpy(ret->span_id, m->span_id, sizeof(ret->span_id));
}

void ow_br_post(TPSVCINFO *svc)
{
	const struct ow_msg *m = ow_deferred_request();
	struct ow_br_calls *cs = ow_br_self();
	struct ow_post_message message;
	struct ow_br_frame f;
	const char *event;
	int n;

	if (m == NULL || (m->flags & OW_MSG_REMOTE) != 0 || svc->data == NULL ||
	    (uint64_t)svc->len > OW_BR_LARGEST ||
	    ow_post_head(svc->data, svc->len, &message, &event) != 0) {
		tpreturn(TPFAIL, TPEINVAL, NULL, 0, 0);
		return;
	}
	/* Whoever is not tpevsrv is held to the rules of the event. */
	if (ow_own_may_post(event) != 0) {
		tpreturn(TPFAIL, TPEPERM, NULL, 0, 0);
		return;
	}
	ow_br_message_frame(m, OW_BR_POST, (size_t)svc->len, &f);
	n = ow_br_message_queue(cs, &f, event, message.type == OW_BUF_UBF,
				svc->data);
	ow_br_send_joined(cs, (size_t)svc->len, true);
	tpreturn(TPSUCCESS, n, NULL, 0, 0);
}
