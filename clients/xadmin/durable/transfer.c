/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer.c - mqexport, mqimport: messages as lines of JSON
 *
 * A line: {"queue":"Q","msgid":"...","priority":50,...,"message":M}, where M is
 * what tpexport() writes, or null, or its bytes (raw.c); it is the last member.
 * Messages stay in their queues when they are exported, and get new ids when
 * imported.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#include "clients/xadmin/domain/masks.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/durable/durable.h"
#include "libubf/base/base64.h"

#define MESSAGE ",\"message\":"

/* ---- mqexport ---- */

static void print_text(const char *key, const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	printf("\"%s\":\"", key);
	for (; *c != '\0'; c++) {
		if (*c == '"' || *c == '\\')
			printf("\\%c", *c);
		else if (*c < 32)
			printf("\\u%04x", *c);
		else
			putchar(*c);
	}
	putchar('"');
}

/* The data of the message in t->answer as JSON, malloc'ed; NULL: no memory. */
static char *data_text(const struct ow_mq_call *t)
{
	const struct ow_mq_answer *m = &t->answer;
	long len = 0, size = (long)m->len * 8 + 4096;
	char *data = NULL, *text = malloc((size_t)size);

	if (text == NULL)
		return NULL;
	if (ow_mq_payload_read(m->type, m->sub_len, t->payload, m->len, &data,
			       &len) == 0) {
		if (data == NULL)
			return strcpy(text, "null");
		if (tpexport(data, len, text, &size, 0) == 0) {
			tpfree(data);
			return text;
		}
		tpfree(data);
	}
	free(text);
	return ow_durable_raw_text(m, t->payload);
}

/* Without what is masked. *ret_masked: something was. What has no text may
 * have anything in it. Takes `text`; NULL: no memory. */
static char *masked_text(const struct ow_masks *m, char *text, bool *ret_masked)
{
	char *shown = text == NULL ? NULL
		      : ow_durable_is_raw(text) ? strdup("null")
						: ow_masks_json(m, text);

	*ret_masked = shown != NULL && strcmp(shown, text) != 0;
	free(text);
	return shown;
}

/* Head and data of the message in t->answer as a line. `m`: NULL, all of it. */
static int print_line(struct ow_args *a, const struct ow_mq_call *t,
		      const char *queue, const struct ow_masks *m)
{
	bool masked = false;
	const struct ow_mq_ctl *c = &t->answer.ctl;
	char id[OW_MSGID_TEXT], corrid[OW_MSGID_TEXT], *text = data_text(t);

	if (m != NULL)
		text = masked_text(m, text, &masked);
	if (text == NULL)
		return ow_cmd_fail(a, "no memory for a message");
	ow_durable_id_text(c->msgid, id);
	ow_durable_id_text(c->corrid, corrid);
	putchar('{');
	print_text("queue", queue);
	printf(",\"msgid\":\"%s\",\"priority\":%ld,\"urcode\":%ld,"
	       "\"appkey\":%ld", id, (long)c->priority, (long)c->urcode,
	       (long)c->appkey);
	if (c->flags & TPQCORRID)
		printf(",\"corrid\":\"%s\"", corrid);
	if (c->flags & TPQTIME_ABS)
		printf(",\"deq_time\":%ld", (long)c->deq_time);
	if (c->exp_time != 0)
		printf(",\"exp_time\":%ld", (long)c->exp_time);
	if (c->flags & TPQREPLYQ) {
		putchar(',');
		print_text("replyqueue", c->replyqueue);
	}
	if (c->flags & TPQFAILUREQ) {
		putchar(',');
		print_text("failurequeue", c->failurequeue);
	}
	printf("%s" MESSAGE "%s}\n", masked ? ",\"masked\":true" : "", text);
	free(text);
	return OW_EXIT_OK;
}

/* One page of rows; each message is fetched by its id. */
static int export_rows(struct ow_args *a, const struct ow_mq_call *page,
		       const struct ow_masks *masks)
{
	struct ow_mq_call t = { .head.op = OW_MQ_LOOK };
	struct ow_mq_row m;
	int r = OW_EXIT_OK;
	uint64_t i;

	memcpy(t.svc, page->svc, sizeof(t.svc));
	for (i = 0; (i + 1) * sizeof(m) <= page->answer.len && r == OW_EXIT_OK;
	     i++) {
		memcpy(&m, page->payload + i * sizeof(m), sizeof(m));
		m.queue[TMQNAMELEN] = '\0';
		memcpy(t.head.ctl.msgid, m.msgid, sizeof(m.msgid));
		r = ow_durable_try(a, &t, NULL, 0);
		if (r == OW_EXIT_OK && t.answer.diagnostic == QMEBADMSGID)
			continue; /* somebody has taken it meanwhile */
		if (r == OW_EXIT_OK && t.answer.tperr != 0)
			r = ow_cmd_fail(a, "%s", t.answer.why);
		if (r == OW_EXIT_OK)
			r = print_line(a, &t, m.queue, masks);
	}
	ow_durable_end(&t);
	return r;
}

