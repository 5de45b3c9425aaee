/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - calls: the requests that wait or are served now
 */
#include "clients/xadmin/list/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/xadmin/domain/masks.h"
#include "clients/xadmin/domain/reach.h"
#include "libndrx/observe/calls.h"
#include "libndrx/observe/calls_filter.h"
#include "libubf/base/variable.h"

static const struct ow_column plain[] = {
	{ "SERVICE", 10, OW_COLUMN_GROWS },
	{ "STATE", 9, 0 },
	{ "AGE", 9, OW_COLUMN_RIGHT },
	{ "LEFT", 8, OW_COLUMN_RIGHT },
	{ "WHERE", 12, OW_COLUMN_GROWS },
	{ "CALLER", 10, OW_COLUMN_GROWS },
	{ "PID", 7, OW_COLUMN_RIGHT },
	{ "USER", 8, 0 },
	{ "NODE", 4, OW_COLUMN_RIGHT },
	{ "PRIO", 4, OW_COLUMN_RIGHT },
	{ "SIZE", 7, OW_COLUMN_RIGHT },
	{ "TRACE", 32, 0 },
	{ NULL, 0, 0 },
};

static const struct ow_column with_why[] = {
	{ "SERVICE", 10, OW_COLUMN_GROWS },
	{ "STATE", 9, 0 },
	{ "AGE", 9, OW_COLUMN_RIGHT },
	{ "LEFT", 8, OW_COLUMN_RIGHT },
	{ "CALLER", 10, OW_COLUMN_GROWS },
	{ "PID", 7, OW_COLUMN_RIGHT },
	{ "WHY", 40, OW_COLUMN_GROWS },
	{ NULL, 0, 0 },
};

struct listing {
	struct ow_args *a;
	struct ow_listing out;
	struct ow_calls calls;
	struct ow_calls_filter *filter;
	struct ow_calls_chains *chains;
	struct ow_calls_buffer buffer;
	struct ow_masks masks;
	const char *service; /* -s */
	bool stuck, contents;
	size_t unreadable, unseen;
};

/* ---- a row ---- */

static void say_seconds(char *buf, size_t size, int64_t us)
{
	snprintf(buf, size, "%.3f", (double)us / 1e6);
}

static void say_where(const struct ow_calls_row *r, char *buf, size_t size)
{
	char thread[24] = "";

	if (r->thread != 0)
		snprintf(thread, sizeof(thread), "/%u", r->thread);
	if (r->state == OW_CALLS_WAITS && r->position != 0)
		snprintf(buf, size, "queue%s%s %u",
			 r->queue[0] != '\0' ? " " : "", r->queue,
			 r->position);
	else if (r->state == OW_CALLS_WAITS)
		snprintf(buf, size, "queue");
	else if (r->state == OW_CALLS_UNSEEN)
		snprintf(buf, size, "queue, %u more", r->n);
	else if (r->state == OW_CALLS_ELSEWHERE)
		snprintf(buf, size, "-");
	else if (r->srvid == 0)
		snprintf(buf, size, "process %d", (int)r->server_pid);
	else
		snprintf(buf, size, "%u %s%s%s", r->srvid, r->server, thread,
			 r->conversation ? ", conversation" : "");
}

static void hex(char *dst, const uint8_t *src, size_t n)
{
	size_t i;

	dst[0] = '\0';
	for (i = 0; i < n; i++)
		sprintf(dst + 2 * i, "%02x", src[i]);
}

static const char *caller_of(const struct ow_calls_row *r)
{
	return r->caller.program[0] != '\0' ? r->caller.program
	       : r->caller.gone		    ? "(has left)"
					    : "-";
}

struct fields {
	struct listing *k;
	FILE *text;
};

static void put_text_field(const char *field, int occ, const char *value,
			   void *arg)
{
	struct fields *f = arg;

	fprintf(f->text, occ == 0 ? "%s%s" : "%s%s[%d]",
		ftell(f->text) > 0 ? " " : "", field, occ);
	fprintf(f->text, "='%s'", value);
}

static void put_json_field(const char *field, int occ, const char *value,
			   void *arg)
{
	struct fields *f = arg;
	struct ow_json *j = f->k->out.json;

	ow_json_row_begin(j);
	ow_json_str(j, "field", field);
	ow_json_int(j, "occ", occ);
	ow_json_str(j, "value", value);
	ow_json_row_end(j);
}

/* Why there are no contents; NULL: k->buffer has a UBF buffer. */
static const char *read_contents(struct listing *k,
				 const struct ow_calls_row *r)
{
	switch (ow_calls_contents(&k->calls, r, &k->buffer)) {
	case 0:
		return r->type == OW_BUF_UBF ? NULL : "not a UBF buffer";
	case OW_CALLS_MOVED:
		return "it has moved on";
	case OW_CALLS_CHANGING:
		return "its server writes it";
	case OW_CALLS_NOWHERE:
		return "not in shared memory";
	case OW_CALLS_LARGE:
		return "larger than 16 MiB";
	case OW_CALLS_DAMAGED:
		return "its server writes it, or it is damaged";
	default:
		return "no memory";
	}
}

