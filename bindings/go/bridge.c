/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bridge.c - what Go asks of the C library, one crossing for each operation
 */
#include "bridge.h"

#include <atmi.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

static const char *const types[GOW_KINDS] = {
	[GOW_STRING] = "STRING",
	[GOW_CARRAY] = "CARRAY",
	[GOW_JSON] = "JSON",
	[GOW_UBF] = "UBF",
};

struct gow_news {
	struct gow_news *next;
	struct gow_out out;
};

/* ---- contexts ---- */

/* Put the context on this thread; what it had is returned. */
static TPCONTEXT_T enter(struct gow *g)
{
	TPCONTEXT_T had = TPNULLCONTEXT;

	tpgetctxt(&had, 0);
	tpsetctxt(g->ctx, 0);
	return had;
}

static void leave(TPCONTEXT_T had)
{
	tpsetctxt(had, 0);
}

/* The last error, into *out: -1. */
static int fail(struct gow_out *out)
{
	out->err = tplasterror(out->text, sizeof(out->text), &out->urcode);
	if (out->err == 0)
		out->err = TPESYSTEM;
	return -1;
}

static void clear(struct gow_out *out)
{
	memset(out, 0, offsetof(struct gow_out, text));
	out->text[0] = '\0';
}

int gow_open(struct gow **ret, struct gow_out *out)
{
	struct gow *g = calloc(1, sizeof(*g));
	TPCONTEXT_T had;

	clear(out);
	if (g != NULL)
		g->outs = calloc(GOW_DRAIN, sizeof(*g->outs));
	if (g == NULL || g->outs == NULL) {
		free(g);
		out->err = TPEOS;
		return -1;
	}
	g->last = &g->news;
	g->ctx = tpnewctxt(0, 0);
	if (g->ctx == NULL) {
		fail(out);
		free(g->outs);
		free(g);
		return -1;
	}
	had = enter(g);
	tpsetsigrstrt(TPSIG_RESTART);
	g->fd = tpreplyfd();
	if (g->fd == -1)
		fail(out);
	leave(had);
	if (out->err != 0) {
		gow_close(g);
		return -1;
	}
	*ret = g;
	return 0;
}

int gow_as(struct gow *g, const char *name, long appkey, struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);

	clear(out);
	if (tpsetcaller(name, appkey) == -1)
		fail(out);
	leave(had);
	return out->err == 0 ? 0 : -1;
}

void gow_failed(struct gow_out *out)
{
	clear(out);
	fail(out);
}

void gow_close(struct gow *g)
{
	struct gow_news *n;
	int i;

	tpfreectxt(g->ctx);
	while ((n = g->news) != NULL) {
		g->news = n->next;
		gow_release(n->out.buf, n->out.fields);
		free(n);
	}
	for (i = 0; i < GOW_KINDS; i++)
		tpfree(g->in[i]);
	tpfree(g->reply);
	free(g->put);
	free(g->get);
	free(g->outs);
	free(g);
}

void gow_release(char *buf, struct Bfield *fields)
{
	tpfree(buf);
	free(fields);
}

/* ---- buffers down ---- */

static int need_fields(struct Bfield **p, int *room, int n)
{
	struct Bfield *q;

	if (n <= *room)
		return 0;
	q = realloc(*p, (size_t)n * 2 * sizeof(*q));
	if (q == NULL)
		return -1;
	*p = q;
	*room = n * 2;
	return 0;
}

/* Records become fields that point to their values. */
static void point_to(struct Bfield *f, struct gow_in in)
{
	char *p = in.data;
	int i;

	for (i = 0; i < in.n; i++) {
		const struct gow_record *r = (const struct gow_record *)p;

		p += sizeof(*r);
		f[i] = (struct Bfield){ .id = r->id,
					.occ = -1,
					.type = r->type,
					.parent = r->parent,
					.data = r->type == BFLD_UBF ? NULL : p,
					.len = r->len };
		p += (r->len + 8) & ~7; /* strings have a NUL */
	}
}

/* A number of fields that could not be put, and why. */
static int fail_fields(struct gow_out *out, int bad)
{
	char *why = Bstrerror(Berror);

	fail(out);
	snprintf(out->text, sizeof(out->text), "field number %d: %s", bad, why);
	return -1;
}

int gow_fill(char **data, struct Bfield **put, int *room,
	     struct gow_in in, struct gow_out *out)
{
	int bad = -1;

