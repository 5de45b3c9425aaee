/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - look at the requests that wait or are served now
 *
 * The order of the steps matters: the notes of callers that wait for long are
 * read first and compared last, so that a request which moves on during the
 * look (queued, then taken, then answered) is not called lost.
 */
#include "libndrx/observe/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/wait_note.h"
#include "libatmi/transport/block/look.h"
#include "libatmi/transport/transport.h"
#include "libatmi/wire/remote_caller.h"
#include "libndrx/observe/calls_processes.h"

/* A cell of a queue. */
struct cell {
	uint64_t value;
	uint32_t svc; /* index of the service whose queue it is */
	uint32_t position;
};

/* A caller that waits for long. */
struct note {
	uint32_t slot, gen, svc; /* svc: 1 + index, 0 */
	uint64_t seq, since_ns, deadline_ns;
};

struct look {
	struct ow_calls *c;
	struct ow_calls_processes *who;
	struct cell *cells;
	size_t n_cells;
	struct note *notes;
	size_t n_notes;
};

/* ---- rows ---- */

static struct ow_calls_row *add_row(struct ow_calls *c)
{
	struct ow_calls_row *p;
	size_t room = c->room != 0 ? 2 * c->room : 64;

	if (c->n == c->room) {
		p = realloc(c->row, room * sizeof(*p));
		if (p == NULL) {
			c->failed = -ENOMEM;
			return NULL;
		}
		c->row = p;
		c->room = room;
	}
	p = &c->row[c->n++];
	memset(p, 0, sizeof(*p));
	p->n = 1;
	return p;
}

static void name_service(const struct ow_calls *c, uint32_t svc, char *buf)
{
	memset(buf, 0, OW_SVC_NAME);
	if (svc < OW_SVC_MAX &&
	    atomic_load(&c->view->d.tables->svc[svc].used) != 0)
		ow_observer_text(buf, c->view->d.tables->svc[svc].name,
				 OW_SVC_NAME);
	if (buf[0] == '\0')
		strcpy(buf, "?");
}

static void take_head(struct look *k, struct ow_calls_row *row,
		      const struct ow_msg *m)
{
	row->known = true;
	row->svc = m->svc;
	name_service(k->c, m->svc, row->service);
	row->caller.slot = m->clt_slot;
	row->caller.gen = m->clt_gen;
	row->seq = m->seq;
	row->cd = m->cd;
	row->one_way = m->cd == 0 && m->conv_op == OW_CONV_NONE;
	row->conversation = m->conv_op != OW_CONV_NONE;
	row->remote = (m->flags & OW_MSG_REMOTE) != 0;
	row->forwarded = (m->flags & OW_MSG_FORWARDED) != 0;
	row->prio = m->prio;
	row->type = m->buftype;
	row->sub_len = m->sub_len;
	row->len = m->len;
	row->tran = ow_msg_tran(m);
	row->sent_ns = m->sent_ns;
	row->deadline_ns = m->deadline_ns == OW_DEADLINE_NEVER
				   ? 0
				   : m->deadline_ns;
	memcpy(row->trace_id, m->trace_id, sizeof(row->trace_id));
	memcpy(row->span_id, m->span_id, sizeof(row->span_id));
	if (m->flags & OW_MSG_REMOTE_CALLER)
		row->caller.node = (long)ow_remote_caller_unpack(m->tran).node;
}

/* ---- what waits in queues that can be looked into ---- */

