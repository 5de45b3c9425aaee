/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c - what tmqueue is asked, and what it answers
 */
#include "libatmi/durable/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/call/content.h"
#include "libatmi/transport/envelope.h"
#include "libubf/base/compatible.h"

/* Of payloads in messages. The heads here keep it. */
#define ALIGNMENT 8

_Static_assert(sizeof(struct ow_mq_request) % ALIGNMENT == 0 &&
		       sizeof(struct ow_mq_answer) % ALIGNMENT == 0,
	       "a payload is aligned behind its head");

/* A CARRAY of `size` bytes that begins with `head`. */
static char *begin(const void *head, size_t head_len, size_t size)
{
	char *p = ow_buf_new(OW_BUF_CARRAY, size);

	if (p != NULL)
		memcpy(p, head, head_len);
	return p;
}

/* The payload: subtype, data. */
static void put_content(char *to, const struct ow_content *k)
{
	memcpy(to, k->subtype, k->sub_len);
	if (k->payload.len > 0)
		memcpy(to + k->sub_len, k->payload.data, k->payload.len);
}

char *ow_mq_request_bytes(struct ow_mq_request *head, const void *bytes,
			  size_t len, long *ret_len)
{
	char *p;

	head->magic = OW_MQ_MESSAGE;
	head->len = len;
	*ret_len = (long)(sizeof(*head) + len);
	p = begin(head, sizeof(*head), (size_t)*ret_len);
	if (p != NULL && len > 0)
		memcpy(p + sizeof(*head), bytes, len);
	return p;
}

/* Texts of another process end somewhere. */
static void end_texts(struct ow_mq_ctl *c)
{
	c->replyqueue[TMQNAMELEN] = '\0';
	c->failurequeue[TMQNAMELEN] = '\0';
}

int ow_mq_request_read(const char *message, long len, struct ow_mq_message *ret)
{
	struct ow_mq_request *h = &ret->head;

	if (message == NULL || len < (long)sizeof(*h))
		return -EBADMSG;
	memcpy(h, message, sizeof(*h));
	if (h->magic != OW_MQ_MESSAGE || h->op < OW_MQ_ENQUEUE ||
	    h->op >= OW_MQ_OP_END || h->type >= OW_BUF_TYPE_END ||
	    h->sub_len > OW_MSG_SUBTYPE_MAX || h->sub_len > h->len ||
	    h->len != (size_t)len - sizeof(*h) || h->xid.gtrid > 64 ||
	    h->xid.bqual > 64)
		return -EBADMSG;
	h->queue[TMQNAMELEN] = '\0';
	h->subtype[XATMI_SUBTYPE_LEN] = '\0';
	end_texts(&h->ctl);
	ret->payload = message + sizeof(*h);
	return 0;
}

char *ow_mq_answer_write(const struct ow_mq_answer *head, const void *payload,
			 long *ret_len)
{
	char *p;

	*ret_len = (long)(sizeof(*head) + head->len);
	p = begin(head, sizeof(*head), (size_t)*ret_len);
	if (p != NULL && head->len > 0)
		memcpy(p + sizeof(*head), payload, head->len);
	return p;
}

int ow_mq_answer_read(const char *answer, long len, struct ow_mq_answer *ret,
		      const char **ret_payload)
{
	struct ow_mq_answer h;

	if (answer == NULL || len < (long)sizeof(h))
		return -EBADMSG;
	memcpy(&h, answer, sizeof(h));
	if (h.magic != OW_MQ_ANSWER || h.len != (size_t)len - sizeof(h) ||
	    h.sub_len > h.len)
		return -EBADMSG;
	h.why[sizeof(h.why) - 1] = '\0';
	end_texts(&h.ctl);
	*ret = h;
	*ret_payload = answer + sizeof(h);
	return 0;
}

int ow_mq_payload_read(uint8_t type, uint8_t sub_len, const char *payload,
		       uint64_t len, char **data, long *ret_len)
{
	/* The rules are those of a message. */
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST,
			    .buftype = type,
			    .sub_len = sub_len,
			    .len = len };
	int r = ow_msg_check(&m, sizeof(m) + m.len);
	void *copy;

	if (r != 0)
		return r;
	if (type == OW_BUF_NULL) {
		*ret_len = 0;
		if (ow_compat_tuxedo())
			return 0; /* *data stays as it is */
		ow_buf_free_deep(*data);
		*data = NULL;
		return 0;
	}
	if ((uintptr_t)payload % ALIGNMENT == 0)
		return ow_buf_from_msg(&m, payload, data, ret_len);
	copy = malloc(len + 1);
	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, payload, len);
	r = ow_buf_from_msg(&m, copy, data, ret_len);
	free(copy);
	return r;
}

int ow_mq_payload_write(char *data, long len, struct ow_mq_request *head,
			char **ret_bytes)
{
	struct ow_sending s;
	int r = ow_content_begin(&s, data, len);

	if (r != 0)
		return r == -ENOMEM ? r : -EINVAL;
	head->type = s.content.type;
	head->sub_len = s.content.sub_len;
	head->len = s.content.sub_len + s.content.payload.len;
	*ret_bytes = malloc(head->len + 1);
	if (*ret_bytes != NULL)
		put_content(*ret_bytes, &s.content);
	ow_content_end(&s);
	return *ret_bytes != NULL ? 0 : -ENOMEM;
}