	if (in.kind == GOW_NULL)
		return 0;
	if (in.kind > GOW_OTHER)
		return gow_fill_json(data, in, out);
	if (in.kind == GOW_UBF) {
		if (need_fields(put, room, in.n + 1) != 0) {
			out->err = TPEOS;
			return -1;
		}
		point_to(*put, in);
		if (tpputfields(data, *put, in.n, &bad) != 0)
			return fail_fields(out, bad);
		return 0;
	}
	if (*data == NULL)
		*data = tpalloc((char *)types[in.kind], NULL, in.len + 1);
	else if (tptypes(*data, NULL, NULL) < in.len + 1)
		*data = tprealloc(*data, in.len + 1);
	if (*data == NULL)
		return fail(out);
	if (in.len > 0)
		memcpy(*data, in.data, (size_t)in.len);
	(*data)[in.len] = '\0';
	return 0;
}

int gow_make(char **data, struct gow_in in, char text[GOW_TEXT])
{
	static __thread struct Bfield *put;
	static __thread int room;
	struct gow_out out;
	int r;

	clear(&out);
	r = gow_fill(data, &put, &room, in, &out);
	memcpy(text, out.text, GOW_TEXT);
	return r;
}

static int prepare(struct gow *g, struct gow_in in, char **ret,
		   struct gow_out *out)
{
	clear(out);
	*ret = NULL;
	if (gow_fill(&g->in[in.kind], &g->put, &g->room_put, in, out) != 0)
		return -1;
	*ret = g->in[in.kind];
	return 0;
}

/* ---- buffers up ---- */

static int kind_of(char *buf)
{
	char type[XATMI_TYPE_LEN + 1] = "";
	int i;

	if (buf == NULL || tptypes(buf, type, NULL) == -1)
		return GOW_NULL;
	for (i = GOW_STRING; i < GOW_OTHER; i++)
		if (strcmp(type, types[i]) == 0)
			return i;
	return strncmp(type, "FML", 3) == 0 ? GOW_UBF : GOW_OTHER;
}

int gow_is_ubf(char *buf)
{
	return kind_of(buf) == GOW_UBF;
}

/* See what a buffer has; its fields go to *get. */
static void look(char *buf, long len, struct gow_out *out,
		 struct Bfield **get, int *room)
{
	int n;

	out->buf = buf;
	out->len = len;
	out->kind = kind_of(buf);
	if (out->kind == GOW_STRING || out->kind == GOW_JSON)
		out->len = (long)strlen(buf);
	if (out->kind != GOW_UBF)
		return;
	n = Bgetfields((UBFH *)buf, *get, *room);
	if (n > *room && need_fields(get, room, n) == 0)
		n = Bgetfields((UBFH *)buf, *get, *room);
	out->n = n > *room ? *room : n < 0 ? 0 : n;
	out->fields = *get;
}

/* The same, into memory of its own. */
static void look_apart(char *buf, long len, struct gow_out *out)
{
	struct Bfield *fields = NULL;
	int room = 0;

	look(buf, len, out, &fields, &room);
	out->fields = fields;
}

void gow_look(char *data, long len, struct gow_out *out)
{
	clear(out);
	look_apart(data, len, out);
}

/* ---- calls ---- */

static void limit(long ms)
{
	if (ms > 0)
		tpsblktime((int)ms, TPBLK_NEXT | TPBLK_MILLISECOND);
}

/* The reply of call `cd` is there: 0, or -1. */
static int fetch(struct gow *g, int cd, struct gow_out *out)
{
	long len = 0;
	int r = tpgetrply(&cd, &g->reply, &len, TPNOBLOCK);

	out->urcode = tpurcode;
	out->cd = cd;
	if (r != 0)
		fail(out);
	if (out->err == TPEBLOCK) { /* something else was there */
		out->err = 0;
		return 1;
	}
	if (r == 0 || out->err == TPESVCFAIL)
		look(g->reply, len, out, &g->get, &g->room_get);
	return r;
}

/* The domain was shut down: the library makes the context anew with its next
 * call, without its descriptor and its calls. */
void gow_gone(struct gow_out *out)
{
	clear(out);
	out->err = TPESYSTEM;
	snprintf(out->text, sizeof(out->text), "the domain was shut down: what "
		 "became of the call is not known");
}

