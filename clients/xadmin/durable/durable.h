/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable.h - commands about durable queues, which ask the tmqueue servers
 */
#ifndef OW_XADMIN_DURABLE_H
#define OW_XADMIN_DURABLE_H

#include "clients/xadmin/command/command.h"
#include "libatmi/durable/message.h"

/* ---- ask.c ---- */

/* A question to one tmqueue, with its answer. */
struct ow_mq_call {
	char svc[XATMI_SERVICE_NAME_LENGTH + 1];
	struct ow_mq_request head;
	struct ow_mq_answer answer;
	const char *payload; /* of the answer */
	char *buffer;
};

/* Ask, with `len` bytes of payload: 0; an exit code, and why is printed. The
 * answer is valid until the next question or ow_durable_end(). */
int ow_durable_ask(struct ow_args *a, struct ow_mq_call *t, const void *bytes,
		   size_t len);
/* The same; an error in the answer is left to the caller. */
int ow_durable_try(struct ow_args *a, struct ow_mq_call *t, const void *bytes,
		   size_t len);
void ow_durable_end(struct ow_mq_call *t);
/* -n NODE -i SRVID, or -s SPACE: which tmqueue. 0, or an exit code. */
int ow_durable_server(struct ow_args *a, struct ow_mq_call *t);
/* -m MSGID into t->head. 0, or an exit code. */
int ow_durable_msgid(struct ow_args *a, struct ow_mq_call *t);
/* -q QUEUE into t->head; optional if `may_miss`. 0, or an exit code. */
int ow_durable_queue(struct ow_args *a, struct ow_mq_call *t, bool may_miss);
/* Call `fn` for each tmqueue that runs, until it returns an exit code; none:
 * that is said. */
int ow_durable_each(struct ow_args *a,
		    int (*fn)(struct ow_args *a, struct ow_mq_call *t,
			      long node, long srvid, void *arg),
		    void *arg);

/* A message id as text, 44 characters: base64 with _ for /. */
#define OW_MSGID_TEXT 45
void ow_durable_id_text(const char id[TMMSGIDLEN], char text[OW_MSGID_TEXT]);

/* ---- raw.c ---- */

/* The message of an answer as JSON, byte for byte: malloc'ed text; NULL: no
 * memory. */
char *ow_durable_raw_text(const struct ow_mq_answer *m, const char *payload);
bool ow_durable_is_raw(const char *text);
/* Read such a text: type, sub_len and len of `head`, malloc'ed bytes. 0,
 * -EBADMSG, -ENOMEM. */
int ow_durable_raw_read(const char *text, struct ow_mq_request *head,
			char **ret_bytes);

/* ---- commands ---- */

/* queues.c */
int ow_durable_mqlc(struct ow_args *a);
int ow_durable_mqlq(struct ow_args *a);
int ow_durable_mqlm(struct ow_args *a);
int ow_durable_mqch(struct ow_args *a);
int ow_durable_mqrc(struct ow_args *a);
/* message.c */
int ow_durable_mqdm(struct ow_args *a);
int ow_durable_mqrm(struct ow_args *a);
int ow_durable_mqpurge(struct ow_args *a);
int ow_durable_mqmv(struct ow_args *a);
/* transfer.c */
int ow_durable_mqexport(struct ow_args *a);
int ow_durable_mqimport(struct ow_args *a);

#endif
