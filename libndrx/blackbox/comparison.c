/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.c - services, clients and links of one sample after the other
 */
#include "libndrx/blackbox/comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/base/clock.h"
#include "libndrx/model/time_text.h"

#define QUIET_NS (10 * OW_NS_PER_SEC) /* so long without: a burst has ended */
#define DEEP	 10	 /* a queue that grew by this much is told */
#define SLOW_US	 1000.0	 /* times below are not told */
#define CALLS	 2.0	 /* a second: with less, no quantile is told */

/* A counter that grows for a while. */
struct burst {
	uint64_t last, begun_ns, grown_ns, sum;
	bool known;
};

struct ow_bb_service_past {
	uint32_t index;
	char name[32];
	bool known, suspended, served;
	uint32_t low, peak; /* depth: before it grew; highest since */
	uint64_t peak_ns;
	double serve99, wait99; /* as told last; 0: not known */
	struct burst errors, full, expired, system;
	UT_hash_handle hh;
};

struct ow_bb_client_past {
	uint64_t id; /* slot << 32 | gen */
	char name[40];
	uint32_t seen;
	UT_hash_handle hh;
};

struct ow_bb_change *ow_bb_say(struct ow_bb_comparison *c, int grade,
			       const char *kind, const char *who,
			       const char *fmt, ...)
{
	struct ow_bb_changes *l = c->changes;
	size_t room = l->room * 2 + 64;
	struct ow_bb_change *v;
	va_list ap;

	if (!c->telling || c->failed)
		return NULL;
	if (l->n == l->room) {
		v = realloc(l->list, room * sizeof(*v));
		if (v == NULL) {
			c->failed = true;
			return NULL;
		}
		l->list = v;
		l->room = room;
	}
	v = &l->list[l->n++];
	memset(v, 0, sizeof(*v));
	v->real_ns = c->now_ns;
	v->grade = grade;
	snprintf(v->kind, sizeof(v->kind), "%s", kind);
	snprintf(v->who, sizeof(v->who), "%s", who);
	va_start(ap, fmt);
	vsnprintf(v->text, sizeof(v->text), fmt, ap);
	va_end(ap);
	return v;
}

/* ---- services ---- */

static struct ow_bb_service_past *find_service(struct ow_bb_comparison *c,
					       uint32_t index)
{
	struct ow_bb_service_past *p;

	HASH_FIND(hh, c->services, &index, sizeof(index), p);
	if (p != NULL)
		return p;
	p = calloc(1, sizeof(*p));
	if (p != NULL) {
		p->index = index;
		HASH_ADD(hh, c->services, index, sizeof(index), p);
	}
	if (p == NULL || p->hh.tbl == NULL) {
		free(p);
		c->failed = true;
		return NULL;
	}
	return p;
}

/* Tell a change as of an earlier time. */
static void date_back(struct ow_bb_change *v, uint64_t real_ns)
{
	if (v != NULL)
		v->real_ns = real_ns;
}

static void end_burst(struct ow_bb_comparison *c, struct burst *b,
		      const char *who, const char *kind, const char *what)
{
	if (b->sum > 0 && b->begun_ns >= c->from_ns)
		date_back(ow_bb_say(c, 2, kind, who, "%llu %s within %llu s",
				    (unsigned long long)b->sum, what,
				    (unsigned long long)(
					(b->grown_ns - b->begun_ns) /
						OW_NS_PER_SEC + 1)),
			  b->begun_ns);
	b->sum = 0;
}

static void grow(struct ow_bb_comparison *c, struct burst *b, uint64_t n,
		 const char *who, const char *kind, const char *what)
{
	if (b->known && n > b->last) {
		if (b->sum == 0)
			b->begun_ns = c->now_ns;
		b->sum += n - b->last;
		b->grown_ns = c->now_ns;
	} else if (b->sum > 0 && c->now_ns - b->grown_ns > QUIET_NS) {
		end_burst(c, b, who, kind, what);
	}
	b->last = n;
	b->known = true;
}

static void end_peak(struct ow_bb_comparison *c, struct ow_bb_service_past *p)
{
	if (p->peak >= p->low + DEEP && p->peak >= 2 * p->low &&
	    p->peak_ns >= c->from_ns)
		date_back(ow_bb_say(c, 1, "queue", p->name,
				    "%u requests waited, %u before", p->peak,
				    p->low), p->peak_ns);
	p->peak = 0;
}

