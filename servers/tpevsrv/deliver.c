/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.c - an event goes to all its subscribers
 *
 * Services get a request without a reply, clients an unsolicited message, queues
 * a message; tpevsrv waits for the queue space, which keeps it. A
 * client that does not look misses the event. A service whose queue is full
 * is waited for, unless the event was posted with TPNOBLOCK, but after all
 * others have the event. A subscription
 * whose process or client is dead is removed, and one whose service is not
 * advertised, unless it is to stay (TPEVPERSIST).
 *
 * Subscriptions with the same expression, filter and service are one: the copies
 * of a server make one each, and the event is handled once. Each keeps its own
 * row, so that it lasts as long as one of its owners.
 */
#include "servers/tpevsrv/deliver.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>
#include <xatmi.h>

#include "servers/tpevsrv/filter.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/post/message.h"
#include "libatmi/subs/subs.h"
#include "libatmisrv/own.h"

#define CALL_FLAGS (TPNOBLOCK | TPNOTIME | TPSIGRSTRT)

enum outcome {
	SENT,
	NOT_SENT, /* not wanted, or not possible */
	FULL,	  /* the queue of the service; it may be waited for */
};

static struct ow_subs_found found;

/* Subscriptions whose services have the event, or wait for it. */
static struct {
	struct given {
		uint64_t hash;
		long id;
	} *all;
	uint32_t n, room;
} given;

static bool says_the_same(const struct ow_sub *a, const struct ow_sub *b)
{
	return strcmp(a->service, b->service) == 0 &&
	       (a->flags & OW_SUB_QUEUE) == (b->flags & OW_SUB_QUEUE) &&
	       ((a->flags & OW_SUB_QUEUE) == 0 ||
		memcmp(&a->queue, &b->queue, sizeof(a->queue)) == 0) &&
	       strcmp(a->pattern, b->pattern) == 0 &&
	       strcmp(a->filter, b->filter) == 0;
}

static uint64_t hash_of(const struct ow_sub *sub)
{
	const char *const texts[] = { sub->service, sub->pattern, sub->filter };
	uint64_t hash = UINT64_C(14695981039346656037);

	for (int i = 0; i < 3; i++)
		for (const char *p = texts[i];; p++) {
			hash = (hash ^ (unsigned char)*p) *
			       UINT64_C(1099511628211);
			if (*p == '\0')
				break;
		}
	return hash;
}

/* Has an equal subscription the event already? */
static bool is_given(struct ow_domain *d, const struct ow_sub *sub)
{
	uint64_t hash = hash_of(sub);
	struct ow_sub other;

	for (uint32_t i = 0; i < given.n; i++)
		if (given.all[i].hash == hash &&
		    ow_subs_read(d, given.all[i].id, &other) == 0 &&
		    says_the_same(&other, sub))
			return true;
	return false;
}

/* Without memory an equal one gets the event once more. */
static void note_given(long id, const struct ow_sub *sub)
{
	uint32_t room = given.room != 0 ? 2 * given.room : 16;
	struct given *all;

	if (given.n == given.room) {
		all = reallocarray(given.all, room, sizeof(*all));
		if (all == NULL)
			return;
		given.all = all;
		given.room = room;
	}
	given.all[given.n++] = (struct given){ hash_of(sub), id };
}

static void end_subscription(struct ow_domain *d, long id, bool of_dead)
{
	uint32_t n;

	ow_subs_remove(d, id, of_dead, &n); /* if it is busy: the next time */
}

/* A writer may take its time, or be dead: nobody misses an event for that. */
static int read_subscription(struct ow_domain *d, long id, struct ow_sub *ret,
			     const struct ow_post *e)
{
	int r = ow_subs_read(d, id, ret);

	if (r == OW_SUBS_BUSY && ow_subs_repair(d) == 0)
		r = ow_subs_read(d, id, ret);
	if (r == OW_SUBS_BUSY)
		userlog((char *)"tpevsrv: event %s: subscription %ld is busy: "
			"not delivered", e->name, id);
	return r;
}

/* There is no server to send to now. Is the service only suspended, or routed
 * to a group that is down, or advertised by a server that is still in
 * tpsvrinit()? Then the subscription stays. */
static bool may_come(struct ow_domain *d, const struct ow_sub *sub)
{
	const struct ow_tables *t = d->tables;
	int at = ow_svc_find(t, sub->service);

	if (at >= 0 && (ow_svc_has_future(&t->svc[at]) ||
			ow_svc_reasons(atomic_load(&t->svc[at].marks)) != 0))
		return true;
	return sub->owner.srvid != 0 && ow_subs_owner_lives(d, &sub->owner) &&
	       atomic_load(&t->srv[sub->owner.srvid].state) ==
		       OW_SRV_STARTING;
}