/* From now on the descriptor tells: 1; GOW_ANEW, it is another one; -1. */
static int guard(struct gow *g, struct gow_out *out)
{
	if (tpreplytimeout() >= 0)
		return 1;
	g->fd = tpreplyfd();
	return g->fd == -1 ? fail(out) : GOW_ANEW;
}

/* 0: the reply is there; 1, GOW_ANEW: it is not; -1. */
static int await(struct gow *g, int cd, long usec, struct gow_out *out)
{
	if (usec > 0 && tpreplywait(usec) == 1)
		return fetch(g, cd, out);
	return usec >= 0 ? guard(g, out) : 1;
}

int gow_call(struct gow *g, const char *svc, struct gow_in in, long ms,
	     long usec, long flags, struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);
	char *data;
	int r = prepare(g, in, &data, out);

	if (r == 0) {
		limit(ms);
		r = tpacall((char *)svc, data, in.len, flags);
		if (r < 0)
			fail(out);
	}
	if (r > 0) {
		out->cd = r;
		r = await(g, r, usec, out);
	}
	leave(had);
	return r;
}

int gow_await(struct gow *g, int cd, long usec, struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);
	int r;

	clear(out);
	out->cd = cd;
	r = await(g, cd, usec, out);
	leave(had);
	return r;
}

/* One reply: false, none is there. */
static int drain_one(struct gow_out *out)
{
	char *buf = NULL;
	long len = 0;
	int r;

	clear(out);
	r = tpgetrply(&out->cd, &buf, &len, TPGETANY | TPNOBLOCK);
	out->urcode = tpurcode;
	if (r != 0)
		fail(out);
	if (out->err == TPEBLOCK || out->cd == 0)
		return 0;
	look_apart(buf, len, out);
	return 1;
}

int gow_drain(struct gow *g, int *ms)
{
	TPCONTEXT_T had = enter(g);
	int n = 0;

	while (n < GOW_DRAIN && drain_one(&g->outs[n]))
		n++;
	*ms = n < GOW_DRAIN ? tpreplytimeout() : 0;
	if (*ms < 0)
		gow_gone(&g->out);
	leave(had);
	return n;
}

void gow_cancel(struct gow *g, int cd)
{
	TPCONTEXT_T had = enter(g);

	tpcancel(cd);
	leave(had);
}

/* ---- conversations ---- */

int gow_connect(struct gow *g, const char *svc, struct gow_in in,
		long ms, long flags, struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);
	char *data;
	int r = prepare(g, in, &data, out);

	if (r == 0) {
		limit(ms);
		r = tpconnect((char *)svc, data, in.len, flags);
		out->cd = r;
		r = r == -1 ? fail(out) : 0;
	}
	leave(had);
	return r;
}

int gow_recv(struct gow *g, int cd, struct gow_out *out, int *ms)
{
	TPCONTEXT_T had = enter(g);
	char *buf = NULL;
	long len = 0, event = 0;
	int r;

	clear(out);
	out->cd = cd;
	r = tprecv(cd, &buf, &len, TPNOBLOCK, &event);
	if (r != 0)
		fail(out);
	out->urcode = tpurcode;
	out->event = event;
	if (out->err == TPEBLOCK) {
		*ms = tpreplytimeout();
		r = 1;
	} else {
		look_apart(buf, len, out);
	}
	leave(had);
	return r;
}

int gow_conv_send(struct gow *g, int cd, struct gow_in in, long flags,
		  struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);
	char *data;
	int r = prepare(g, in, &data, out);

	out->cd = cd;
	if (r == 0) {
		r = tpsend(cd, data, in.len, flags, &out->event);
		if (r != 0)
			fail(out);
	}
	leave(had);
	return r;
}

int gow_discon(struct gow *g, int cd, struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);
	int r;

	clear(out);
	r = tpdiscon(cd);
	if (r != 0)
		fail(out);
	leave(had);
	return r;
}

/* ---- transactions, queues, events ---- */

int gow_tran(struct gow *g, enum gow_tran what, unsigned long seconds,
	     struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);
	int r;

	clear(out);
	r = what == GOW_OPEN	 ? tpopen()
	    : what == GOW_BEGIN	 ? tpbegin(seconds, 0)
	    : what == GOW_COMMIT ? tpcommit(0)
				 : tpabort(0);
	if (r != 0)
		fail(out);
	leave(had);
	return r;
}

