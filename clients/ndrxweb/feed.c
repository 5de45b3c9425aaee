/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feed.c - the screens as JSON, made once a second for all who look
 */
#include "clients/ndrxweb/feed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/ndrxweb/text.h"
#include "libatmi/base/clock.h"
#include "libndrx/blackbox/past.h"
#include "libndrx/model/alarms.h"
#include "libndrx/model/eventlog.h"
#include "libndrx/model/model.h"
#include "libndrx/model/sample.h"
#include "libndrx/model/screen.h"

#define VIEWS	64u /* different ones in one look */
#define FRESH_NS (3 * OW_NS_PER_SEC / 2)
#define PAST_NS (10 * OW_NS_PER_SEC) /* then it has grown */
#define SPAN_NS (5 * OW_NS_PER_SEC)  /* of its figures */
#define HISTORY 60u /* looks, for the curves of the overview */

enum curve { CALLS, ERRORS, WAITING, BUSY, CPU, TRANS, CURVES };

static const char *const curve_names[CURVES] = {
	[CALLS] = "calls", [ERRORS] = "errors", [WAITING] = "waiting",
	[BUSY] = "busy",   [CPU] = "cpu",	[TRANS] = "transactions",
};

/* What a message is made of. */
struct scene {
	struct ow_model *model;
	struct ow_eventlog *log;
	struct ow_alarm alarms[OW_ALARMS_MAX];
	size_t n_alarms;
	double curve[CURVES][HISTORY];
	size_t n_curve; /* looks so far */
	const char *remark;
};

struct ow_feed {
	struct ow_sampler *sampler;
	struct scene now, then; /* then: of the black box */
	struct ow_past *past;	/* NULL: not open */
	uint64_t past_ns;	/* when it was opened */
	uint64_t number, look_ns;
	uint64_t calls_ns; /* when somebody has shown the calls */
	struct {
		struct ow_feed_view view;
		struct ow_feed_text *text;
	} made[VIEWS]; /* of the last look */
	unsigned int n_made;
};

int ow_feed_open(struct ow_feed **ret, char *why, size_t size)
{
	struct ow_feed *f = calloc(1, sizeof(*f));
	int r;

	if (f == NULL) {
		snprintf(why, size, "no memory");
		return -ENOMEM;
	}
	r = ow_sampler_open(&f->sampler, why, size);
	f->now.model = ow_model_new();
	f->now.log = ow_eventlog_new();
	if (r == 0 && (f->now.model == NULL || f->now.log == NULL)) {
		snprintf(why, size, "no memory");
		r = -ENOMEM;
	}
	if (r != 0) {
		ow_feed_close(f);
		return r < 0 ? r : -EINVAL;
	}
	ow_eventlog_mask(f->now.log);
	*ret = f;
	return 0;
}

static void forget(struct ow_feed *f)
{
	while (f->n_made > 0)
		ow_feed_release(f->made[--f->n_made].text);
}

struct ow_feed *ow_feed_close(struct ow_feed *f)
{
	if (f == NULL)
		return NULL;
	forget(f);
	ow_eventlog_free(f->now.log);
	ow_model_free(f->now.model);
	ow_eventlog_free(f->then.log);
	ow_model_free(f->then.model);
	ow_past_close(f->past);
	ow_sampler_close(f->sampler);
	free(f);
	return NULL;
}

static void note_curves(struct scene *f)
{
	const struct ow_overview *o = ow_model_overview(f->model);
	size_t at = f->n_curve++ % HISTORY;

	f->curve[CALLS][at] = o->calls;
	f->curve[ERRORS][at] = o->errors;
	f->curve[WAITING][at] = o->waiting;
	f->curve[BUSY][at] = o->busy;
	f->curve[CPU][at] = o->cpu;
	f->curve[TRANS][at] = o->committed + o->rolled_back;
}

int ow_feed_look(struct ow_feed *f)
{
	const struct ow_sample *s;
	int r;

	ow_sampler_see_calls(f->sampler, f->calls_ns != 0 &&
		ow_clock_mono_ns() - f->calls_ns < 2 * FRESH_NS);
	r = ow_sampler_look(f->sampler, false, &s);
	forget(f);
	if (r == 0)
		r = ow_model_take(f->now.model, s);
	if (r != 0)
		return r;
	ow_eventlog_look(f->now.log, ow_sampler_domain(f->sampler), s->now_ns);
	f->now.n_alarms = ow_alarms_find(f->now.model, f->now.alarms);
	note_curves(&f->now);
	f->number++;
	f->look_ns = s->now_ns;
	return 0;
}

