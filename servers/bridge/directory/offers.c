/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offers.c - what this node offers to others, and others to this node
 *
 * The tables say what servers of this node offer; bridges do not count, so
 * nothing is offered to its owner again. A service that servers here offer is
 * not advertised for others: local servers come first.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/nodes.h"
#include "libatmi/domain/tables.h"
#include "libatmi/domain/tcp_link.h"
#include "libatmi/log/log.h"
#include "libatmi/post/message.h"
#include "libatmi/tran/remote.h"
#include "libatmi/transport/transport.h"
#include "libatmi/unsol/remote.h"
#include "libatmisrv/own.h"
#include "libubf/base/variable.h"
#include "servers/bridge/directory/advertisement.h"
#include "servers/bridge/directory/interest.h"
#include "servers/bridge/directory/offers.h"
#include "servers/bridge/directory/overflow.h"

/* Services of others that a bridge offers with a queue of their own: four more
 * are the runtime's. */
#define SHARE_MAX (OW_ADV_MAX - 4u)
/* From so many on, there is the queue of OW_SVC_OVERFLOW: the kernel may have
 * no others. */
#define FEW 64u

/* ---- what servers here offer ---- */

/* What was seen of the servers. */
struct sight {
	struct ow_br_names local; /* their services */
	struct ow_br_names open;  /* that may be called, or will be again */
};

/* `word`: 1 + service. `there`: a server has it, it is not only awaited. */
static void add(const struct ow_tables *t, uint32_t word, bool there,
		struct sight *to)
{
	const struct ow_svc *s;
	char name[OW_SVC_NAME];

	if (word == 0 || word > OW_SVC_MAX)
		return;
	s = &t->svc[word - 1];
	memcpy(name, s->name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	if (name[0] == '\0' || name[0] == '@' || name[0] == '.')
		return;
	if (there)
		ow_br_names_add(&to->local, name);
	if ((atomic_load(&s->marks) & (OW_SVC_SUSPENDED | OW_SVC_DRAINED)) == 0)
		ow_br_names_add(&to->open, name);
}

/* Add the services of one server. */
static void look_at(const struct ow_tables *t, uint32_t srvid,
		    struct sight *to)
{
	uint32_t row, n = atomic_load(&t->srv[srvid].nadv);

	if (atomic_load(&t->srv[srvid].pid) == 0 ||
	    atomic_load(&t->srv[srvid].state) == OW_SRV_STOPPING)
		return;
	for (row = 0; row < n && row < OW_ADV_MAX; row++)
		add(t, ow_tables_row_svc(t, srvid, row), true, to);
}

/* Those with which it is expected back. It may be between the two at any moment:
 * a service that it loses is awaited before it is gone, and one that it offers
 * again is there before it is awaited no more. */
static void look_at_awaited(const struct ow_tables *t, uint32_t srvid,
			    struct sight *to)
{
	uint32_t row, n = atomic_load(&t->srv[srvid].nawait);

	for (row = 0; row < n && row < OW_ADV_MAX; row++)
		add(t, ow_tables_row_awaits(t, srvid, row), false, to);
}

static void look_at_all(const struct ow_tables *t, struct sight *to)
{
	bool awaits;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (ow_nodes_is_bridge(t->srv[id].bin))
			continue;
		awaits = atomic_load(&t->srv[id].nawait) != 0;
		look_at(t, id, to);
		awaits = awaits || atomic_load(&t->srv[id].nawait) != 0;
		if (!awaits || !ow_await_is_reasonable(t))
			continue;
		look_at_awaited(t, id, to);
		look_at(t, id, to);
	}
	ow_br_names_order(&to->local);
	ow_br_names_order(&to->open);
}

bool ow_br_offers_may(const struct ow_br_options *o, const char *svc)
{
	return !o->is_silent && svc[0] != '\0' && svc[0] != '@' && svc[0] != '.' &&
	       (o->exports.n == 0 || ow_br_names_has(&o->exports, svc)) &&
	       !ow_br_names_has(&o->hidden, svc);
}