static int by_value(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static int list_queue(struct look *k, uint32_t svc, const char *name,
		      uint64_t *values, uint32_t max)
{
	struct ow_domain d = k->c->view->d;
	uint32_t i, n = d.transport->waiting(&d, name, values, max);
	struct cell *p;

	if (n == 0)
		return 0;
	p = realloc(k->cells, (k->n_cells + n) * sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	k->cells = p;
	for (i = 0; i < n; i++)
		p[k->n_cells + i] = (struct cell){ values[i], svc, i + 1 };
	k->n_cells += n;
	return 0;
}

static int list_queues(struct look *k)
{
	const struct ow_observer *v = k->c->view;
	uint32_t i, depth, max = 1u << 17;
	uint64_t *values;
	char name[OW_SVC_NAME];
	const struct ow_svc *s;
	int r = 0;

	values = malloc(max * sizeof(*values));
	if (values == NULL)
		return -ENOMEM;
	for (i = 0; i < ow_observer_services(v) && r == 0; i++) {
		s = ow_observer_service(v, i, name);
		if (s == NULL || !ow_observer_has_queue(s) ||
		    !ow_observer_depth(v, name, &depth) || depth == 0)
			continue;
		r = list_queue(k, (uint32_t)(s - v->d.tables->svc), name,
			       values, max);
	}
	free(values);
	if (k->n_cells > 0)
		qsort(k->cells, k->n_cells, sizeof(*k->cells), by_value);
	return r;
}

static const struct cell *find_cell(const struct look *k, uint64_t ref)
{
	struct cell want = { .value = ow_block_cell(ref) };

	return k->n_cells == 0 ? NULL
			       : bsearch(&want, k->cells, k->n_cells,
					 sizeof(*k->cells), by_value);
}

/* ---- requests in blocks ---- */

static void place_queued(struct look *k, struct ow_calls_row *row, uint64_t ref)
{
	const struct cell *at = find_cell(k, ref);

	row->state = OW_CALLS_WAITS;
	if (at == NULL)
		return; /* it came, or is being put, after the queue was read */
	row->position = at->position;
	if (at->svc != row->svc)
		name_service(k->c, at->svc, row->queue);
}

static bool see_block(const struct ow_block_seen *b, void *arg)
{
	struct look *k = arg;
	struct ow_calls_row *row = add_row(k->c);
	ow_proc_id owner;

	if (row == NULL)
		return false;
	take_head(k, row, &b->head);
	row->ref = b->ref;
	row->word = b->state;
	row->payload = b->head.block == b->ref ? 0 : b->head.block;
	if (b->kind == OW_BLOCK_QUEUED) {
		place_queued(k, row, b->ref);
		return true;
	}
	owner = ow_prc_owner(k->c->view->d.tables, b->prc);
	row->state = b->head.continued ? OW_CALLS_CONTINUED : OW_CALLS_SERVED;
	ow_calls_processes_has(k->who, owner, row);
	k->c->n -= ow_calls_processes_answered(k->who, row);
	return true;
}

/* ---- requests in receive slots ---- */

/* Copy the record of server `id`: false, it has none, or it changes. */
static bool read_record(const struct ow_domain *d, uint32_t id,
			struct ow_msg *ret)
{
	struct ow_domain dom = *d;
	const struct ow_msg *m = d->transport->recorded(&dom, id);
	struct ow_msg twice;
	size_t len;

	if (m == NULL)
		return false;
	memcpy(ret, m, sizeof(*ret));
	atomic_thread_fence(memory_order_acquire);
	memcpy(&twice, m, sizeof(twice));
	len = sizeof(*ret) + (ret->block == 0 ? ret->len : 0);
	return memcmp(ret, &twice, sizeof(twice)) == 0 &&
	       len <= OW_RX_SIZE && ret->kind == OW_MSG_REQUEST &&
	       ow_msg_check(ret, len) == 0 && ret->handed == 0;
}

static void see_records(struct look *k)
{
	const struct ow_tables *t = k->c->view->d.tables;
	struct ow_calls_row *row;
	struct ow_msg m;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (!read_record(&k->c->view->d, id, &m) ||
		    !ow_srv_alive(t, id))
			continue;
		row = add_row(k->c);
		if (row == NULL)
			return;
		take_head(k, row, &m);
		row->payload = m.block;
		row->state = OW_CALLS_SERVED;
		ow_calls_processes_slot(k->who, id, row);
		k->c->n -= ow_calls_processes_answered(k->who, row);
	}
}

/* ---- callers that wait ---- */

static bool read_note(const struct ow_clt *c, uint32_t slot, struct note *ret)
{
	struct ow_wait_note w;

	if (!ow_wait_note_read(c, &w) || w.for_message)
		return false;
	ret->slot = slot;
	ret->gen = w.gen;
	ret->seq = w.reply.seq;
	ret->svc = w.reply.svc;
	ret->since_ns = w.reply.since_ns;
	ret->deadline_ns = w.reply.deadline_ns;
	return true;
}

static int read_notes(struct look *k)
{
	const struct ow_observer *v = k->c->view;
	uint32_t i, high = ow_observer_clients(v);
	struct note *p;
	size_t room = 0;

	for (i = 0; i < high; i++) {
		if (k->n_notes == room) {
			room = room != 0 ? 2 * room : 64;
			p = realloc(k->notes, room * sizeof(*p));
			if (p == NULL)
				return -ENOMEM;
			k->notes = p;
		}
		k->n_notes += read_note(&v->d.tables->clt[i], i,
					&k->notes[k->n_notes]);
	}
	return 0;
}

/* Of the requests: by caller and sequence. */
static int by_call(const void *a, const void *b)
{
	const struct ow_calls_row *x = a, *y = b;

	if (x->caller.slot != y->caller.slot)
		return x->caller.slot < y->caller.slot ? -1 : 1;
	if (x->caller.gen != y->caller.gen)
		return x->caller.gen < y->caller.gen ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Is the service one whose requests lie in a kernel queue here? */
static bool may_lie_unseen(const struct ow_calls *c, uint32_t svc)
{
	return !c->queues_seen && svc != 0 && svc <= OW_SVC_MAX &&
	       ow_observer_has_queue(&c->view->d.tables->svc[svc - 1]);
}

static void add_noted(struct look *k, const struct note *n)
{
	const struct ow_clt *clt = &k->c->view->d.tables->clt[n->slot];
	struct ow_calls_row *row;
	struct note now;

	/* It may have had its reply since. */
	if (!read_note(clt, n->slot, &now) || now.seq != n->seq ||
	    now.gen != n->gen)
		return;
	row = add_row(k->c);
	if (row == NULL)
		return;
	row->svc = n->svc != 0 ? n->svc - 1 : OW_SVC_MAX;
	name_service(k->c, row->svc, row->service);
	row->state = may_lie_unseen(k->c, n->svc) ? OW_CALLS_WAITS
						  : OW_CALLS_ELSEWHERE;
	row->caller.slot = n->slot;
	row->caller.gen = n->gen;
	row->seq = n->seq;
	row->sent_ns = n->since_ns;
	row->deadline_ns = n->deadline_ns == OW_DEADLINE_NEVER
				   ? 0
				   : n->deadline_ns;
}

static void see_notes(struct look *k)
{
	struct ow_calls *c = k->c;
	size_t i, n = c->n;
	struct ow_calls_row want;

	if (n > 0)
		qsort(c->row, n, sizeof(*c->row), by_call);
	for (i = 0; i < k->n_notes; i++) {
		memset(&want, 0, sizeof(want));
		want.caller.slot = k->notes[i].slot;
		want.caller.gen = k->notes[i].gen;
		want.seq = k->notes[i].seq;
		if (n == 0 || bsearch(&want, c->row, n, sizeof(*c->row),
				      by_call) == NULL)
			add_noted(k, &k->notes[i]);
	}
}

/* ---- queues that nobody can look into ---- */

static void see_rest(struct look *k)
{
	const struct ow_observer *v = k->c->view;
	uint32_t i, at, depth, seen;
	char name[OW_SVC_NAME];
	const struct ow_svc *s;
	struct ow_calls_row *row;
	size_t j;

	for (i = 0; i < ow_observer_services(v); i++) {
		s = ow_observer_service(v, i, name);
		if (s == NULL || !ow_observer_has_queue(s) ||
		    !ow_observer_depth(v, name, &depth) || depth == 0)
			continue;
		at = (uint32_t)(s - v->d.tables->svc);
		for (j = 0, seen = 0; j < k->c->n; j++)
			seen += k->c->row[j].svc == at &&
				k->c->row[j].state == OW_CALLS_WAITS;
		row = depth > seen ? add_row(k->c) : NULL;
		if (row == NULL)
			continue;
		row->svc = at;
		name_service(k->c, at, row->service);
		row->state = OW_CALLS_UNSEEN;
		row->n = depth - seen;
	}
}

/* ---- the look ---- */

/* By service; first what waits, in its order. */
static int by_place(const void *a, const void *b)
{
	const struct ow_calls_row *x = a, *y = b;
	int r = strcmp(x->service, y->service);

	if (r != 0)
		return r;
	if (x->state != y->state)
		return (int)x->state - (int)y->state;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->sent_ns < y->sent_ns ? -1 : x->sent_ns > y->sent_ns;
}

static int look(struct look *k)
{
	struct ow_calls *c = k->c;
	const struct ow_transport *t = c->view->d.transport;
	int r = read_notes(k);
	size_t i;

	if (r == 0 && c->queues_seen)
		r = list_queues(k);
	if (r == 0)
		r = ow_blocks_look(c->blocks, see_block, k);
	if (r != 0)
		return r;
	if (t->recorded != NULL)
		see_records(k);
	see_notes(k);
	if (!c->queues_seen)
		see_rest(k);
	for (i = 0; i < c->n; i++)
		ow_calls_processes_calls(k->who, &c->row[i]);
	if (c->n > 0)
		qsort(c->row, c->n, sizeof(*c->row), by_place);
	return c->failed;
}

int ow_calls_look(struct ow_observer *v, struct ow_calls *ret)
{
	struct look k = { .c = ret };
	char path[256];
	int r;

	memset(ret, 0, sizeof(*ret));
	ret->view = v;
	ret->now_ns = ow_clock_mono_ns();
	ret->queues_seen = v->d.transport->waiting != NULL;
	ow_domain_shm_path(&v->d, "blocks", path, sizeof(path));
	r = ow_blocks_open(path, v->d.tables, &ret->blocks);
	if (r != 0)
		return r;
	v->d.blocks = ret->blocks;
	r = ow_calls_processes_new(v, &k.who);
	if (r == 0)
		r = look(&k);
	ow_calls_processes_free(k.who);
	free(k.cells);
	free(k.notes);
	if (r != 0)
		ow_calls_free(ret);
	return r;
}

void ow_calls_free(struct ow_calls *c)
{
	if (c->view != NULL)
		c->view->d.blocks = NULL;
	c->blocks = ow_blocks_close(c->blocks);
	free(c->row);
	c->row = NULL;
	c->n = c->room = 0;
}

uint64_t ow_calls_age_us(const struct ow_calls *c,
			 const struct ow_calls_row *row)
{
	return row->sent_ns == 0 || row->sent_ns > c->now_ns
		       ? 0
		       : (c->now_ns - row->sent_ns) / OW_NS_PER_US;
}

int64_t ow_calls_left_us(const struct ow_calls *c,
			 const struct ow_calls_row *row)
{
	return row->deadline_ns == 0
		       ? OW_CALLS_NO_DEADLINE
		       : ((int64_t)row->deadline_ns - (int64_t)c->now_ns) /
				 (int64_t)OW_NS_PER_US;
}

const char *ow_calls_state_name(enum ow_calls_state s)
{
	static const char *const names[] = {
		[OW_CALLS_WAITS] = "waits",
		[OW_CALLS_SERVED] = "served",
		[OW_CALLS_CONTINUED] = "continued",
		[OW_CALLS_ELSEWHERE] = "elsewhere",
		[OW_CALLS_UNSEEN] = "unseen",
	};

	return names[s];
}
