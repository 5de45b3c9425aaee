/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues.c - mqlc, mqlq, mqlm, mqch, mqrc: queues, their definitions, what lies
 * in them
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clients/xadmin/durable/durable.h"
#include "libatmi/base/clock.h"
#include "libubf/base/printable.h"

static const struct ow_column mqlc_columns[] = {
	{ "Nd", 2, OW_COLUMN_RIGHT },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "QSPACE", 9, OW_COLUMN_GROWS },
	{ "QNAME", 9, OW_COLUMN_GROWS },
	{ "FLAGS", 5, 0 },
	{ "QDEF", 30, OW_COLUMN_GROWS },
	{ NULL, 0, 0 },
};

static const struct ow_column mqlq_columns[] = {
	{ "Nd", 2, OW_COLUMN_RIGHT },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "QSPACE", 9, OW_COLUMN_GROWS },
	{ "QNAME", 9, OW_COLUMN_GROWS },
	{ "#QUEU", 5, OW_COLUMN_RIGHT },
	{ "#LOCK", 5, OW_COLUMN_RIGHT },
	{ "#ENQ", 5, OW_COLUMN_RIGHT },
	{ "#DEQ", 5, OW_COLUMN_RIGHT },
	{ "#SUCC", 5, OW_COLUMN_RIGHT },
	{ "#FAIL", 5, OW_COLUMN_RIGHT },
	{ NULL, 0, 0 },
};

static const struct ow_column mqlm_columns[] = {
	{ "Nd", 2, OW_COLUMN_RIGHT },
	{ "SRVID", 5, OW_COLUMN_RIGHT },
	{ "MSGID (STR/Base64 mod)", 44, 0 },
	{ "TSTAMP (UTC)", 17, 0 },
	{ "TRIES", 5, OW_COLUMN_RIGHT },
	{ "L", 1, 0 },
	{ "GIVEN UP", 8, OW_COLUMN_GROWS },
	{ NULL, 0, 0 },
};

/* ---- mqlc, mqlq ---- */

/* FLAGS: A automatic, D as the queue @ says. */
static void show_definition(struct ow_listing *l, const struct ow_mq_queue *q,
			    long node, long srvid)
{
	ow_grid_cell(l->grid, "%ld", node);
	ow_grid_cell(l->grid, "%ld", srvid);
	ow_grid_cell(l->grid, "%s", q->space);
	ow_grid_cell(l->grid, "%s", q->name);
	ow_grid_cell(l->grid, "%s%s", q->automatic ? "A" : "",
		     q->implied ? "D" : "");
	ow_grid_cell(l->grid, "%s", q->definition);
	ow_grid_end_row(l->grid);
}

static void show_figures(struct ow_listing *l, const struct ow_mq_queue *q,
			 long node, long srvid)
{
	const uint64_t n[] = { q->queued,    q->locked,	   q->enqueued,
			       q->dequeued, q->succeeded, q->failed };
	size_t i;

	ow_grid_cell(l->grid, "%ld", node);
	ow_grid_cell(l->grid, "%ld", srvid);
	ow_grid_cell(l->grid, "%s", q->space);
	ow_grid_cell(l->grid, "%s", q->name);
	for (i = 0; i < sizeof(n) / sizeof(n[0]); i++)
		ow_grid_cell(l->grid, "%lu", n[i]);
	ow_grid_end_row(l->grid);
}

static void json_queue(struct ow_json *j, const struct ow_mq_queue *q,
		       long node, long srvid)
{
	uint64_t now = ow_clock_real_ns();

	ow_json_row_begin(j);
	ow_json_int(j, "node", node);
	ow_json_int(j, "srvid", srvid);
	ow_json_str(j, "space", q->space);
	ow_json_str(j, "queue", q->name);
	ow_json_str(j, "definition", q->definition);
	ow_json_bool(j, "automatic", q->automatic != 0);
	ow_json_bool(j, "implied", q->implied != 0);
	ow_json_uint(j, "queued", q->queued);
	ow_json_uint(j, "locked", q->locked);
	ow_json_uint(j, "bytes", q->bytes);
	ow_json_uint(j, "enqueued", q->enqueued);
	ow_json_uint(j, "dequeued", q->dequeued);
	ow_json_uint(j, "succeeded", q->succeeded);
	ow_json_uint(j, "failed", q->failed);
	ow_json_uint(j, "waiting", q->waiting);
	ow_json_uint(j, "oldest_ms", q->oldest_ns == 0 || q->oldest_ns > now
		     ? 0 : (now - q->oldest_ns) / OW_NS_PER_MS);
	ow_json_row_end(j);
}

struct queues {
	struct ow_listing l;
	void (*show)(struct ow_listing *l, const struct ow_mq_queue *q,
		     long node, long srvid);
};

static int list_server(struct ow_args *a, struct ow_mq_call *t, long node,
		       long srvid, void *arg)
{
	struct queues *qs = arg;
	struct ow_mq_queue q;
	uint64_t i;
	int r;

	t->head.op = OW_MQ_QUEUES;
	r = ow_durable_ask(a, t, NULL, 0);
	if (r != OW_EXIT_OK)
		return r;
	for (i = 0; (i + 1) * sizeof(q) <= t->answer.len; i++) {
		memcpy(&q, t->payload + i * sizeof(q), sizeof(q));
		q.name[TMQNAMELEN] = q.space[TMQNAMELEN] = '\0';
		q.definition[sizeof(q.definition) - 1] = '\0';
		if (a->form.json)
			json_queue(qs->l.json, &q, node, srvid);
		else
			qs->show(&qs->l, &q, node, srvid);
	}
	return OW_EXIT_OK;
}