/* Of these, what others may know. */
static void choose(const struct ow_br_options *o,
		   const struct ow_br_names *local, struct ow_br_names *to)
{
	uint32_t i;

	for (i = 0; i < local->n; i++)
		if (ow_br_offers_may(o, local->name[i]))
			ow_br_names_add(to, local->name[i]);
}

/* ---- told to others ---- */

void ow_br_offers_tell(struct ow_br_directory *d, const struct ow_br_peer *p)
{
	struct ow_br_advert *n;
	size_t len = 0;

	pthread_mutex_lock(&d->peers->lock);
	n = ow_br_advert_make(d->gen, &d->own, NULL, &len);
	pthread_mutex_unlock(&d->peers->lock);
	ow_br_advert_tell(d, p, n, len);
	free(n);
}

/* `own` is what we offer now. Returns the advertisement, if there is one. */
static struct ow_br_advert *take_over(struct ow_br_directory *d,
				    struct ow_br_names *own, size_t *ret_len)
{
	struct ow_br_names plus = { 0 }, minus = { 0 }, old;
	struct ow_br_advert *n;

	if (ow_br_names_same(own, &d->own))
		return NULL;
	ow_br_names_minus(own, &d->own, &plus);
	ow_br_names_minus(&d->own, own, &minus);
	old = d->own;
	d->own = *own;
	*own = old;
	n = ow_br_advert_make(++d->gen, &plus, &minus, ret_len);
	if (minus.n > 0) {
		d->withdrawn = d->gen;
		d->asked_ns = 0; /* at once */
	}
	ow_br_names_free(&plus);
	ow_br_names_free(&minus);
	return n;
}

/* Servers of the domain that are bridges, and how many of them have lower ids
 * than this one. */
static uint32_t count_bridges(const struct ow_br_directory *d,
			      uint32_t *ret_rank)
{
	const struct ow_domain *dom = d->peers->dom;
	const struct ow_tables *t = dom != NULL ? dom->tables : NULL;
	uint32_t id, n = 0;

	*ret_rank = 0;
	for (id = t != NULL ? ow_srv_next(t, 1) : 0; id != 0;
	     id = ow_srv_next(t, id + 1)) {
		if (atomic_load(&t->srv[id].pid) == 0 ||
		    !ow_nodes_is_bridge(t->srv[id].bin))
			continue;
		n++;
		if (id < d->peers->id)
			(*ret_rank)++;
	}
	return n > 0 ? n : 1;
}

void ow_br_offers_look(struct ow_br_directory *d)
{
	struct ow_br_names own = { 0 }, old;
	struct sight seen = { .local = { 0 } };
	struct ow_br_advert *n;
	uint32_t rank, bridges = count_bridges(d, &rank);
	uint64_t now = ow_clock_mono_ns();
	size_t len = 0;

	look_at_all(d->peers->dom->tables, &seen);
	if (!atomic_load(&d->leaving))
		choose(&d->peers->opt, &seen.open, &own);
	pthread_mutex_lock(&d->peers->lock);
	n = take_over(d, &own, &len);
	d->looked_ns = now;
	if (!ow_br_names_same(&seen.local, &d->local) ||
	    bridges != d->bridges || rank != d->rank) {
		old = d->local;
		d->local = seen.local;
		seen.local = old;
		d->bridges = bridges;
		d->rank = rank;
		ow_br_offers_changed(d);
	}
	ow_br_offers_settle(d);
	pthread_mutex_unlock(&d->peers->lock);
	ow_br_advert_tell(d, NULL, n, len);
	free(n);
	ow_br_names_free(&seen.local);
	ow_br_names_free(&seen.open);
	ow_br_names_free(&own);
}

/* ---- of others ---- */

static bool is_tcp_link(const struct ow_br_directory *d)
{
	return d->peers->opt.tcp.node != 0;
}

/* May services go through the queue of OW_SVC_OVERFLOW? All bridges of the domain
 * serve it, so they must have the same nodes. */
static bool may_overflow(const struct ow_br_directory *d)
{
	return !is_tcp_link(d) || d->bridges <= 1;
}