static int export_queue(struct ow_args *a, const char *svc, const char *queue,
			const struct ow_masks *m)
{
	struct ow_mq_call t = { .head.op = OW_MQ_MESSAGES };
	int r;

	strcpy(t.svc, svc);
	strcpy(t.head.queue, queue);
	do {
		r = ow_durable_ask(a, &t, NULL, 0);
		if (r == OW_EXIT_OK)
			r = export_rows(a, &t, m);
		t.head.from = t.answer.next;
	} while (r == OW_EXIT_OK && t.answer.next != 0);
	ow_durable_end(&t);
	return r;
}

static int export_all(struct ow_args *a, struct ow_mq_call *t,
		      const struct ow_masks *m)
{
	struct ow_mq_queue q;
	int r = OW_EXIT_OK;
	uint64_t i;

	t->head.op = OW_MQ_QUEUES;
	r = ow_durable_ask(a, t, NULL, 0);
	if (r != OW_EXIT_OK)
		return r;
	for (i = 0; (i + 1) * sizeof(q) <= t->answer.len && r == OW_EXIT_OK;
	     i++) {
		memcpy(&q, t->payload + i * sizeof(q), sizeof(q));
		q.name[TMQNAMELEN] = '\0';
		if (q.queued > 0)
			r = export_queue(a, t->svc, q.name, m);
	}
	return r;
}

int ow_durable_mqexport(struct ow_args *a)
{
	struct ow_masks masks = { .config = NULL }, *m = NULL;
	struct ow_mq_call t = { .buffer = NULL };
	struct ow_domain d;
	int r = ow_durable_server(a, &t);

	if (r == OW_EXIT_OK)
		r = ow_durable_queue(a, &t, true);
	if (r == OW_EXIT_OK &&
	    (ow_args_has(a, 'm') || a->x->right != OW_GUEST_NOBODY)) {
		r = ow_reach_env(a, &d);
		if (r == OW_EXIT_OK)
			r = ow_masks_read(a, &d, &masks);
		m = &masks;
	}
	if (r == OW_EXIT_OK)
		r = t.head.queue[0] != '\0'
			? export_queue(a, t.svc, t.head.queue, m)
			: export_all(a, &t, m);
	ow_masks_end(&masks);
	ow_durable_end(&t);
	tpterm();
	return r;
}

/* ---- mqimport ---- */

static const char *text_of(yajl_val v, const char *key)
{
	const char *path[] = { key, NULL };

	return YAJL_GET_STRING(yajl_tree_get(v, path, yajl_t_string));
}

static int64_t number_of(yajl_val v, const char *key)
{
	const char *path[] = { key, NULL };
	yajl_val n = yajl_tree_get(v, path, yajl_t_number);

	return n != NULL && YAJL_IS_INTEGER(n) ? YAJL_GET_INTEGER(n) : 0;
}

static int take_name(struct ow_args *a, yajl_val v, const char *key, char *to)
{
	const char *name = text_of(v, key);

	if (name == NULL)
		return OW_EXIT_OK;
	if (strlen(name) > TMQNAMELEN)
		return ow_cmd_fail(a, "%s %s: longer than %d characters", key,
				   name, TMQNAMELEN);
	strcpy(to, name);
	return OW_EXIT_OK;
}