static int list(struct ow_args *a, struct queues *qs,
		const struct ow_column *columns)
{
	int r;

	if (ow_listing_begin(&qs->l, &a->form, columns) != 0)
		return ow_cmd_fail(a, "no memory");
	r = ow_durable_each(a, list_server, qs);
	ow_listing_end(&qs->l);
	return r;
}

int ow_durable_mqlc(struct ow_args *a)
{
	struct queues qs = { .show = show_definition };

	return list(a, &qs, mqlc_columns);
}

int ow_durable_mqlq(struct ow_args *a)
{
	struct queues qs = { .show = show_figures };

	return list(a, &qs, mqlq_columns);
}

/* ---- mqlm ---- */

static const char *const states[] = {
	[OW_MQ_READY] = "ready",
	[OW_MQ_DELAYED] = "delayed",
	[OW_MQ_LOCKED] = "locked",
};

static void show_time(char *buf, size_t size, uint64_t ns)
{
	time_t t = (time_t)(ns / OW_NS_PER_SEC);
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(buf, size, "%y-%m-%d %H:%M:%S", &tm);
}

static void show_message(struct ow_listing *l, const struct ow_mq_row *m,
			 const char *server)
{
	char id[OW_MSGID_TEXT], when[32];
	int node = 0, srvid = 0;

	sscanf(server, OW_MQ_SERVER, &node, &srvid);
	ow_durable_id_text(m->msgid, id);
	show_time(when, sizeof(when), m->since_ns);
	if (l->json != NULL) {
		ow_json_row_begin(l->json);
		ow_json_str(l->json, "msgid", id);
		ow_json_str(l->json, "queue", m->queue);
		ow_json_uint(l->json, "since", m->since_ns / OW_NS_PER_SEC);
		ow_json_uint(l->json, "due", m->due_ns / OW_NS_PER_SEC);
		ow_json_uint(l->json, "bytes", m->len);
		ow_json_uint(l->json, "tries", m->tries);
		ow_json_str(l->json, "state",
			    m->state <= OW_MQ_LOCKED ? states[m->state] : "");
		ow_json_str(l->json, "given_up", m->reason);
		ow_json_row_end(l->json);
		return;
	}
	ow_grid_cell(l->grid, "%d", node);
	ow_grid_cell(l->grid, "%d", srvid);
	ow_grid_cell(l->grid, "%s", id);
	ow_grid_cell(l->grid, "%s", when);
	ow_grid_cell(l->grid, "%u", m->tries);
	ow_grid_cell(l->grid, "%s", m->state == OW_MQ_LOCKED ? "Y" : "N");
	ow_grid_cell(l->grid, "%s", m->reason[0] != '\0' ? m->reason : "-");
	ow_grid_end_row(l->grid);
}

static int list_messages(struct ow_args *a, struct ow_mq_call *t,
			 struct ow_listing *l)
{
	char server[sizeof(t->answer.cltid) + 1] = "";
	struct ow_mq_row m;
	uint64_t i;
	int r;

	t->head.op = OW_MQ_MESSAGES;
	do {
		r = ow_durable_ask(a, t, NULL, 0);
		if (r != OW_EXIT_OK)
			return r;
		memcpy(server, t->answer.cltid, sizeof(t->answer.cltid));
		for (i = 0; (i + 1) * sizeof(m) <= t->answer.len; i++) {
			memcpy(&m, t->payload + i * sizeof(m), sizeof(m));
			m.queue[TMQNAMELEN] = '\0';
			m.reason[sizeof(m.reason) - 1] = '\0';
			ow_printable(m.reason);
			show_message(l, &m, server);
		}
		t->head.from = t->answer.next;
	} while (t->answer.next != 0);
	return OW_EXIT_OK;
}

int ow_durable_mqlm(struct ow_args *a)
{
	struct ow_mq_call t = { .buffer = NULL };
	struct ow_listing l;
	int r = ow_durable_server(a, &t);

	if (r == OW_EXIT_OK)
		r = ow_durable_queue(a, &t, false);
	if (r != OW_EXIT_OK)
		return r;
	if (ow_listing_begin(&l, &a->form, mqlm_columns) != 0)
		return ow_cmd_fail(a, "no memory");
	r = list_messages(a, &t, &l);
	ow_listing_end(&l);
	ow_durable_end(&t);
	tpterm();
	return r;
}

/* ---- mqch, mqrc ---- */

int ow_durable_mqch(struct ow_args *a)
{
	struct ow_mq_call t = { .head.op = OW_MQ_DEFINE };
	const char *line = ow_args_value(a, 'q');
	int r = ow_durable_server(a, &t);

	if (r == OW_EXIT_OK && line == NULL)
		r = ow_cmd_misused(a, "-q QDEF is needed: a line of q.conf");
	if (r == OW_EXIT_OK)
		r = ow_durable_ask(a, &t, line, strlen(line));
	ow_durable_end(&t);
	tpterm();
	return r;
}

static int reload_server(struct ow_args *a, struct ow_mq_call *t, long node,
			 long srvid, void *arg)
{
	(void)node;
	(void)srvid;
	(void)arg;
	t->head.op = OW_MQ_RELOAD;
	return ow_durable_ask(a, t, NULL, 0);
}

int ow_durable_mqrc(struct ow_args *a)
{
	return ow_durable_each(a, reload_server, NULL);
}