/* A peak ends when the queue is half as long. */
static void compare_depth(struct ow_bb_comparison *c,
			  struct ow_bb_service_past *p, uint32_t depth)
{
	if (depth > p->peak) {
		p->peak = depth;
		p->peak_ns = c->now_ns;
	} else if (depth <= p->peak / 2) {
		end_peak(c, p);
		p->low = depth;
	}
	if (depth < p->low)
		p->low = depth;
}

static void step(struct ow_bb_comparison *c, const char *name, double *told,
		 double us, const char *what)
{
	char from[16], to[16];

	if (isnan(us))
		return;
	if (*told > 0 && (us < 2 * *told || us < SLOW_US) &&
	    (us > *told / 2 || *told < SLOW_US))
		return;
	ow_time_text(*told, from, sizeof(from));
	ow_time_text(us, to, sizeof(to));
	if (*told > 0)
		ow_bb_say(c, us > *told, "p99", name,
			  "%s of 99 %% of the requests: %s, %s before", what,
			  to, from);
	*told = us > 0 ? us : 1;
}

static void compare_words(struct ow_bb_comparison *c,
			  struct ow_bb_service_past *p,
			  const struct ow_seen_service *s)
{
	bool served = s->nsrv > 0;

	memcpy(p->name, s->name, sizeof(p->name));
	if (p->known && p->suspended != s->suspended)
		ow_bb_say(c, 1, "suspended", p->name, "%s",
			  s->suspended ? "suspended: callers get TPENOENT"
				       : "resumed");
	if (p->known && p->served != served)
		ow_bb_say(c, served ? 0 : 2, "served", p->name, "%s",
			  served ? "served again" : "no server offers it");
	if (!p->known)
		p->low = s->depth;
	p->known = true;
	p->suspended = s->suspended;
	p->served = served;
	compare_depth(c, p, s->depth);
	grow(c, &p->full, s->full, p->name, "full",
	     "sends found the queue full");
	grow(c, &p->expired, s->expired, p->name, "expired",
	     "requests were too late to be served");
	grow(c, &p->system, s->failed, p->name, "lost",
	     "requests failed with their server");
}

void ow_bb_compare_services(struct ow_bb_comparison *c,
			    const struct ow_sample *s)
{
	const struct ow_row *const *rows;
	struct ow_bb_service_past *p;
	size_t i, n;

	for (i = 0; i < s->n_services; i++) {
		p = find_service(c, s->services[i].index);
		if (p != NULL)
			compare_words(c, p, &s->services[i]);
	}
	n = ow_model_services(c->model, &rows);
	for (i = 0; i < n; i++) {
		const struct ow_service_row *v =
		    (const struct ow_service_row *)rows[i];

		p = v->row.svc > 0 ? find_service(c, v->row.svc - 1) : NULL;
		if (p == NULL)
			continue;
		grow(c, &p->errors,
		     v->errors_all > 0 ? (uint64_t)v->errors_all : 0, p->name,
		     "errors", "calls failed");
		if (!(v->calls >= CALLS))
			continue;
		step(c, p->name, &p->serve99, v->serve99, "service time");
		step(c, p->name, &p->wait99, v->wait99, "time in the queue");
	}
}

/* ---- clients ---- */

static void name_of(const struct ow_seen_client *v, char *buf, size_t size)
{
	const char *name = strchr(v->cltid, ',');

	name = name != NULL ? name + 1 : v->cltid;
	snprintf(buf, size, "%.*s", (int)strcspn(name, ","), name);
}

/* A line for each program: those that joined, or that left. */
struct crowd {
	char name[40];
	unsigned int n;
};

#define CROWDS 8u

static void count_in(struct crowd *crowd, const char *name)
{
	unsigned int i = 0;

	while (i < CROWDS - 1 && crowd[i].n > 0 &&
	       strcmp(crowd[i].name, name) != 0)
		i++;
	if (crowd[i].n == 0)
		snprintf(crowd[i].name, sizeof(crowd[i].name), "%s",
			 i < CROWDS - 1 ? name : "others");
	crowd[i].n++;
}

static void tell_crowds(struct ow_bb_comparison *c, const struct crowd *crowd,
			const char *kind, const char *did)
{
	for (; crowd->n > 0; crowd++)
		ow_bb_say(c, 0, kind, crowd->name, "%u client%s %s", crowd->n,
			  crowd->n > 1 ? "s" : "", did);
}

