/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mib.c - answer requests of MIB(5): GET, GETNEXT page by page; SET
 */
#include "libatmi/mib/mib.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tpadm.h>

#include "libatmi/domain/domain.h"
#include "libatmi/mib/cursor.h"
#include "libatmi/mib/order.h"
#include "libatmi/mib/request.h"

struct ow_mib {
	struct ow_mib_settings set;
	pthread_mutex_t lock; /* of the cursors */
	struct ow_mib_cursors *cursors;
};

/* One answer under way. */
struct answer {
	struct ow_mib *m;
	const struct ow_domain *d;
	UBFH *out;
	struct ow_mib_refusal f;
};

struct ow_mib *ow_mib_new(const struct ow_mib_settings *s)
{
	struct ow_mib *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->set = *s;
	pthread_mutex_init(&m->lock, NULL);
	m->cursors = ow_mib_cursors_new(s->cursors, s->hold_s);
	return m->cursors != NULL ? m : ow_mib_free(m);
}

struct ow_mib *ow_mib_free(struct ow_mib *m)
{
	if (m == NULL)
		return NULL;
	ow_mib_cursors_free(m->cursors);
	pthread_mutex_destroy(&m->lock);
	free(m);
	return NULL;
}

void ow_mib_tidy(struct ow_mib *m)
{
	pthread_mutex_lock(&m->lock);
	ow_mib_cursors_tidy(m->cursors);
	pthread_mutex_unlock(&m->lock);
}

/* ---- cursors as texts ---- */

static void cursor_text(const struct answer *a, uint32_t number,
			char buf[OW_MIB_TEXT])
{
	snprintf(buf, OW_MIB_TEXT, ".TMIB-%ld-%u_SC%09u", a->d->nodeid,
		 a->m->set.srvid, number);
}

static bool parse_cursor(UBFH *in, long *ret_node, uint32_t *ret_srvid,
			 uint32_t *ret_number)
{
	char text[OW_MIB_TEXT];
	int end = 0;

	return ow_mib_read_text(in, OW_TA_CURSOR, text) &&
	       sscanf(text, ".TMIB-%ld-%u_SC%9u%n", ret_node, ret_srvid,
		      ret_number, &end) == 3 &&
	       text[end] == '\0';
}

bool ow_mib_of_others(const struct ow_mib *m, const struct ow_domain *d,
		      UBFH *in, char *buf)
{
	uint32_t srvid = 0, number = 0;
	char op[OW_MIB_TEXT];
	long node = 0;

	if (!ow_mib_read_text(in, OW_TA_OPERATION, op) ||
	    strcmp(op, "GETNEXT") != 0 ||
	    !parse_cursor(in, &node, &srvid, &number) || srvid == 0 ||
	    node != d->nodeid || srvid == m->set.srvid)
		return false;
	snprintf(buf, 40, ".TMIB-%ld-%u", node, srvid);
	return true;
}

/* ---- one page ---- */

/* A field of the reply; the buffer has room. */
static void put_long(UBFH *out, BFLDID id, long n)
{
	Bchg(out, id, 0, (char *)&n, 0);
}

static void put_object(UBFH *out, const struct ow_mib_found *f,
		       struct ow_mib_object *o)
{
	const struct ow_mib_field *field = f->class->fields;
	int i;

	for (i = 0; i < o->n; i++) {
		if ((f->shown >> i & 1) == 0)
			continue;
		if (Bfldtype(field[i].id) == BFLD_LONG)
			Badd(out, field[i].id, (char *)&o->v[i].number, 0);
		else
			Badd(out, field[i].id, o->v[i].text, 0);
	}
}

/* Objects until the page is full; how many. What has gone is passed over. */
static long put_page(struct answer *a, struct ow_mib_found *f)
{
	struct ow_mib_object o;
	long n = 0;

	while (f->from < f->n && Bused(a->out) < (long)a->m->set.page) {
		o.n = 0;
		if (!f->class->read(a->d, f->at[f->from++], &o))
			continue;
		put_object(a->out, f, &o);
		n++;
	}
	return n;
}