/* A failed operation of a queue: the queue's own reason is said, too. */
static int fail_queue(const TPQCTL *ctl, struct gow_out *out)
{
	size_t n;

	fail(out);
	n = strlen(out->text);
	if (out->err == TPEDIAGNOSTIC)
		snprintf(out->text + n, sizeof(out->text) - n,
			 " (diagnostic %ld)", ctl->diagnostic);
	out->event = ctl->diagnostic;
	return -1;
}

int gow_enqueue(struct gow *g, const char *space, const char *queue,
		struct gow_in in, long ms, long flags,
		struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);
	TPQCTL ctl = { .flags = TPNOFLAGS };
	char *data;
	int r = prepare(g, in, &data, out);

	if (r == 0) {
		limit(ms);
		r = tpenqueue((char *)space, (char *)queue, &ctl, data, in.len,
			      flags);
		if (r != 0)
			fail_queue(&ctl, out);
		memcpy(out->id, ctl.msgid, sizeof(ctl.msgid));
	}
	leave(had);
	return r;
}

int gow_dequeue(struct gow *g, const char *space, const char *queue, int wait,
		long ms, long flags, struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);
	TPQCTL ctl = { .flags = wait ? TPQWAIT : TPNOFLAGS };
	char *buf = NULL;
	long len = 0;
	int r;

	clear(out);
	limit(ms);
	r = tpdequeue((char *)space, (char *)queue, &ctl, &buf, &len, flags);
	if (r == 0) {
		memcpy(out->id, ctl.msgid, sizeof(ctl.msgid));
		look_apart(buf, len, out);
	} else {
		fail_queue(&ctl, out);
		if (out->err == TPEDIAGNOSTIC && ctl.diagnostic == QMENOMSG)
			r = 1;
	}
	leave(had);
	return r;
}

/* The handler may not keep the buffer, nor call: its content is copied. */
static void on_news(char *data, long len, long flags, void *ptr)
{
	struct gow *g = ptr;
	struct gow_news *n = calloc(1, sizeof(*n));
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1] = "";
	char *copy = NULL;
	long size = 0;

	(void)flags;
	if (n == NULL)
		return;
	if (data != NULL && (size = tptypes(data, type, sub)) > 0)
		copy = tpalloc(type, sub[0] != '\0' ? sub : NULL, size);
	if (copy != NULL && strcmp(type, "UBF") == 0)
		Bcpy((UBFH *)copy, (UBFH *)data);
	else if (copy != NULL)
		memcpy(copy, data, (size_t)(len > 0 ? len : size));
	look_apart(copy, len, &n->out);
	*g->last = n;
	g->last = &n->next;
}

int gow_subscribe(struct gow *g, const char *expression, const char *filter,
		  struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);
	long r;

	clear(out);
	r = tpsetunsol_cb(on_news, g);
	if (r == 0)
		r = tpsubscribe((char *)expression, (char *)filter, NULL,
				TPNOTRAN);
	if (r < 0)
		fail(out);
	leave(had);
	return r < 0 ? -1 : 0;
}

int gow_post(struct gow *g, const char *event, struct gow_in in,
	     struct gow_out *out)
{
	TPCONTEXT_T had = enter(g);
	char *data;
	int r = prepare(g, in, &data, out);

	if (r == 0) {
		r = tppost((char *)event, data, in.len, 0);
		if (r < 0)
			fail(out);
	}
	leave(had);
	return r < 0 ? -1 : 0;
}

int gow_news(struct gow *g, struct gow_out *out, int *ms)
{
	TPCONTEXT_T had = TPNULLCONTEXT;
	struct gow_news *n = g->news;

	if (n == NULL) {
		had = enter(g);
		while (tpchkunsol() > 0)
			;
		*ms = tpreplytimeout();
		leave(had);
		n = g->news;
	}
	if (n == NULL)
		return 1;
	*out = n->out;
	g->news = n->next;
	if (g->news == NULL)
		g->last = &g->news;
	free(n);
	return 0;
}

/* ---- names ---- */

int32_t gow_field_id(const char *name, char text[GOW_TEXT])
{
	BFLDID id = Bfldid((char *)name);

	if (id == BBADFLDID)
		snprintf(text, GOW_TEXT, "%s", Bstrerror(Berror));
	return id == BBADFLDID ? 0 : id;
}

const char *gow_field_name(int32_t id)
{
	return Bfname(id);
}
