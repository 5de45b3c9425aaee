/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c - mqdm, mqrm, mqmv: one message shown, removed, moved; mqpurge: all
 * of a queue removed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/domain/masks.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/durable/durable.h"
#include "clients/xadmin/output/listing.h"

static int begin(struct ow_args *a, struct ow_mq_call *t, enum ow_mq_op op)
{
	int r = ow_durable_server(a, t);

	if (r == OW_EXIT_OK)
		r = ow_durable_msgid(a, t);
	t->head.op = (uint16_t)op;
	return r;
}

static int end(struct ow_mq_call *t, int r)
{
	ow_durable_end(t);
	tpterm();
	return r;
}

/* ---- mqdm ---- */

static void show_head(const struct ow_mq_answer *m)
{
	char id[OW_MSGID_TEXT], corrid[OW_MSGID_TEXT];

	ow_durable_id_text(m->ctl.msgid, id);
	ow_durable_id_text(m->ctl.corrid, corrid);
	printf("msgid        %s\n", id);
	if (m->ctl.flags & TPQCORRID)
		printf("corrid       %s\n", corrid);
	printf("priority     %ld\nurcode       %ld\nappkey       %ld\n",
	       (long)m->ctl.priority, (long)m->ctl.urcode,
	       (long)m->ctl.appkey);
	if (m->ctl.flags & TPQREPLYQ)
		printf("replyqueue   %s\n", m->ctl.replyqueue);
	if (m->ctl.flags & TPQFAILUREQ)
		printf("failurequeue %s\n", m->ctl.failurequeue);
	printf("client       %.95s\nbytes        %lu\n", m->cltid, m->len);
	if (m->why[0] != '\0')
		printf("given up     %.159s\n", m->why);
}

/* The data as tpexport() writes them, without what is masked: 0 with malloc'ed
 * text, NULL: there are none; an exit code. */
static int data_text(struct ow_args *a, const struct ow_mq_call *t,
		     char **ret_text)
{
	long len = 0, size = (long)t->answer.len * 8 + 4096;
	char *data = NULL, *text, *shown = NULL;
	struct ow_masks masks = { .config = NULL };
	struct ow_domain d;
	int r = ow_mq_payload_read(t->answer.type, t->answer.sub_len,
				   t->payload, t->answer.len, &data, &len);

	if (r != 0)
		return ow_cmd_fail(a, "the data: %s", strerror(-r));
	if (data == NULL) {
		*ret_text = NULL;
		return OW_EXIT_OK;
	}
	r = ow_reach_env(a, &d);
	if (r == OW_EXIT_OK)
		r = ow_masks_read(a, &d, &masks);
	text = malloc((size_t)size);
	if (r == OW_EXIT_OK &&
	    (text == NULL || tpexport(data, len, text, &size, 0) != 0))
		r = ow_cmd_fail(a, "the data: %s", tpstrerror(tperrno));
	if (r == OW_EXIT_OK)
		shown = ow_masks_json(&masks, text);
	if (r == OW_EXIT_OK && shown == NULL)
		r = ow_cmd_fail(a, "the data: no memory");
	ow_masks_end(&masks);
	free(text);
	tpfree(data);
	*ret_text = shown;
	return r;
}

static void json_message(struct ow_args *a, const struct ow_mq_answer *m,
			 const char *text)
{
	char id[OW_MSGID_TEXT], corrid[OW_MSGID_TEXT];
	struct ow_listing l;

	ow_durable_id_text(m->ctl.msgid, id);
	ow_durable_id_text(m->ctl.corrid, corrid);
	if (ow_listing_begin(&l, &a->form, NULL) != 0)
		return;
	ow_json_row_begin(l.json);
	ow_json_str(l.json, "msgid", id);
	ow_json_str(l.json, "corrid", m->ctl.flags & TPQCORRID ? corrid : "");
	ow_json_int(l.json, "priority", m->ctl.priority);
	ow_json_int(l.json, "urcode", m->ctl.urcode);
	ow_json_int(l.json, "appkey", m->ctl.appkey);
	ow_json_str(l.json, "replyqueue", m->ctl.flags & TPQREPLYQ
						  ? m->ctl.replyqueue : "");
	ow_json_str(l.json, "failurequeue", m->ctl.flags & TPQFAILUREQ
						    ? m->ctl.failurequeue : "");
	ow_json_uint(l.json, "bytes", m->len);
	ow_json_str(l.json, "given_up", m->why);
	ow_json_str(l.json, "message", text != NULL ? text : "");
	ow_json_row_end(l.json);
	ow_listing_end(&l);
}

int ow_durable_mqdm(struct ow_args *a)
{
	struct ow_mq_call t = { .buffer = NULL };
	int r = begin(a, &t, OW_MQ_LOOK);
	char *text = NULL;

	if (r == OW_EXIT_OK)
		r = ow_durable_ask(a, &t, NULL, 0);
	if (r == OW_EXIT_OK && !a->form.json)
		show_head(&t.answer);
	if (r == OW_EXIT_OK)
		r = data_text(a, &t, &text);
	if (r == OW_EXIT_OK && a->form.json)
		json_message(a, &t.answer, text);
	else if (r == OW_EXIT_OK)
		printf("data         %s\n", text != NULL ? text : "none");
	free(text);
	return end(&t, r);
}

/* ---- mqpurge ---- */

/* Remove the messages of one answer: an exit code. *removed counts; those that a
 * transaction or a service has stay, and are counted in *kept. */
