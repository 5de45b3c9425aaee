/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - questions of xadmin to tmqueue servers
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/durable/durable.h"
#include "libatmi/base/env.h"
#include "libubf/base/base64.h"

void ow_durable_end(struct ow_mq_call *t)
{
	if (t->buffer != NULL)
		tpfree(t->buffer);
	t->buffer = NULL;
}

/* The call of t->svc has failed. */
static int not_answered(struct ow_args *a, const struct ow_mq_call *t)
{
	char space[sizeof(t->svc)];
	int node, srvid;

	if (tperrno == TPENOENT && sscanf(t->svc, OW_MQ_SPACE, space) == 1)
		return ow_cmd_fail(a, "no tmqueue has the queue space %s "
				   "(mqlc lists them)", space);
	if (tperrno == TPENOENT &&
	    sscanf(t->svc, OW_MQ_SERVER, &node, &srvid) == 2)
		return ow_cmd_fail(a, "server %d of node %d is no tmqueue "
				   "(mqlc lists them)", srvid, node);
	ow_cmd_fail(a, "%s: %s", t->svc, tpstrerror(tperrno));
	return tperrno == TPETIME ? OW_EXIT_TIMEOUT : OW_EXIT_FAILED;
}

int ow_durable_try(struct ow_args *a, struct ow_mq_call *t, const void *bytes,
		   size_t len)
{
	long size = 0, got = 0;
	char *message;

	ow_durable_end(t);
	message = ow_mq_request_bytes(&t->head, bytes, len, &size);
	if (message == NULL)
		return ow_cmd_fail(a, "no memory");
	t->buffer = message;
	if (tpcall(t->svc, message, size, &t->buffer, &got, TPNOTRAN) != 0)
		return not_answered(a, t);
	if (ow_mq_answer_read(t->buffer, got, &t->answer, &t->payload) != 0)
		return ow_cmd_fail(a, "%s is no tmqueue", t->svc);
	return OW_EXIT_OK;
}

int ow_durable_ask(struct ow_args *a, struct ow_mq_call *t, const void *bytes,
		   size_t len)
{
	int r = ow_durable_try(a, t, bytes, len);

	if (r == OW_EXIT_OK && t->answer.tperr != 0)
		return ow_cmd_fail(a, "%s", t->answer.why);
	return r;
}

/* ---- which one ---- */

int ow_durable_server(struct ow_args *a, struct ow_mq_call *t)
{
	const char *space = ow_args_value(a, 's');
	const char *node = ow_args_value(a, 'n'), *id = ow_args_value(a, 'i');
	long n = tpgetnodeid(), i = 0;

	if (id == NULL && space != NULL) {
		if (strlen(space) > TMQNAMELEN)
			return ow_cmd_misused(a, "-s %s: at most %d characters",
					      space, TMQNAMELEN);
		snprintf(t->svc, sizeof(t->svc), OW_MQ_SPACE, space);
		return OW_EXIT_OK;
	}
	if (id == NULL)
		return ow_cmd_misused(a, strchr(a->cmd->options, 'i') == NULL
						 ? "-s QSPACE is needed"
						 : "-i SRVID is needed");
	if ((node != NULL && ow_env_parse_long(node, &n) < 0) ||
	    ow_env_parse_long(id, &i) < 0 || n < 1 || i < 1 ||
	    n > 32 || i > 1000000)
		return ow_cmd_misused(a, "-n and -i: numbers from 1 on");
	snprintf(t->svc, sizeof(t->svc), OW_MQ_SERVER, (int)n, (int)i);
	return OW_EXIT_OK;
}

int ow_durable_queue(struct ow_args *a, struct ow_mq_call *t, bool may_miss)
{
	const char *queue = ow_args_value(a, 'q');

	if (queue == NULL && may_miss)
		return OW_EXIT_OK;
	if (queue == NULL)
		return ow_cmd_misused(a, "-q QUEUE is needed");
	if (strlen(queue) > TMQNAMELEN)
		return ow_cmd_misused(a, "-q %s: at most %d characters", queue,
				      TMQNAMELEN);
	strcpy(t->head.queue, queue);
	return OW_EXIT_OK;
}

int ow_durable_msgid(struct ow_args *a, struct ow_mq_call *t)
{
	const char *text = ow_args_value(a, 'm');
	char copy[OW_MSGID_TEXT], id[OW_MSGID_TEXT], *c;

	if (text == NULL || strlen(text) != OW_MSGID_TEXT - 1)
		return ow_cmd_misused(a, "-m MSGID: an id as mqlm prints it");
	strcpy(copy, text);
	for (c = copy; *c != '\0'; c++) {
		if (*c == '_')
			*c = '/';
	}
	if (ow_base64_decode(id, copy, OW_MSGID_TEXT - 1) != TMMSGIDLEN)
		return ow_cmd_misused(a, "-m %s: not an id", text);
	memcpy(t->head.ctl.msgid, id, TMMSGIDLEN);
	return OW_EXIT_OK;
}

void ow_durable_id_text(const char id[TMMSGIDLEN], char text[OW_MSGID_TEXT])
{
	char *c;

	ow_base64_encode(text, id, TMMSGIDLEN);
	text[OW_MSGID_TEXT - 1] = '\0';
	for (c = text; *c != '\0'; c++) {
		if (*c == '/')
			*c = '_';
	}
}

/* ---- all ---- */

int ow_durable_each(struct ow_args *a,
		    int (*fn)(struct ow_args *a, struct ow_mq_call *t,
			      long node, long srvid, void *arg),
		    void *arg)
{
	struct ow_mq_call t = { .buffer = NULL };
	char name[OW_SVC_NAME];
	const struct ow_svc *s;
	int node, srvid;
	struct ow_observer v;
	uint32_t i;
	int r = ow_reach_tables(a, &v);

	if (r != OW_EXIT_OK)
		return r;
	for (i = 0; i < ow_observer_services(&v) && r == OW_EXIT_OK; i++) {
		s = ow_observer_service(&v, i, name);
		if (s == NULL || ow_svc_servers(s) == 0 ||
		    sscanf(name, OW_MQ_SERVER, &node, &srvid) != 2)
			continue;
		snprintf(t.svc, sizeof(t.svc), OW_MQ_SERVER, node, srvid);
		memset(&t.head, 0, sizeof(t.head));
		r = fn(a, &t, node, srvid, arg);
	}
	ow_durable_end(&t);
	ow_observer_close(&v);
	tpterm();
	return r;
}