/* Services that may have queues of their own. Where the kernel has few queues,
 * others need them, too. */
static uint32_t own_queues(const struct ow_br_directory *d)
{
	const struct ow_domain *dom = d->peers->dom;

	if (!may_overflow(d))
		return SHARE_MAX;
	return dom != NULL && dom->transport->usage != NULL ? FEW : SHARE_MAX;
}

/* A server offers few services. If there are more, the bridges of the domain
 * share them: each service is with as many bridges as have room. Names are in
 * order, so all bridges come to the same shares. What is left has no queue of
 * its own. */
static void take_share(struct ow_br_directory *d, struct ow_br_names *names)
{
	uint32_t bridges, each, copies, i, n = 0, most = own_queues(d);

	if (names->n <= most)
		return;
	bridges = d->bridges > 0 && !is_tcp_link(d) ? d->bridges : 1;
	each = (names->n + bridges - 1) / bridges;
	copies = each < most ? most / each : 1;
	for (i = 0; i < names->n; i++)
		if ((i + d->rank) % bridges < copies && n < most)
			memmove(names->name[n++], names->name[i], OW_BR_NAME);
	names->n = n;
	ow_br_names_fit(names, n);
}

const char *ow_br_true_name(const char *svc)
{
	size_t n = strlen(OW_SVC_SHARE);

	return strncmp(svc, OW_SVC_SHARE, n) == 0 ? svc + n : svc;
}

/* Who offers each name of `wanted`: a call looks at these only. */
static void find_owners(struct ow_br_directory *d)
{
	uint32_t i, k, n = 0, most = d->wanted.n * d->peers->npeers;

	free(d->owner);
	free(d->first);
	d->owner = malloc((most > 0 ? most : 1) * sizeof(*d->owner));
	d->first = malloc((d->wanted.n + 1) * sizeof(*d->first));
	if (d->owner == NULL || d->first == NULL) {
		free(d->owner);
		d->owner = NULL;
		return;
	}
	for (i = 0; i < d->wanted.n; i++) {
		d->first[i] = n;
		for (k = 0; k < d->peers->npeers; k++)
			if (d->peers->peer[k]->up &&
			    ow_br_names_has(
				&d->peers->peer[k]->offers,
				ow_br_true_name(d->wanted.name[i])))
				d->owner[n++] = d->peers->peer[k];
	}
	d->first[i] = n;
}

/* What servers here offer, too, goes to other nodes by its second name. */
static void add_shares(struct ow_br_directory *d, const struct ow_br_names *all)
{
	char name[OW_BR_NAME];
	uint32_t i;

	for (i = 0; i < d->local.n; i++) {
		if (!ow_br_names_has(all, d->local.name[i]) ||
		    strlen(d->local.name[i]) > OW_SVC_SHARE_MAX)
			continue;
		snprintf(name, sizeof(name), OW_SVC_SHARE "%.28s",
			 d->local.name[i]);
		ow_br_names_add(&d->wanted, name);
	}
	ow_br_names_order(&d->wanted);
}

/* What all others offer together. */
static int gather(const struct ow_br_directory *d, struct ow_br_names *all)
{
	const struct ow_br_names *sets[OW_BR_PEERS];
	uint32_t i, n = 0;

	for (i = 0; i < d->peers->npeers; i++)
		if (d->peers->peer[i]->up)
			sets[n++] = &d->peers->peer[i]->offers;
	return ow_br_names_union(sets, n, all);
}

/* Names of the runtime's own services are nobody's to offer. */
static void drop_own(struct ow_br_names *names)
{
	uint32_t i, n = 0;

	for (i = 0; i < names->n; i++)
		if (names->name[i][0] != '@' && names->name[i][0] != '.')
			memmove(names->name[n++], names->name[i], OW_BR_NAME);
	names->n = n;
}

/* Is there any other bridge? Lock held. */
static bool is_alone(const struct ow_br_directory *d)
{
	uint32_t i;

	for (i = 0; i < d->peers->npeers; i++)
		if (d->peers->peer[i]->up)
			return false;
	return true;
}