bool ow_feed_fresh(const struct ow_feed *f)
{
	return f->number > 0 && ow_clock_mono_ns() - f->look_ns < FRESH_NS;
}

uint64_t ow_feed_number(const struct ow_feed *f)
{
	return f->number;
}

void ow_feed_release(struct ow_feed_text *t)
{
	if (t == NULL || --t->refs > 0)
		return;
	free(t->bytes);
	free(t);
}

/* ---- screens ---- */

bool ow_feed_screen(const char *name, int *ret)
{
	int i;

	*ret = -1;
	if (strcmp(name, "overview") == 0)
		return true;
	for (i = 0; i < OW_SCREEN_END; i++) {
		if (strcmp(ow_screen((enum ow_screen_id)i)->name, name) != 0)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

static void put_column(FILE *out, const struct ow_column *c)
{
	static const char *const formats[] = {
		[OW_FMT_TEXT] = "text",	  [OW_FMT_RATE] = "rate",
		[OW_FMT_COUNT] = "count", [OW_FMT_ID] = "id",
		[OW_FMT_TIME] = "time",	  [OW_FMT_BYTES] = "bytes",
		[OW_FMT_PERCENT] = "percent", [OW_FMT_SPARK] = "spark",
	};

	fputs("{\"title\":", out);
	ow_web_string(out, c->title);
	fputs(",\"about\":", out);
	ow_web_string(out, c->about);
	fprintf(out, ",\"format\":\"%s\",\"drop\":%u,\"look\":%g,\"bad\":%g}",
		formats[c->format], c->drop, c->look, c->bad);
}

static void put_screen(FILE *out, int id)
{
	const struct ow_screen *s = ow_screen((enum ow_screen_id)id);
	int i;

	fputs("{\"name\":", out);
	ow_web_string(out, s->name);
	fputs(",\"title\":", out);
	ow_web_string(out, s->title);
	fputs(",\"about\":", out);
	ow_web_string(out, s->about);
	fputs(",\"empty\":", out);
	ow_web_string(out, s->empty);
	fprintf(out, ",\"sort\":%u,\"rising\":%s,\"down\":\"%s\",\"columns\":[",
		s->sort, s->rising ? "true" : "false",
		ow_screen(s->down)->name);
	for (i = 0; i < s->n_columns; i++) {
		fputs(i > 0 ? "," : "", out);
		put_column(out, &s->columns[i]);
	}
	fputs("]}", out);
}

/* ---- texts ---- */

static struct ow_feed_text *finish(FILE *out, char **bytes, size_t *n)
{
	struct ow_feed_text *t = calloc(1, sizeof(*t));

	if (fclose(out) != 0 || t == NULL) {
		free(*bytes);
		free(t);
		return NULL;
	}
	t->refs = 1;
	t->bytes = *bytes;
	t->n = *n;
	return t;
}

struct ow_feed_text *ow_feed_screens(void)
{
	char *bytes = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&bytes, &n);
	int i;

	if (out == NULL)
		return NULL;
	fputc('[', out);
	for (i = 0; i < OW_SCREEN_END; i++) {
		fputs(i > 0 ? "," : "", out);
		put_screen(out, i);
	}
	fputc(']', out);
	return finish(out, &bytes, &n);
}

static void put_spark(FILE *out, const struct ow_service_row *row)
{
	uint32_t i;

	fputc('[', out);
	for (i = 1; i <= OW_SPARK; i++)
		fprintf(out, "%s%u", i > 1 ? "," : "",
			row->depths[(row->depth_at + i) % OW_SPARK]);
	fputc(']', out);
}

static void put_row(FILE *out, const struct ow_screen *s,
		    const struct ow_row *row)
{
	int i;

	fprintf(out, "[\"%llx\",%d,%u,%u", (unsigned long long)row->key,
		row->grade, row->svc, row->srvid);
	for (i = 0; i < s->n_columns; i++) {
		const struct ow_column *c = &s->columns[i];

		fputc(',', out);
		if (c->format == OW_FMT_TEXT)
			ow_web_string(out, ow_column_text(c, row));
		else if (c->format == OW_FMT_SPARK)
			put_spark(out, (const struct ow_service_row *)row);
		else
			ow_web_number(out, ow_column_number(c, row));
	}
	fputc(']', out);
}

static size_t rows_of(struct scene *f, const struct ow_screen *s,
		      const struct ow_row *const **ret)
{
	switch (s->source) {
	case OW_FROM_SERVICES:
		return ow_model_services(f->model, ret);
	case OW_FROM_SERVERS:
		return ow_model_servers(f->model, ret);
	case OW_FROM_CALLS:
		return ow_model_calls(f->model, ret);
	case OW_FROM_ROUTES:
		return ow_model_routes(f->model, ret);
	case OW_FROM_OFFERS:
		return ow_model_offers(f->model, ret);
	case OW_FROM_CLIENTS:
		return ow_model_clients(f->model, ret);
	case OW_FROM_TRANS:
		return ow_model_trans(f->model, ret);
	case OW_FROM_DURABLE:
		return ow_model_durable(f->model, ret);
	case OW_FROM_LINKS:
		return ow_model_links(f->model, ret);
	case OW_FROM_EVENTS:
		return ow_eventlog_rows(
		    f->log, ow_model_overview(f->model)->now_ns, ret);
	}
	return 0;
}

/* Those of the view in ret[], which has room for all: how many. */
static size_t choose(const struct ow_feed_view *v,
		     const struct ow_row *const *rows, size_t n,
		     const struct ow_row **ret)
{
	size_t i, m = 0;

	for (i = 0; i < n; i++)
		if ((v->svc == 0 || rows[i]->svc == v->svc) &&
		    (v->srvid == 0 || rows[i]->srvid == v->srvid))
			ret[m++] = rows[i];
	return m;
}

/* `all`: so many rows have the words of the view, `many`: there are so many of the
 * screen that the page gets a part. */
static void put_rows(struct scene *f, FILE *out, const struct ow_feed_view *v)
{
	const struct ow_screen *s = ow_screen((enum ow_screen_id)v->screen);
	const struct ow_row *const *rows = NULL;
	size_t n = rows_of(f, s, &rows), m, all = 0;
	const struct ow_row **chosen = calloc(n + 1, sizeof(*chosen));
	int i, shown;

	m = chosen != NULL ? choose(v, rows, n, chosen) : 0;
	shown = ow_web_rows(s, &v->order, chosen, m, &all);
	fprintf(out, ",\"all\":%zu,\"many\":%s,\"rows\":[", all,
		m > OW_WEB_ROWS ? "true" : "false");
	for (i = 0; i < shown; i++) {
		fputs(i == 0 ? "\n" : ",\n", out);
		put_row(out, s, chosen[i]);
	}
	fputc(']', out);
	free(chosen);
}

static void put_curves(struct scene *f, FILE *out)
{
	size_t i, first = f->n_curve > HISTORY ? f->n_curve - HISTORY : 0;
	int k;

	fputs(",\"curves\":{", out);
	for (k = 0; k < CURVES; k++) {
		fprintf(out, "%s\"%s\":[", k > 0 ? "," : "", curve_names[k]);
		for (i = first; i < f->n_curve; i++) {
			fputs(i > first ? "," : "", out);
			ow_web_number(out, f->curve[k][i % HISTORY]);
		}
		fputc(']', out);
	}
	fputc('}', out);
}

static void put_head(struct scene *f, FILE *out)
{
	const struct ow_overview *o = ow_model_overview(f->model);
	size_t i;

	fprintf(out, "{\"time\":%llu,\"domain\":%s,\"why\":",
		(unsigned long long)(o->real_ns / OW_NS_PER_MS),
		o->domain ? "true" : "false");
	ow_web_string(out, o->why);
	fputs(",\"prefix\":", out);
	ow_web_string(out, o->prefix);
	fprintf(out, ",\"node\":%ld,\"ndrxd\":%d,\"stopped\":%s,\"alive\":%u,"
		"\"servers\":%u,\"clients\":%u,\"busy\":%u", o->nodeid,
		o->ndrxd_pid, o->ndrxd_stopped ? "true" : "false", o->alive,
		o->servers, o->clients, o->busy);
	fputs(",\"problems\":[", out);
	for (i = 0; i < f->n_alarms; i++) {
		fprintf(out, "%s[%d,", i > 0 ? "," : "",
			f->alarms[i].grade);
		ow_web_string(out, f->alarms[i].text);
		fputc(']', out);
	}
	fputc(']', out);
	if (f->remark != NULL) {
		fputs(",\"remark\":", out);
		ow_web_string(out, f->remark);
	}
	put_curves(f, out);
}

/* `event`: as a server-sent event. */
static struct ow_feed_text *make(struct scene *f, const struct ow_feed_view *v,
				 bool event)
{
	char *bytes = NULL, *p;
	size_t n = 0;
	FILE *out = open_memstream(&bytes, &n);
	struct ow_feed_text *t;

	if (out == NULL)
		return NULL;
	fputs(event ? "data: " : "", out);
	put_head(f, out);
	if (v->screen >= 0)
		put_rows(f, out, v);
	fputs("}\n\n", out);
	t = finish(out, &bytes, &n);
	/* One line is one datum: the line feeds between rows go. */
	if (t != NULL)
		for (p = t->bytes; p + 2 < t->bytes + t->n; p++)
			if (*p == '\n')
				*p = ' ';
	return t;
}

static bool is_same(const struct ow_web_order *a, const struct ow_web_order *b)
{
	return a->column == b->column && a->rising == b->rising &&
	       strcmp(a->words, b->words) == 0;
}

/* Few rows go to all pages as they are: one text for all. */
static struct ow_feed_view what_differs(struct ow_feed *f,
					const struct ow_feed_view *v)
{
	const struct ow_row *const *rows = NULL;
	struct ow_feed_view view = *v;

	if (v->screen < 0 || rows_of(&f->now, ow_screen((enum ow_screen_id)
							v->screen), &rows)
				 <= OW_WEB_ROWS)
		view.order = (struct ow_web_order){ 0 };
	return view;
}

struct ow_feed_text *ow_feed_get(struct ow_feed *f,
				 const struct ow_feed_view *of)
{
	struct ow_feed_view view = what_differs(f, of), *v = &view;
	struct ow_feed_text *t;
	unsigned int i;

	if (v->screen == OW_SCREEN_CALLS)
		f->calls_ns = ow_clock_mono_ns();
	for (i = 0; i < f->n_made; i++) {
		if (f->made[i].view.screen != v->screen ||
		    f->made[i].view.svc != v->svc ||
		    f->made[i].view.srvid != v->srvid ||
		    !is_same(&f->made[i].view.order, &v->order))
			continue;
		f->made[i].text->refs++;
		return f->made[i].text;
	}
	t = f->number > 0 ? make(&f->now, v, true) : NULL;
	if (t != NULL && f->n_made < VIEWS) {
		f->made[f->n_made].view = *v;
		f->made[f->n_made++].text = t;
		t->refs++;
	}
	return t;
}

/* ---- the black box ---- */

/* Open it, or again if it has grown since: false, there is none. */
static bool open_past(struct ow_feed *f, char *why, size_t size)
{
	uint64_t now = ow_clock_mono_ns();

	if (f->past != NULL && now - f->past_ns < PAST_NS)
		return true;
	f->past = ow_past_close(f->past);
	f->past_ns = now;
	return ow_past_open(NULL, NULL, &f->past, why, size) == 0;
}

bool ow_feed_span(struct ow_feed *f, uint64_t *ret_first, uint64_t *ret_last,
		  char *why, size_t size)
{
	if (!open_past(f, why, size))
		return false;
	ow_past_span(f->past, ret_first, ret_last);
	return true;
}

struct ow_feed_text *ow_feed_past(struct ow_feed *f, uint64_t real_ns,
				  const struct ow_feed_view *v, char *why,
				  size_t size)
{
	if (!open_past(f, why, size))
		return NULL;
	ow_past_go(f->past, real_ns);
	snprintf(why, size, "no memory");
	if (ow_past_look(f->past, SPAN_NS, &f->then.model, &f->then.log) != 0)
		return NULL;
	f->then.n_alarms = ow_alarms_find(f->then.model, f->then.alarms);
	f->then.n_curve = 0;
	note_curves(&f->then);
	f->then.remark = ow_past_remark(f->past);
	return make(&f->then, v, false);
}