static enum outcome send_request(struct ow_domain *d, long id,
				 const struct ow_sub *sub, struct ow_post *e,
				 long flags)
{
	flags = (flags & CALL_FLAGS) | TPNOREPLY | TPNOTRAN;
	if (tpacall((char *)sub->service, e->data, e->len, flags) == 0)
		return SENT;
	if (tperrno == TPEBLOCK && (e->flags & TPNOBLOCK) == 0)
		return FULL;
	if (tperrno != TPENOENT)
		userlog((char *)"tpevsrv: event %s to service %s: %s", e->name,
			sub->service, tpstrerror(tperrno));
	else if ((sub->flags & OW_SUB_PERSIST) == 0 && !may_come(d, sub))
		end_subscription(d, id, false);
	return NOT_SENT;
}

static enum outcome send_message(struct ow_domain *d, long id,
				 const struct ow_sub *sub, struct ow_post *e)
{
	CLIENTID client;

	memcpy(client.clientdata, sub->cltid, sizeof(client.clientdata));
	if (tpnotify(&client, e->data, e->len, TPNOBLOCK) == 0)
		return SENT;
	if (tperrno == TPENOENT)
		end_subscription(d, id, false);
	return NOT_SENT;
}

static enum outcome enqueue(struct ow_domain *d, long id,
			    const struct ow_sub *sub, struct ow_post *e)
{
	const struct ow_sub_queue *q = &sub->queue;
	TPQCTL ctl = { .flags = (long)q->flags,
		       .deq_time = (long)q->deq_time,
		       .exp_time = (long)q->exp_time,
		       .priority = q->priority,
		       .delivery_qos = q->delivery_qos,
		       .reply_qos = q->reply_qos };
	bool gone;

	memcpy(ctl.corrid, q->corrid, sizeof(ctl.corrid));
	memcpy(ctl.replyqueue, q->reply, sizeof(ctl.replyqueue));
	memcpy(ctl.failurequeue, q->failure, sizeof(ctl.failurequeue));
	if (tpenqueue((char *)sub->service, (char *)q->name, &ctl, e->data,
		      e->len, TPNOTRAN | TPSIGRSTRT) == 0)
		return SENT;
	gone = tperrno == TPENOENT || (tperrno == TPEDIAGNOSTIC &&
				       ctl.diagnostic == QMEBADQUEUE);
	userlog((char *)"tpevsrv: event %s into queue %s of %s: %s%s", e->name,
		q->name, sub->service, tpstrerror(tperrno),
		gone && (sub->flags & OW_SUB_PERSIST) == 0
			? "; the subscription is removed" : "");
	if (gone && (sub->flags & OW_SUB_PERSIST) == 0)
		end_subscription(d, id, false);
	return NOT_SENT;
}

/* `again`: the queue of its service was full. */
static enum outcome deliver_to(struct ow_domain *d, long id, struct ow_post *e,
			       long flags, bool again)
{
	struct ow_sub sub;
	enum outcome how;

	if (read_subscription(d, id, &sub, e) != 0)
		return NOT_SENT;
	if (!ow_subs_owner_lives(d, &sub.owner) &&
	    (sub.flags & OW_SUB_PERSIST) == 0) {
		end_subscription(d, id, true);
		return NOT_SENT;
	}
	if (sub.owner.srvid == 0 &&
	    !ow_own_may_get(e->name, sub.owner.slot, sub.owner.gen))
		return NOT_SENT;
	if (sub.filter[0] != '\0' &&
	    !filter_accepts(id, sub.filter, e->data, e->len))
		return NOT_SENT;
	if ((sub.flags & OW_SUB_NOTIFY) != 0)
		return send_message(d, id, &sub, e);
	if (!again && is_given(d, &sub))
		return NOT_SENT;
	how = (sub.flags & OW_SUB_QUEUE) != 0
		  ? enqueue(d, id, &sub, e)
		  : send_request(d, id, &sub, e, flags);
	if (how != NOT_SENT && !again)
		note_given(id, &sub);
	return how;
}

long deliver_event(struct ow_domain *d, struct ow_post *e)
{
	uint32_t i, waiting = 0;
	enum outcome how;
	long n = 0;
	int r = ow_subs_find(d, e->name, &found);

	if (r == OW_SUBS_BUSY && ow_subs_repair(d) == 0)
		r = ow_subs_find(d, e->name, &found);
	if (r != 0) {
		userlog((char *)"tpevsrv: event %s: %s", e->name,
			r < 0 ? strerror(-r) : "the subscriptions are busy");
		return -1;
	}
	given.n = 0;
	for (i = 0; i < found.n; i++) {
		how = deliver_to(d, found.id[i], e, e->flags | TPNOBLOCK,
				 false);
		n += how == SENT;
		if (how == FULL)
			found.id[waiting++] = found.id[i];
	}
	for (i = 0; i < waiting; i++)
		n += deliver_to(d, found.id[i], e, e->flags, true) == SENT;
	return n;
}

void deliver_close(void)
{
	free(found.id);
	found.id = NULL;
	free(given.all);
	given.all = NULL;
	given.n = given.room = 0;
	filter_close();
}