/* The services by which the runtime of this domain reaches the other nodes. */
static void add_own(struct ow_br_directory *d)
{
	char name[16];

	if (is_tcp_link(d)) {
		ow_tcp_link_name(d->peers->opt.tcp.node, &name);
		if (!is_alone(d))
			ow_br_names_add(&d->wanted, name);
		return;
	}
	if (!ow_interest_is_empty(&d->remote_interest))
		ow_br_names_add(&d->wanted, OW_EVENT_REMOTE);
	if (!is_alone(d)) {
		ow_br_names_add(&d->wanted, OW_UNSOL_SERVICE);
		ow_br_names_add(&d->wanted, OW_TM_REMOTE);
	}
}

/* What has no queue of its own, and the queue of that. */
static void add_overflow(struct ow_br_directory *d)
{
	static const struct ow_br_names none = { 0 };

	if (d->wanted.n > FEW) {
		if (may_overflow(d))
			ow_br_names_minus(&d->wanted, &none, &d->overflow);
		else if (d->wanted.n > SHARE_MAX)
			log_error("node %u offers %u services, and a bridge "
				  "with a TCP link beside others has queues "
				  "for %u: the rest cannot be called; a "
				  "<cluster> has no such limit",
				  d->peers->opt.tcp.node, d->wanted.n,
				  SHARE_MAX);
		take_share(d, &d->wanted);
	}
	/* Once there it stays: requests that wait in it are on their way. */
	d->has_overflow |= d->overflow.n > 0 || d->both.n > 0;
	d->has_overflow &= !is_alone(d) && may_overflow(d);
	if (d->has_overflow)
		ow_br_names_add(&d->wanted, OW_SVC_OVERFLOW);
	d->marks_due |= d->overflow.n > 0;
}

void ow_br_offers_settle(struct ow_br_directory *d)
{
	struct ow_br_names all = { 0 };
	uint64_t one = 1;

	if (!d->unsettled || gather(d, &all) != 0)
		return; /* without memory: again, later */
	d->unsettled = false;
	drop_own(&all);
	ow_br_interest_add_up(d);
	ow_br_names_clear(&d->wanted);
	ow_br_names_minus(&all, &d->local, &d->wanted);
	ow_br_names_free(&d->both);
	ow_br_names_minus(&all, &d->wanted, &d->both);
	d->marks_due |= d->both.n > 0;
	if (d->peers->dom != NULL && d->peers->dom->ldbal != 0)
		add_shares(d, &all);
	ow_br_names_free(&all);
	d->marks_due |= d->overflow.n > 0;
	ow_br_names_free(&d->overflow);
	add_overflow(d);
	add_own(d);
	ow_br_names_order(&d->wanted);
	find_owners(d);
	/* Even if `wanted` is what `shown` says: the main thread may be at work
	 * on what was wanted before. */
	if (d->changed_fd >= 0)
		(void)!write(d->changed_fd, &one, sizeof(one));
}

static void (*function_of(const struct ow_br_directory *d,
			  const char *name))(TPSVCINFO *)
{
	const struct ow_br_function *f = d->functions;

	/* That of a TCP link has a number behind it. */
	if (strncmp(name, OW_TCP_LINK_SERVICE, strlen(OW_TCP_LINK_SERVICE)) ==
	    0)
		name = OW_TCP_LINK_SERVICE;
	while (f->name != NULL && strcmp(f->name, name) != 0)
		f++;
	return f->function;
}

static int advertise(const struct ow_br_directory *d, const char *name)
{
	int r = name[0] == '@' ? ow_advertise_own(name, function_of(d, name))
			       : tpadvertise_full((char *)name,
						  function_of(d, name),
						  (char *)"ABROAD");

	if (r == 0)
		return 0;
	log_error("service %s of another node: %s", name, tpstrerror(tperrno));
	return -1;
}

/* Advertise these; what was is added to `shown`. If there is no room for one
 * the others are not tried: in the shared queue they have a way. */
static void advertise_all(const struct ow_br_directory *d,
			  const struct ow_br_names *names, bool shared,
			  struct ow_br_names *shown)
{
	bool full = false;
	uint32_t i;

