/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allowance.c - what may be sent to a service whose queue at the other node is full
 */
#include "servers/bridge/peers/allowance.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/base/deadline.h"
#include "libatmi/post/message.h"
#include "servers/bridge/peers/lane.h"
#include "servers/bridge/peers/lost.h"

#define MOST 65536u /* services of one other bridge that have an allowance */

/* Of one service, at one other bridge. */
struct ow_br_allowance {
	UT_hash_handle hh;
	char svc[OW_BR_NAME];
	uint64_t units; /* that may be sent yet */
	struct ow_br_out *first, **last;
	uint32_t waiting;
	uint64_t bytes;
	uint8_t least; /* priority of those that wait, or less */
};

const char *ow_br_allowance_service(const struct ow_br_frame *f)
{
	if (f->kind == OW_BR_POST)
		return OW_EVENT_POST;
	return f->kind == OW_BR_REQUEST ? f->svc : NULL;
}

static struct ow_br_allowance *find(const struct ow_br_peer *p,
				    const char *svc)
{
	struct ow_br_allowance *a = p->allowances;

	if (a == NULL || svc == NULL)
		return NULL;
	if (strcmp(a->svc, svc) != 0) /* mostly there is one */
		HASH_FIND(hh, p->allowances, svc, strlen(svc), a);
	return a;
}

/* A new one; NULL: no memory, or there are too many. */
static struct ow_br_allowance *make(struct ow_br_peer *p, const char *svc)
{
	struct ow_br_allowance *a;

	if (HASH_COUNT(p->allowances) >= MOST)
		return NULL;
	a = calloc(1, sizeof(*a));
	if (a == NULL)
		return NULL;
	strcpy(a->svc, svc);
	a->last = &a->first;
	HASH_ADD(hh, p->allowances, svc, strlen(svc), a);
	if (a->hh.tbl != NULL)
		return a;
	free(a);
	return NULL;
}

/* ---- what waits ---- */

/* How many of those that wait beside the lane were there before `o`? */
static uint32_t count_before(const struct ow_br_peer *p,
			     const struct ow_br_out *o)
{
	const struct ow_br_allowance *a;
	const struct ow_br_out *w;
	uint32_t n = 0;

	for (a = p->allowances; a != NULL; a = a->hh.next)
		for (w = a->first; w != NULL; w = w->next)
			n += w->place < o->place;
	return n;
}

/* A newer one says what an older one says, and more. */
static void keep_confirm(struct ow_br_peer *p, struct ow_br_out *o)
{
	struct ow_br_out *old = p->confirm;

	if (old != NULL && old->place > o->place) {
		free(o);
		return;
	}
	free(old);
	p->confirm = o;
}

/* More waits beside the lane, or CONFIRM does now: for how many does it wait? */
static void count_confirm(struct ow_br_peer *p)
{
	struct ow_br_out *confirm = p->confirm;

	if (confirm == NULL)
		return;
	p->before_confirm = count_before(p, confirm);
	if (p->before_confirm > 0)
		return;
	p->confirm = NULL;
	ow_br_lane_join(&p->lane[OW_BR_REQUESTS], confirm);
}

/* Those with a higher priority pass, as in the queue of the service. */
static void add(struct ow_br_peer *p, struct ow_br_allowance *a,
		struct ow_br_out *o)
{
	struct ow_br_out **at = &a->first;

	if (a->first == NULL || o->frame.prio <= a->least)
		at = a->last;
	else
		while (*at != NULL && (*at)->frame.prio >= o->frame.prio)
			at = &(*at)->next;
	if (a->first == NULL || o->frame.prio < a->least)
		a->least = o->frame.prio;
	o->next = *at;
	if (*at == NULL)
		a->last = &o->next;
	*at = o;
	a->waiting++;
	a->bytes += o->frame.total;
	p->aside++;
	p->aside_bytes += o->frame.total;
}

/* Take out the one at *at. */
static struct ow_br_out *take_out(struct ow_br_peer *p,
				  struct ow_br_allowance *a,
				  struct ow_br_out **at)
{
	struct ow_br_out *o = *at;

	*at = o->next;
	if (*at == NULL)
		a->last = at;
	a->waiting--;
	a->bytes -= o->frame.total;
	p->aside--;
	p->aside_bytes -= o->frame.total;
	return o;
}

/* `o` does not wait beside the lane any more. */
static void let_confirm(struct ow_br_peer *p, const struct ow_br_out *o)
{
	struct ow_br_out *confirm = p->confirm;

	if (confirm == NULL || o->place > confirm->place ||
	    --p->before_confirm > 0)
		return;
	p->confirm = NULL;
	ow_br_lane_join(&p->lane[OW_BR_REQUESTS], confirm);
}

/* Those that may go join the lane. */
static void let_go(struct ow_br_peer *p, struct ow_br_allowance *a, bool all)
{
	struct ow_br_out *o;
	uint64_t cost;

	while (a->first != NULL && (all || a->units > 0)) {
		o = take_out(p, a, &a->first);
		cost = ow_br_allowance_cost(&o->frame);
		a->units -= cost < a->units ? cost : a->units;
		ow_br_lane_join(&p->lane[OW_BR_REQUESTS], o);
		let_confirm(p, o);
	}
}