static int remove_rows(struct ow_args *a, const struct ow_mq_call *list,
		       struct ow_mq_call *one, unsigned long *removed,
		       unsigned long *kept)
{
	struct ow_mq_row row;
	uint64_t i;
	int r;

	for (i = 0; (i + 1) * sizeof(row) <= list->answer.len; i++) {
		memcpy(&row, list->payload + i * sizeof(row), sizeof(row));
		if (row.state == OW_MQ_LOCKED) {
			(*kept)++;
			continue;
		}
		memcpy(one->head.ctl.msgid, row.msgid, sizeof(row.msgid));
		r = ow_durable_try(a, one, NULL, 0);
		if (r != OW_EXIT_OK)
			return r;
		if (one->answer.tperr == 0)
			(*removed)++;
		else
			(*kept)++; /* somebody has it by now, or took it */
	}
	return OW_EXIT_OK;
}

/* The messages that are there when it begins, one by one. */
int ow_durable_mqpurge(struct ow_args *a)
{
	struct ow_mq_call list = { .buffer = NULL }, one = { .buffer = NULL };
	unsigned long removed = 0, kept = 0;
	int r = ow_durable_server(a, &list);

	if (r == OW_EXIT_OK)
		r = ow_durable_queue(a, &list, false);
	if (r != OW_EXIT_OK)
		return r;
	if (!ow_cmd_sure(a))
		return OW_EXIT_FAILED;
	memcpy(one.svc, list.svc, sizeof(one.svc));
	list.head.op = OW_MQ_MESSAGES;
	one.head.op = OW_MQ_REMOVE;
	do {
		r = ow_durable_ask(a, &list, NULL, 0);
		if (r == OW_EXIT_OK)
			r = remove_rows(a, &list, &one, &removed, &kept);
		list.head.from = list.answer.next;
	} while (r == OW_EXIT_OK && list.answer.next != 0);
	printf("%lu messages removed", removed);
	printf(kept > 0 ? ", %lu in use were left\n" : "\n", kept);
	ow_durable_end(&one);
	return end(&list, r);
}

/* ---- mqrm, mqmv ---- */

int ow_durable_mqrm(struct ow_args *a)
{
	struct ow_mq_call t = { .buffer = NULL };
	int r = begin(a, &t, OW_MQ_REMOVE);

	if (r == OW_EXIT_OK)
		r = ow_durable_ask(a, &t, NULL, 0);
	return end(&t, r);
}

/* Put a copy into the other queue; its id. */
static int copy(struct ow_args *a, const struct ow_mq_call *from,
		char ret_id[OW_MSGID_TEXT])
{
	struct ow_mq_call to = { .buffer = NULL };
	const char *space = ow_args_value(a, 's');
	int r = ow_durable_queue(a, &to, false);

	if (r != OW_EXIT_OK)
		return r;
	snprintf(to.svc, sizeof(to.svc), OW_MQ_SPACE, space);
	to.head.op = OW_MQ_ENQUEUE;
	to.head.ctl = from->answer.ctl;
	to.head.type = from->answer.type;
	to.head.sub_len = from->answer.sub_len;
	r = ow_durable_try(a, &to, from->payload, from->answer.len);
	if (r != OW_EXIT_OK && tperrno != TPENOENT)
		ow_cmd_fail(a, "it is not known whether queue %s has a copy "
			    "now; the message stays", to.head.queue);
	if (r == OW_EXIT_OK && to.answer.tperr != 0)
		r = ow_cmd_fail(a, "%s", to.answer.why);
	ow_durable_id_text(to.answer.ctl.msgid, ret_id);
	ow_durable_end(&to);
	return r;
}

/* The copy `id` is there: two messages would be done twice. */
static int remove_moved(struct ow_args *a, struct ow_mq_call *t, const char *id)
{
	int r;

	t->head.op = OW_MQ_REMOVE;
	r = ow_durable_try(a, t, NULL, 0);
	if (r == OW_EXIT_OK && t->answer.tperr == 0)
		return OW_EXIT_OK;
	ow_cmd_fail(a, "%s, and queue %s has a copy, message %s: remove one of "
		    "them", r == OW_EXIT_OK ? t->answer.why
		    : "it is not known whether the message is gone",
		    ow_args_value(a, 'q'), id);
	return r != OW_EXIT_OK ? r : OW_EXIT_FAILED;
}

/* Within its space tmqueue moves it, in one step; *ret_far: it is another one. */
static int move_near(struct ow_args *a, const struct ow_mq_call *t,
		     bool *ret_far)
{
	struct ow_mq_call move = { .head.op = OW_MQ_MOVE };
	const char *space = ow_args_value(a, 's');
	int r = ow_durable_queue(a, &move, false);

	if (r == OW_EXIT_OK && (space == NULL || strlen(space) > TMQNAMELEN))
		r = ow_cmd_misused(a, "-s QSPACE is needed: that of -q");
	if (r != OW_EXIT_OK)
		return r;
	memcpy(move.svc, t->svc, sizeof(move.svc));
	memcpy(move.head.ctl.msgid, t->head.ctl.msgid, TMMSGIDLEN);
	move.head.from = t->answer.len;
	r = ow_durable_ask(a, &move, space, strlen(space));
	*ret_far = move.answer.count == 1;
	ow_durable_end(&move);
	return r;
}

/* Into another space: first the copy, then the removal. A crash in between leaves
 * two, not none. */
int ow_durable_mqmv(struct ow_args *a)
{
	struct ow_mq_call t = { .buffer = NULL };
	int r = begin(a, &t, OW_MQ_LOOK);
	char id[OW_MSGID_TEXT];
	bool far = false;

	t.head.count = 1;
	if (r == OW_EXIT_OK)
		r = ow_durable_ask(a, &t, NULL, 0);
	if (r == OW_EXIT_OK)
		r = move_near(a, &t, &far);
	if (r == OW_EXIT_OK && far)
		r = copy(a, &t, id);
	if (r == OW_EXIT_OK && far)
		r = remove_moved(a, &t, id);
	return end(&t, r);
}