	for (i = 0; i < names->n; i++) {
		if (full && names->name[i][0] != '@')
			continue;
		if (advertise(d, names->name[i]) == 0)
			ow_br_names_add(shown, names->name[i]);
		else
			full = shared;
	}
}

/* What is to be done by the main thread, all of one moment: a change that comes
 * later makes it begin again. */
struct step {
	struct ow_br_names plus, minus; /* advertise, and do no longer */
	struct ow_br_names overflow;	/* to be marked, if `marks_due` */
	struct ow_br_names both;	/* the same */
	bool shared, marks_due;
	uint32_t rank;
};

static void step_begin(struct ow_br_directory *d, struct step *s)
{
	static const struct ow_br_names none = { 0 };

	pthread_mutex_lock(&d->peers->lock);
	s->shared = d->overflow.n > 0;
	ow_br_names_minus(&d->wanted, &d->shown, &s->plus);
	ow_br_names_minus(&d->shown, &d->wanted, &s->minus);
	s->marks_due = d->marks_due;
	d->marks_due = false;
	if (s->marks_due) {
		ow_br_names_minus(&d->overflow, &none, &s->overflow);
		ow_br_names_minus(&d->both, &none, &s->both);
	}
	/* Marks of others are not this bridge's to clear. */
	s->rank = may_overflow(d) ? d->rank : 1;
	pthread_mutex_unlock(&d->peers->lock);
}

static void step_end(struct step *s)
{
	ow_br_names_free(&s->plus);
	ow_br_names_free(&s->minus);
	ow_br_names_free(&s->overflow);
	ow_br_names_free(&s->both);
}

/* Give marks to services without a queue. */
static void mark_overflow(struct ow_br_directory *d, const struct step *s)
{
	if (!s->marks_due ||
	    (ow_br_overflow_mark(d, &s->overflow, s->rank) == 0 &&
	     ow_br_overflow_keep(d, &s->both) == 0))
		return;
	pthread_mutex_lock(&d->peers->lock);
	d->marks_due = true;
	ow_br_offers_changed(d);
	pthread_mutex_unlock(&d->peers->lock);
}

int ow_br_offers_show(struct ow_br_directory *d)
{
	struct ow_br_names shown = { 0 };
	struct step s = { .rank = 0 };
	uint32_t i;

	step_begin(d, &s);
	ow_br_names_minus(&d->shown, &s.minus, &shown);
	for (i = 0; i < s.minus.n; i++)
		tpunadvertise(s.minus.name[i]);
	advertise_all(d, &s.plus, s.shared, &shown);
	ow_br_names_order(&shown);
	pthread_mutex_lock(&d->peers->lock);
	ow_br_names_free(&d->shown);
	d->shown = shown;
	pthread_mutex_unlock(&d->peers->lock);
	mark_overflow(d, &s);
	step_end(&s);
	ow_br_interest_show(d);
	return 0;
}

/* ---- field tables ---- */

static uint64_t hash_file(uint64_t h, const char *path)
{
	FILE *f = fopen(path, "re");
	int c;

	while (f != NULL && (c = getc(f)) != EOF)
		h = (h ^ (uint64_t)(unsigned char)c) * UINT64_C(1099511628211);
	if (f != NULL)
		fclose(f);
	return h;
}

uint64_t ow_br_tables_hash(void)
{
	const char *dirs = ow_variable("FLDTBLDIR"),
		   *tables = ow_variable("FIELDTBLS");
	char *copy = strdup(tables != NULL ? tables : ""), *save = NULL, *name;
	uint64_t h = UINT64_C(14695981039346656037);
	char path[4096];

	if (copy == NULL || tables == NULL || dirs == NULL) {
		free(copy);
		return 0;
	}
	for (name = strtok_r(copy, ",", &save); name != NULL;
	     name = strtok_r(NULL, ",", &save)) {
		snprintf(path, sizeof(path), "%.*s/%s",
			 (int)strcspn(dirs, ":"), dirs, name);
		h = hash_file(h, path);
	}
	free(copy);
	return h != 0 ? h : 1;
}