bool ow_br_allowance_keep(struct ow_br_peer *p, struct ow_br_out *o)
{
	struct ow_br_allowance *a;

	o->place = ++p->places;
	if (p->allowances == NULL)
		return false;
	if (o->frame.kind == OW_BR_CONFIRM && p->aside > 0) {
		keep_confirm(p, o);
		count_confirm(p);
		return true;
	}
	a = find(p, ow_br_allowance_service(&o->frame));
	if (a == NULL)
		return false;
	add(p, a, o);
	let_go(p, a, false);
	return true;
}

uint32_t ow_br_allowance_waiting(const struct ow_br_peer *p, const char *svc)
{
	const struct ow_br_allowance *a = find(p, svc);

	return a != NULL ? a->waiting : 0;
}

bool ow_br_allowance_holds(const struct ow_br_peer *p, const char *svc)
{
	const struct ow_br_allowance *a = find(p, svc);

	return a != NULL && (a->units == 0 || a->waiting > 0);
}

/* What may wait of one service is a quarter of what is left for all. */
bool ow_br_allowance_is_full(const struct ow_br_peer *p, const char *svc,
			     uint32_t part)
{
	const struct ow_br_allowance *a = find(p, svc);
	uint32_t most;
	uint64_t bytes;

	if (a == NULL || a->first == NULL)
		return false;
	most = p->aside < OW_BR_HOLD ? (OW_BR_HOLD - p->aside) / 4 : 0;
	bytes = p->aside_bytes < OW_BR_HOLD_BYTES
			? (OW_BR_HOLD_BYTES - p->aside_bytes) / 4
			: 0;
	return a->waiting >= most / part || a->bytes >= bytes / part;
}

/* ---- frame ALLOW ---- */

/* Requests that wait in the lane, and are not begun, leave it; so does a
 * CONFIRM behind one of them. */
static void leave_lane(struct ow_br_peer *p, struct ow_br_allowance *a)
{
	struct ow_br_lane_state *l = &p->lane[OW_BR_REQUESTS];
	struct ow_br_out *o, **at = &l->first;
	const char *svc;
	bool some = false;

	if (l->first == NULL)
		return;
	while ((o = *at) != NULL) {
		svc = o->frame.offset == 0 ? ow_br_allowance_service(&o->frame) : NULL;
		if (!(some && o->frame.kind == OW_BR_CONFIRM) &&
		    (svc == NULL || strcmp(svc, a->svc) != 0)) {
			at = &o->next;
			continue;
		}
		*at = o->next;
		l->waiting--;
		l->waiting_bytes -= o->frame.total;
		if (svc != NULL)
			add(p, a, o);
		else
			keep_confirm(p, o);
		some = true;
	}
	l->last = at;
	count_confirm(p);
}

static void drop(struct ow_br_peer *p, struct ow_br_allowance *a)
{
	HASH_DEL(p->allowances, a);
	free(a);
}

/* May the other end say it of this service? Of those that it offers, or of that
 * for posts. */
static bool is_known(const struct ow_br_peer *p, const char *svc)
{
	return strcmp(svc, OW_EVENT_POST) == 0 ||
	       ow_br_names_has(&p->offers, svc);
}

void ow_br_allowance_take(struct ow_br_peers *ps, struct ow_br_peer *p,
			  const struct ow_br_frame *f)
{
	struct ow_br_allowance *a;

	pthread_mutex_lock(&ps->lock);
	if (!p->up) { /* the next link begins without */
		pthread_mutex_unlock(&ps->lock);
		return;
	}
	p->lane[OW_BR_REPLIES].taken += OW_BR_COST;
	a = find(p, f->svc);
	if (f->urcode < 0 && a != NULL) {
		let_go(p, a, true);
		drop(p, a);
	} else if (f->urcode >= 0 && a != NULL) {
		a->units += (uint64_t)f->urcode;
		let_go(p, a, false);
	} else if (f->urcode >= 0 && is_known(p, f->svc)) {
		a = make(p, f->svc);
		if (a != NULL) {
			leave_lane(p, a);
			a->units = (uint64_t)f->urcode;
			let_go(p, a, false);
		}
	}
	pthread_mutex_unlock(&ps->lock);
}

/* ---- the end of what waits ---- */

void ow_br_allowances_expire(struct ow_br_peers *ps, struct ow_br_peer *p,
			     uint64_t now)
{
	struct ow_br_allowance *a;
	struct ow_br_out *o, **at;

	for (a = p->allowances; a != NULL && p->aside > 0; a = a->hh.next) {
		at = &a->first;
		while ((o = *at) != NULL) {
			if (!ow_deadline_passed(o->deadline, now)) {
				at = &o->next;
				continue;
			}
			(void)take_out(p, a, at);
			ow_br_lost(ps->dom, &o->frame,
				   "its time-out passed before it was sent to "
				   "another node");
			let_confirm(p, o);
			free(o);
		}
	}
}

void ow_br_allowances_clear(struct ow_br_peers *ps, struct ow_br_peer *p)
{
	struct ow_br_allowance *a;
	struct ow_br_out *o;

	free(p->confirm);
	p->confirm = NULL;
	while ((a = p->allowances) != NULL) {
		while (a->first != NULL) {
			o = take_out(p, a, &a->first);
			ow_br_lost(ps->dom, &o->frame,
				   "the link to the other node was lost");
			free(o);
		}
		drop(p, a);
	}
}