static void put_head(struct answer *a, const struct ow_mib_found *f, long n)
{
	Bchg(a->out, OW_TA_CLASS, 0, (char *)f->class->name, 0);
	put_long(a->out, OW_TA_OCCURS, n);
	put_long(a->out, OW_TA_MORE, (long)f->n - (long)f->from);
}

/* ---- GET ---- */

/* Find all objects that the request asks for: 0, or the error. */
static long find_all(struct answer *a, const struct ow_mib_request *r,
		     struct ow_mib_found *f)
{
	struct ow_mib_object o;
	uint64_t at = r->class->next(a->d, 0);

	for (; at != OW_MIB_NOWHERE; at = r->class->next(a->d, at + 1)) {
		o.n = 0;
		if (!r->class->read(a->d, at, &o) || !ow_mib_matches(r, &o))
			continue;
		if (ow_mib_found_add(f, at) != 0)
			return ow_mib_refuse(&a->f, TAEOS, 0, "no memory");
	}
	return 0;
}

/* Return a page of `f`, keep the rest. `number`: of its cursor, 0: it has
 * none. */
static void turn_page(struct answer *a, struct ow_mib_found *f,
		      uint32_t number)
{
	char text[OW_MIB_TEXT];

	put_head(a, f, put_page(a, f));
	if (f->from >= f->n)
		return;
	if (number != 0)
		ow_mib_cursor_return(a->m->cursors, number, f);
	else
		number = ow_mib_cursor_keep(a->m->cursors, f);
	cursor_text(a, number, text);
	Bchg(a->out, OW_TA_CURSOR, 0, text, 0);
}

static long get(struct answer *a, const struct ow_mib_request *r)
{
	struct ow_mib_found f = { .class = r->class, .shown = r->shown };
	long e = find_all(a, r, &f);

	if (e == 0)
		turn_page(a, &f, 0);
	ow_mib_found_clear(&f);
	return e;
}

static long get_next(struct answer *a, const struct ow_mib_request *r)
{
	uint32_t srvid = 0, number = 0;
	struct ow_mib_found f;
	long node = 0;

	if (Bpres(r->in, OW_TA_CURSOR, 0) == 0)
		return ow_mib_refuse(&a->f, TAEREQUIRED, OW_TA_CURSOR,
				     "TA_CURSOR is missing");
	if (!parse_cursor(r->in, &node, &srvid, &number) ||
	    node != a->d->nodeid || srvid != a->m->set.srvid ||
	    !ow_mib_cursor_take(a->m->cursors, number, &f))
		return ow_mib_refuse(&a->f, TAEINVAL, OW_TA_CURSOR,
				     "the cursor is not known, or too old");
	if (r->class != NULL && r->class != f.class) {
		ow_mib_cursor_return(a->m->cursors, number, &f);
		return ow_mib_refuse(&a->f, TAEINVAL, OW_TA_CLASS,
				     "the cursor is one of another class");
	}
	turn_page(a, &f, number);
	ow_mib_found_clear(&f);
	return 0;
}

/* ---- */

static long do_request(struct answer *a, const struct ow_mib_request *r)
{
	long e;

	if (r->op == OW_MIB_SET)
		return ow_mib_set(a->d, r, &a->f);
	pthread_mutex_lock(&a->m->lock);
	e = r->op == OW_MIB_GET ? get(a, r) : get_next(a, r);
	pthread_mutex_unlock(&a->m->lock);
	return e;
}

long ow_mib_answer(struct ow_mib *m, const struct ow_domain *d, UBFH *in,
		   UBFH *out)
{
	struct answer a = { .m = m, .d = d, .out = out };
	struct ow_mib_request r;
	long e = ow_mib_read_request(in, &r, &a.f);

	if (e == 0)
		e = do_request(&a, &r);
	put_long(out, OW_TA_ERROR, e);
	if (e < 0) {
		Bchg(out, OW_TA_STATUS, 0, a.f.text, 0);
		if (a.f.field != 0)
			put_long(out, OW_TA_BADFLD, (long)a.f.field);
	}
	return e;
}
