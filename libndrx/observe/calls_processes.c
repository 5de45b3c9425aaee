/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_processes.c - which server has a request, and who has sent it
 */
#include "libndrx/observe/calls_processes.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "libatmi/domain/wait_note.h"
#include "libatmi/door/callers.h"

/* A server, or a thread of one, that lives. */
struct seat {
	ow_proc_id process;
	uint32_t slot;
};

/* The user of a process. */
struct owner {
	int32_t pid;
	char user[32];
};

#define OWNERS 256u /* remembered, by pid */

struct ow_calls_processes {
	const struct ow_observer *v;
	struct seat *seats; /* by process */
	size_t n;
	struct owner owners[OWNERS];
};

static int by_process(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int add_seat(struct ow_calls_processes *w, uint32_t id)
{
	const struct ow_srv *s = &w->v->d.tables->srv[id];
	struct seat *p;
	int32_t pid = atomic_load(&s->pid);

	if (pid <= 0)
		return 0;
	if ((w->n & (w->n - 1)) == 0) {
		p = realloc(w->seats,
			    (w->n != 0 ? 2 * w->n : 1) * sizeof(*p));
		if (p == NULL)
			return -ENOMEM;
		w->seats = p;
	}
	w->seats[w->n++] = (struct seat){
		ow_proc_id_make(pid, atomic_load(&s->start)), id };
	return 0;
}

int ow_calls_processes_new(const struct ow_observer *v,
			   struct ow_calls_processes **ret)
{
	const struct ow_tables *t = v->d.tables;
	struct ow_calls_processes *w = calloc(1, sizeof(*w));
	uint32_t id;
	int r = 0;

	if (w == NULL)
		return -ENOMEM;
	w->v = v;
	for (id = ow_srv_next(t, 1); id != 0 && r == 0;
	     id = ow_srv_next(t, id + 1))
		r = add_seat(w, id);
	if (r != 0) {
		ow_calls_processes_free(w);
		return r;
	}
	if (w->n > 0)
		qsort(w->seats, w->n, sizeof(*w->seats), by_process);
	*ret = w;
	return 0;
}

void ow_calls_processes_free(struct ow_calls_processes *w)
{
	if (w == NULL)
		return;
	free(w->seats);
	free(w);
}

void ow_calls_processes_slot(struct ow_calls_processes *w, uint32_t id,
		       struct ow_calls_row *row)
{
	const struct ow_srv *s = &w->v->d.tables->srv[id];

	row->slot = id;
	row->srvid = ow_observer_srvid(w->v, id);
	row->thread = atomic_load(&s->thread);
	row->server_pid = atomic_load(&s->pid);
	row->begun_ns = atomic_load(&s->cur_since);
	ow_observer_text(row->server, s->bin, sizeof(row->server));
}

/* Does the server in slot `id` work on a request of service `svc`? */
static bool works_on(const struct ow_calls_processes *w, uint32_t id, uint32_t svc)
{
	const struct ow_tables *t = w->v->d.tables;
	uint32_t row = atomic_load(&t->srv[id].cur_adv);

	return row > 0 && row <= OW_ADV_MAX &&
	       ow_tables_row_svc(t, id, row - 1) == svc + 1;
}

/* Blocks belong to a process. Which of its threads has this one is known if
 * one alone works on that service. */
void ow_calls_processes_has(struct ow_calls_processes *w, ow_proc_id owner,
		      struct ow_calls_row *row)
{
	size_t low = 0, high = w->n, at, threads = 0, working = 0;
	uint32_t one = 0;

	while (low < high) {
		at = (low + high) / 2;
		if (w->seats[at].process < owner)
			low = at + 1;
		else
			high = at;
	}
	for (at = low; at < w->n && w->seats[at].process == owner; at++) {
		threads++;
		if (works_on(w, w->seats[at].slot, row->svc)) {
			working++;
			one = w->seats[at].slot;
		}
	}
	row->server_pid = (int32_t)ow_proc_id_pid(owner);
	if (threads == 0)
		return; /* a process that refuses it, or that has just left */
	ow_calls_processes_slot(w, working == 1 ? one : w->seats[low].slot, row);
	if (row->state != OW_CALLS_SERVED || (threads > 1 && working != 1)) {
		row->slot = threads == 1 ? row->slot : 0;
		row->thread = 0;
		row->begun_ns = 0;
	}
}

/* Has the service of the request in hand ended? Requests that threads continue
 * count as begun until they are answered: then nobody knows. */
static bool has_ended(const struct ow_tables *t, const struct ow_calls_row *row)
{
	uint32_t b, at = atomic_load(&t->srv[row->slot].cur_adv);
	uint64_t begun = 0;
	const struct ow_adv *a;

	if (at == 0 || at > OW_ADV_MAX ||
	    ow_tables_row_svc(t, row->slot, at - 1) != row->svc + 1)
		return false;
	a = &ow_tables_adv(t, row->slot)[at - 1];
	for (b = 0; b < OW_HIST_BUCKETS; b++)
		begun += atomic_load(&a->wait_hist[b]);
	return begun != 0 &&
	       begun == atomic_load(&a->ok) + atomic_load(&a->fail);
}

bool ow_calls_processes_answered(const struct ow_calls_processes *w,
				 const struct ow_calls_row *row)
{
	const struct ow_tables *t = w->v->d.tables;
	const struct ow_clt *c = &t->clt[row->caller.slot];
	struct ow_wait_note note;
	uint32_t out;

	if (row->state != OW_CALLS_SERVED || row->slot == 0 || row->one_way ||
	    row->conversation || row->remote || row->caller.gen == 0 ||
	    !has_ended(t, row))
		return false;
	if (!ow_clt_lives(t, row->caller.slot, row->caller.gen))
		return true;
	if (c->runtime != 0)
		return false; /* a bridge counts its calls elsewhere */
	out = atomic_load(&c->outstanding);
	return out == 0 ||
	       (out == 1 && ow_wait_note_read(c, &note) && !note.for_message &&
		note.reply.seq != row->seq);
}

static void name_user(struct ow_calls_processes *w, int32_t pid, char *buf,
		      size_t size)
{
	struct owner *o = &w->owners[(uint32_t)pid % OWNERS];
	char path[32];
	struct passwd *pw;
	struct stat st;

	if (o->pid != pid) {
		o->pid = pid;
		o->user[0] = '\0';
		snprintf(path, sizeof(path), "/proc/%d", (int)pid);
		if (stat(path, &st) == 0) {
			pw = getpwuid(st.st_uid);
			if (pw != NULL)
				snprintf(o->user, sizeof(o->user), "%s",
					 pw->pw_name);
			else
				snprintf(o->user, sizeof(o->user), "%u",
					 (unsigned int)st.st_uid);
		}
	}
	snprintf(buf, size, "%s", o->user);
}

/* Word number `n` of a client id; commas separate words. */
static void word_of(const char *id, int n, char *buf, size_t size)
{
	while (n-- > 0 && id != NULL) {
		id = strchr(id, ',');
		id = id != NULL ? id + 1 : NULL;
	}
	snprintf(buf, size, "%.*s", id != NULL ? (int)strcspn(id, ",") : 0,
		 id != NULL ? id : "");
}

void ow_calls_processes_calls(struct ow_calls_processes *w,
			      struct ow_calls_row *row)
{
	const struct ow_tables *t = w->v->d.tables;
	struct ow_calls_caller *a = &row->caller;
	struct ow_domain d = w->v->d;
	char id[sizeof(t->clt->cltid)];
	struct ow_caller who;

	if (a->gen == 0)
		return;
	a->gone = !ow_clt_lives(t, a->slot, a->gen);
	if (a->gone)
		return;
	ow_observer_text(id, t->clt[a->slot].cltid, sizeof(id));
	a->pid = ow_proc_id_pid(atomic_load(&t->clt[a->slot].owner));
	a->srvid = t->clt[a->slot].srvid;
	if (a->node == 0)
		a->node = w->v->d.nodeid;
	word_of(id, 1, a->program, sizeof(a->program));
	if (a->pid > 0)
		name_user(w, a->pid, a->user, sizeof(a->user));
	if (atomic_load(&t->head->guards) != 0 &&
	    ow_callers_read(&d, a->slot, a->gen, &who) == 0 &&
	    who.login[0] != '\0')
		ow_observer_text(a->user, who.login, sizeof(a->user));
}