static uint64_t client_id(const struct ow_seen_client *v)
{
	return (uint64_t)v->slot << 32 | v->gen;
}

void ow_bb_compare_clients(struct ow_bb_comparison *c,
			   const struct ow_sample *s)
{
	struct crowd came[CROWDS + 1] = { 0 }, left[CROWDS + 1] = { 0 };
	struct ow_bb_client_past *p, *next;
	char name[40];
	size_t i;

	c->looks++;
	for (i = 0; i < s->n_clients; i++) {
		uint64_t id = client_id(&s->clients[i]);

		if (s->clients[i].srvid != 0)
			continue;
		HASH_FIND(hh, c->clients, &id, sizeof(id), p);
		if (p != NULL) {
			p->seen = c->looks;
			continue;
		}
		name_of(&s->clients[i], name, sizeof(name));
		count_in(came, name);
	}
	HASH_ITER(hh, c->clients, p, next) {
		if (p->seen == c->looks)
			continue;
		count_in(left, p->name);
		HASH_DEL(c->clients, p);
		free(p);
	}
	tell_crowds(c, came, "joined", "joined");
	tell_crowds(c, left, "left", "left");
}

void ow_bb_keep_clients(struct ow_bb_comparison *c, const struct ow_sample *s)
{
	struct ow_bb_client_past *p;
	size_t i;

	for (i = 0; i < s->n_clients; i++) {
		uint64_t id = client_id(&s->clients[i]);

		if (s->clients[i].srvid != 0)
			continue;
		HASH_FIND(hh, c->clients, &id, sizeof(id), p);
		if (p != NULL)
			continue;
		p = calloc(1, sizeof(*p));
		if (p == NULL) {
			c->failed = true;
			return;
		}
		p->id = id;
		p->seen = c->looks;
		name_of(&s->clients[i], p->name, sizeof(p->name));
		HASH_ADD(hh, c->clients, id, sizeof(p->id), p);
		if (p->hh.tbl == NULL) {
			free(p);
			c->failed = true;
			return;
		}
	}
}

/* ---- links ---- */

static const struct ow_seen_link *find_link(const struct ow_bb_comparison *c,
					    const struct ow_seen_link *l)
{
	size_t i;

	for (i = 0; i < c->n_links; i++)
		if (c->links[i].srvid == l->srvid &&
		    c->links[i].link.node == l->link.node &&
		    c->links[i].link.bridge == l->link.bridge)
			return &c->links[i];
	return NULL;
}

void ow_bb_compare_links(struct ow_bb_comparison *c, const struct ow_sample *s)
{
	const struct ow_seen_link *l, *old;
	size_t i, size = s->n_links * sizeof(*s->links);
	char who[32];
	void *more;

	for (i = 0; i < s->n_links; i++) {
		l = &s->links[i];
		old = find_link(c, l);
		if (old == NULL || (old->link.up != 0) == (l->link.up != 0))
			continue;
		snprintf(who, sizeof(who), "node %u", l->link.node);
		ow_bb_say(c, l->link.up ? 0 : 2, "link", who,
			  "the link of bridge %u to it is %s", l->srvid,
			  l->link.up ? "up" : "down");
	}
	more = realloc(c->links, size + 1);
	if (more == NULL) {
		c->failed = true;
		return;
	}
	c->links = more;
	memcpy(c->links, s->links, size);
	c->n_links = s->n_links;
}

/* ---- the end ---- */

void ow_bb_compare_end(struct ow_bb_comparison *c)
{
	struct ow_bb_service_past *p, *next;

	HASH_ITER(hh, c->services, p, next) {
		end_peak(c, p);
		end_burst(c, &p->errors, p->name, "errors", "calls failed");
		end_burst(c, &p->full, p->name, "full",
			  "sends found the queue full");
		end_burst(c, &p->expired, p->name, "expired",
			  "requests were too late to be served");
		end_burst(c, &p->system, p->name, "lost",
			  "requests failed with their server");
	}
}

void ow_bb_comparison_free(struct ow_bb_comparison *c)
{
	struct ow_bb_service_past *s, *s2;
	struct ow_bb_client_past *p, *p2;

	HASH_ITER(hh, c->services, s, s2) {
		HASH_DEL(c->services, s);
		free(s);
	}
	HASH_ITER(hh, c->clients, p, p2) {
		HASH_DEL(c->clients, p);
		free(p);
	}
	free(c->links);
	free(c->system);
}