/* The fields as text; "(why not)". The caller frees it. */
static char *text_of(struct listing *k, const struct ow_calls_row *r)
{
	struct fields f = { .k = k };
	const char *why = read_contents(k, r);
	char *text = NULL;
	size_t size = 0;

	f.text = open_memstream(&text, &size);
	if (f.text == NULL)
		return NULL;
	if (why != NULL)
		fprintf(f.text, "(%s)", why);
	else
		ow_calls_fields(&k->buffer, k->masks.names, put_text_field, &f);
	fclose(f.text);
	return text;
}

static void json_contents(struct listing *k, const struct ow_calls_row *r)
{
	struct fields f = { .k = k };
	const char *why;
	char *text;

	if (k->out.json->as_csv) {
		text = text_of(k, r);
		ow_json_str(k->out.json, "buffer", text != NULL ? text : "");
		free(text);
		return;
	}
	why = read_contents(k, r);
	ow_json_str(k->out.json, "unreadable", why != NULL ? why : "");
	ow_json_list_begin(k->out.json, "buffer");
	if (why == NULL)
		ow_calls_fields(&k->buffer, k->masks.names, put_json_field, &f);
	ow_json_list_end(k->out.json);
}

static void json_request(struct ow_json *j, const struct ow_calls_row *r)
{
	char trace[33], span[17];

	hex(trace, r->trace_id, r->known ? sizeof(r->trace_id) : 0);
	hex(span, r->span_id, r->known ? sizeof(r->span_id) : 0);
	ow_json_bool(j, "known", r->known);
	ow_json_bool(j, "one_way", r->one_way);
	ow_json_bool(j, "conversation", r->conversation);
	ow_json_bool(j, "from_another_node", r->remote);
	ow_json_uint(j, "priority", r->prio);
	ow_json_uint(j, "size", r->len);
	ow_json_uint(j, "transaction", r->tran);
	ow_json_str(j, "trace_id", trace);
	ow_json_str(j, "request_id", span);
}

static void json_row(struct listing *k, const struct ow_calls_row *r,
		     const char *why, bool deadlock)
{
	struct ow_json *j = k->out.json;
	int64_t left = ow_calls_left_us(&k->calls, r);

	ow_json_row_begin(j);
	ow_json_str(j, "service", r->service);
	ow_json_str(j, "queue", r->queue);
	ow_json_str(j, "state", ow_calls_state_name(r->state));
	ow_json_uint(j, "requests", r->n);
	ow_json_uint(j, "age_us", ow_calls_age_us(&k->calls, r));
	ow_json_bool(j, "deadline", left != OW_CALLS_NO_DEADLINE);
	ow_json_int(j, "left_us", left != OW_CALLS_NO_DEADLINE ? left : 0);
	ow_json_uint(j, "position", r->position);
	ow_json_uint(j, "srvid", r->srvid);
	ow_json_uint(j, "thread", r->thread);
	ow_json_str(j, "server", r->server);
	ow_json_int(j, "server_pid", r->server_pid);
	ow_json_str(j, "program", r->caller.program);
	ow_json_int(j, "pid", r->caller.pid);
	ow_json_str(j, "user", r->caller.user);
	ow_json_int(j, "node", r->caller.node);
	ow_json_uint(j, "caller_srvid", r->caller.srvid);
	ow_json_bool(j, "caller_left", r->caller.gone);
	json_request(j, r);
	if (k->stuck) {
		ow_json_str(j, "why", why);
		ow_json_bool(j, "deadlock", deadlock);
	}
	if (k->contents)
		json_contents(k, r);
	ow_json_row_end(j);
}

static void cell_number(struct ow_grid *g, bool known, uint64_t n)
{
	if (known)
		ow_grid_cell(g, "%" PRIu64, n);
	else
		ow_grid_cell(g, "-");
}

static void grid_row(struct listing *k, const struct ow_calls_row *r,
		     const char *why, bool deadlock)
{
	struct ow_grid *g = k->out.grid;
	int64_t left = ow_calls_left_us(&k->calls, r);
	char text[160], trace[33];
	bool timed = r->sent_ns != 0;

	ow_grid_cell(g, "%s", r->service);
	ow_grid_cell(g, "%s", ow_calls_state_name(r->state));
	say_seconds(text, sizeof(text), (int64_t)ow_calls_age_us(&k->calls, r));
	ow_grid_cell(g, "%s", timed ? text : "-");
	say_seconds(text, sizeof(text), left);
	ow_grid_cell(g, "%s",
		     timed && left != OW_CALLS_NO_DEADLINE ? text : "-");
	if (!k->stuck) {
		say_where(r, text, sizeof(text));
		ow_grid_cell(g, "%s", text);
	}
	ow_grid_cell(g, "%s", caller_of(r));
	cell_number(g, r->caller.pid != 0, (uint64_t)r->caller.pid);
	if (k->stuck) {
		ow_grid_cell(g, "%s%s", deadlock ? "DEADLOCK: " : "", why);
		if (deadlock)
			ow_grid_paint(g, OW_COLOUR_BAD);
		ow_grid_end_row(g);
		return;
	}
	ow_grid_cell(g, "%s", r->caller.user[0] != '\0' ? r->caller.user : "-");
	cell_number(g, r->caller.node != 0, (uint64_t)r->caller.node);
	cell_number(g, r->known, r->prio);
	cell_number(g, r->known, r->len);
	hex(trace, r->trace_id, r->known ? sizeof(r->trace_id) : 0);
	ow_grid_cell(g, "%s", r->known ? trace : "-");
	ow_grid_end_row(g);
}

