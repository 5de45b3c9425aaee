/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c - mqdm, mqrm, mqmv: one message shown, removed, moved; mqpurge: all
 * of a queue removed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/durable/durable.h"

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

/* The data as tpexport() writes them. */
static int show_data(struct ow_args *a, const struct ow_mq_call *t)
{
	char *data = NULL, *text;
	long len = 0, size = (long)t->answer.len * 8 + 4096;
	int r = ow_mq_payload_read(t->answer.type, t->answer.sub_len,
				   t->payload, t->answer.len, &data, &len);

	if (r != 0)
		return ow_cmd_fail(a, "the data: %s", strerror(-r));
	if (data == NULL) {
		printf("data         none\n");
		return OW_EXIT_OK;
	}
	text = malloc((size_t)size);
	r = OW_EXIT_OK;
	if (text == NULL || tpexport(data, len, text, &size, 0) != 0)
		r = ow_cmd_fail(a, "the data: %s", tpstrerror(tperrno));
	else
		printf("data         %s\n", text);
	free(text);
	tpfree(data);
	return r;
}

int ow_durable_mqdm(struct ow_args *a)
{
	struct ow_mq_call t = { .buffer = NULL };
	int r = begin(a, &t, OW_MQ_LOOK);

	if (r == OW_EXIT_OK)
		r = ow_durable_ask(a, &t, NULL, 0);
	if (r == OW_EXIT_OK) {
		show_head(&t.answer);
		r = show_data(a, &t);
	}
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

/* Put a copy into the other queue. */
static int copy(struct ow_args *a, const struct ow_mq_call *from)
{
	struct ow_mq_call to = { .buffer = NULL };
	const char *space = ow_args_value(a, 's');
	int r = ow_durable_queue(a, &to, false);

	if (r == OW_EXIT_OK && (space == NULL || strlen(space) > TMQNAMELEN))
		r = ow_cmd_misused(a, "-s QSPACE is needed: that of -q");
	if (r != OW_EXIT_OK)
		return r;
	snprintf(to.svc, sizeof(to.svc), OW_MQ_SPACE, space);
	to.head.op = OW_MQ_ENQUEUE;
	to.head.ctl = from->answer.ctl;
	to.head.type = from->answer.type;
	to.head.sub_len = from->answer.sub_len;
	r = ow_durable_ask(a, &to, from->payload, from->answer.len);
	ow_durable_end(&to);
	return r;
}

/* First the copy, then the removal: a crash in between leaves two, not none. */
int ow_durable_mqmv(struct ow_args *a)
{
	struct ow_mq_call t = { .buffer = NULL };
	int r = begin(a, &t, OW_MQ_LOOK);

	if (r == OW_EXIT_OK)
		r = ow_durable_ask(a, &t, NULL, 0);
	if (r == OW_EXIT_OK)
		r = copy(a, &t);
	if (r == OW_EXIT_OK) {
		t.head.op = OW_MQ_REMOVE;
		r = ow_durable_ask(a, &t, NULL, 0);
	}
	return end(&t, r);
}