/* The head of a line into the question. */
static int take_head(struct ow_args *a, yajl_val v, struct ow_mq_request *h)
{
	const char *corrid = text_of(v, "corrid");
	struct ow_mq_ctl *c = &h->ctl;
	char copy[OW_MSGID_TEXT], *at;

	c->priority = number_of(v, "priority");
	if (c->priority >= 1 && c->priority <= 100)
		c->flags |= TPQPRIORITY;
	c->urcode = number_of(v, "urcode");
	c->appkey = number_of(v, "appkey");
	c->deq_time = number_of(v, "deq_time");
	if (c->deq_time > 0)
		c->flags |= TPQTIME_ABS;
	c->exp_time = number_of(v, "exp_time");
	if (c->exp_time > 0)
		c->flags |= TPQEXPTIME_ABS;
	if (corrid != NULL && strlen(corrid) == OW_MSGID_TEXT - 1) {
		strcpy(copy, corrid);
		for (at = copy; *at != '\0'; at++) {
			if (*at == '_')
				*at = '/';
		}
		if (ow_base64_decode(copy, copy, OW_MSGID_TEXT - 1) !=
		    TMCORRIDLEN)
			return ow_cmd_fail(a, "corrid %s is not base64",
					   corrid);
		memcpy(c->corrid, copy, TMCORRIDLEN);
		c->flags |= TPQCORRID;
	}
	if ((h->queue[0] == '\0' &&
	     take_name(a, v, "queue", h->queue) != OW_EXIT_OK) ||
	    take_name(a, v, "replyqueue", c->replyqueue) != OW_EXIT_OK ||
	    take_name(a, v, "failurequeue", c->failurequeue) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	c->flags |= (c->replyqueue[0] != '\0' ? TPQREPLYQ : 0) |
		    (c->failurequeue[0] != '\0' ? TPQFAILUREQ : 0);
	return h->queue[0] != '\0' ? OW_EXIT_OK
				   : ow_cmd_fail(a, "a line without queue");
}

/* Put the message `text`, of tpexport(), with the head of t. */
static int put(struct ow_args *a, struct ow_mq_call *t, char *text)
{
	bool raw = ow_durable_is_raw(text);
	char *data = NULL, *bytes = NULL;
	long len = 0;
	int r;

	if (!raw && strcmp(text, "null") != 0 &&
	    tpimport(text, (long)strlen(text), &data, &len, 0) != 0)
		return ow_cmd_fail(a, "message: %s", tpstrerror(tperrno));
	r = raw ? ow_durable_raw_read(text, &t->head, &bytes)
		: ow_mq_payload_write(data, len, &t->head, &bytes);
	if (data != NULL)
		tpfree(data);
	if (r != 0)
		return ow_cmd_fail(a, "message: %s", strerror(-r));
	r = ow_durable_ask(a, t, bytes, t->head.len);
	free(bytes);
	return r;
}

/* One line; the message is cut off first, as it may be large. */
static int import_line(struct ow_args *a, const struct ow_mq_call *to,
		       char *line)
{
	static const char *masked[] = { "masked", NULL };
	char why[256] = "", *message = strstr(line, MESSAGE), *end;
	struct ow_mq_call t = *to;
	yajl_val v;
	int r;

	end = line + strlen(line);
	while (end > line && strchr(" \r\n", end[-1]) != NULL)
		*--end = '\0';
	if (message == NULL || end[-1] != '}')
		return ow_cmd_fail(a, "not a line of mqexport: %.60s", line);
	end[-1] = '\0';
	message[0] = '}';
	message[1] = '\0';
	message += strlen(MESSAGE);
	v = yajl_tree_parse(line, why, sizeof(why));
	if (v == NULL)
		return ow_cmd_fail(a, "not JSON: %.60s", line);
	r = yajl_tree_get(v, masked, yajl_t_true) != NULL
		? ow_cmd_fail(a, "a line of mqexport -m: values of the message "
			      "are not in it")
		: take_head(a, v, &t.head);
	yajl_tree_free(v);
	if (r == OW_EXIT_OK)
		r = put(a, &t, message);
	ow_durable_end(&t);
	return r;
}

static int import_file(struct ow_args *a, const struct ow_mq_call *t, FILE *f)
{
	unsigned long n = 0;
	size_t room = 0;
	char *line = NULL;
	int r = OW_EXIT_OK;

	while (r == OW_EXIT_OK && getline(&line, &room, f) > 0) {
		r = import_line(a, t, line);
		n += r == OW_EXIT_OK;
	}
	if (r == OW_EXIT_OK && ferror(f))
		r = ow_cmd_fail(a, "not read to its end: %s", strerror(errno));
	free(line);
	fprintf(stderr, "%lu messages imported\n", n);
	return r;
}

int ow_durable_mqimport(struct ow_args *a)
{
	struct ow_mq_call t = { .head.op = OW_MQ_ENQUEUE };
	int r = ow_durable_server(a, &t);
	FILE *f = stdin;

	if (r == OW_EXIT_OK)
		r = ow_durable_queue(a, &t, true);
	if (r != OW_EXIT_OK)
		return r;
	if (a->n_rest > 0)
		f = fopen(a->rest[0], "re");
	if (f == NULL)
		return ow_cmd_fail(a, "%s: cannot be read", a->rest[0]);
	r = import_file(a, &t, f);
	if (f != stdin)
		fclose(f);
	tpterm();
	return r;
}