/* ---- the listing ---- */

static bool is_wanted(struct listing *k, const struct ow_calls_row *r)
{
	if (k->service != NULL && strcmp(k->service, r->service) != 0)
		return false;
	if (k->filter == NULL)
		return true;
	switch (ow_calls_filter_ask(k->filter, &k->calls, r, &k->buffer)) {
	case OW_CALLS_YES:
		return true;
	case OW_CALLS_UNREADABLE:
		k->unreadable += r->state != OW_CALLS_UNSEEN;
		k->unseen += r->state == OW_CALLS_UNSEEN ? r->n : 0;
		return false;
	default:
		return false;
	}
}

/* Fields of a row in the form for people: a line of its own below it would
 * break scripts that count rows, so it is one more column. */
static void show(struct listing *k, size_t i)
{
	const struct ow_calls_row *r = &k->calls.row[i];
	bool deadlock = false;
	char why[1024] = "";

	if (k->chains != NULL)
		ow_calls_why(k->chains, i, why, sizeof(why), &deadlock);
	if (k->out.json != NULL)
		json_row(k, r, why, deadlock);
	else
		grid_row(k, r, why, deadlock);
}

static void show_contents(struct listing *k, size_t i)
{
	const struct ow_calls_row *r = &k->calls.row[i];
	char *text = text_of(k, r);

	printf("%s %s %.3f s %s\n", r->service, ow_calls_state_name(r->state),
	       (double)ow_calls_age_us(&k->calls, r) / 1e6,
	       text != NULL ? text : "(no memory)");
	free(text);
}

static void list_all(struct listing *k)
{
	size_t i;

	for (i = 0; i < k->calls.n; i++) {
		if (!is_wanted(k, &k->calls.row[i]))
			continue;
		if (k->contents && k->out.json == NULL)
			show_contents(k, i);
		else
			show(k, i);
	}
}

/* What the expression could not be asked of. */
static void say_rest(const struct listing *k)
{
	if (k->unreadable > 0)
		fprintf(stderr, "%zu of %zu requests could not be read: they "
				"moved on meanwhile, or their contents are "
				"not in shared memory\n",
			k->unreadable, k->calls.n);
	if (k->unseen > 0)
		fprintf(stderr, "%zu requests wait in kernel queues, which "
				"nobody can look into\n", k->unseen);
}

static int prepare(struct listing *k, const struct ow_domain *d)
{
	struct ow_args *a = k->a;
	char why[300];
	int r;

	k->service = ow_args_value(a, 's');
	k->stuck = ow_args_has(a, OW_ARGS_STUCK);
	k->contents = ow_args_has(a, 'b');
	if (k->contents && a->x->right != OW_GUEST_NOBODY)
		return ow_cmd_fail(a, "contents are shown to the domain's "
				   "user alone");
	if (!k->contents && a->n_rest == 0)
		return OW_EXIT_OK;
	r = ow_masks_read(k->a, d, &k->masks);
	if (r != OW_EXIT_OK || a->n_rest == 0)
		return r;
	return ow_calls_filter_new(a->rest[0], k->masks.names, &k->filter, why,
				   sizeof(why)) == 0
		       ? OW_EXIT_OK
		       : ow_cmd_misused(a, "%s", why);
}

static int look_and_list(struct listing *k, struct ow_observer *v)
{
	const struct ow_column *columns = k->stuck ? with_why : plain;
	int r = ow_calls_look(v, &k->calls);

	if (r == 0 && k->stuck)
		r = ow_calls_chains_new(&k->calls, &k->chains);
	if (r == 0 && k->contents && !k->a->form.json)
		columns = NULL;
	if (r == 0)
		r = ow_listing_begin(&k->out, &k->a->form, columns);
	if (r == 0) {
		list_all(k);
		ow_listing_end(&k->out);
		say_rest(k);
	}
	ow_calls_chains_free(k->chains);
	ow_calls_free(&k->calls);
	return r == 0 ? OW_EXIT_OK
		      : ow_cmd_fail(k->a, "%s", strerror(-r));
}

int ow_list_calls(struct ow_args *a)
{
	struct listing k = { .a = a };
	struct ow_observer v;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	r = prepare(&k, &v.d);
	if (r == OW_EXIT_OK)
		r = look_and_list(&k, &v);
	ow_calls_filter_free(k.filter);
	ow_calls_buffer_free(&k.buffer);
	ow_masks_end(&k.masks);
	ow_observer_close(&v);
	return r;
}
