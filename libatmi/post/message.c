/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c - what tpevsrv is asked: posts
 */
#include "libatmi/post/message.h"

#include <errno.h>
#include <string.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/transport/envelope.h"

void ow_post_compose(struct ow_post_message *head, const char *event,
		     long flags, const struct ow_content *k)
{
	*head =
	    (struct ow_post_message){ .magic = OW_POST_MAGIC,
				      .flags = (uint32_t)flags,
				      .type = k->type,
				      .sub_len = k->sub_len,
				      .name_len = (uint16_t)(strlen(event) + 1),
				      .len = k->sub_len + k->payload.len };
}

/* The payload as that of a message, which has the same rules. */
static int read_data(const struct ow_post_message *head, const char *payload,
		     struct ow_post *event)
{
	struct ow_msg m = { .magic = OW_MSG_MAGIC,
			    .version = OW_MSG_VERSION,
			    .kind = OW_MSG_REQUEST,
			    .buftype = head->type,
			    .sub_len = head->sub_len,
			    .len = head->len };
	/* Payloads of messages are aligned. */
	char *copy;
	int r = ow_msg_check(&m, sizeof(m) + m.len);

	event->data = NULL;
	event->len = 0;
	if (r != 0 || head->type == OW_BUF_NULL)
		return r;
	copy = ow_buf_new(OW_BUF_CARRAY, m.len + 1);
	if (copy == NULL)
		return -ENOMEM;
	memcpy(copy, payload, m.len);
	r = ow_buf_from_msg(&m, copy, &event->data, &event->len);
	ow_buf_free(copy);
	return r;
}

int ow_post_head(const char *message, long len, struct ow_post_message *ret,
		 const char **ret_name)
{
	const char *name = message + sizeof(*ret);
	struct ow_post_message head;
	size_t left;

	if (message == NULL || len < (long)sizeof(head))
		return -EBADMSG;
	memcpy(&head, message, sizeof(head));
	left = (size_t)len - sizeof(head);
	if (head.magic != OW_POST_MAGIC || head.name_len < 2 ||
	    head.name_len > OW_SUBS_EVENT + 1 || head.name_len > left ||
	    name[head.name_len - 1] != '\0' || head.len != left - head.name_len)
		return -EBADMSG;
	*ret = head;
	*ret_name = name;
	return 0;
}

int ow_post_read(const char *message, long len, struct ow_post *event)
{
	struct ow_post_message head;
	const char *name;

	if (ow_post_head(message, len, &head, &name) != 0)
		return -EBADMSG;
	memcpy(event->name, name, head.name_len);
	event->flags = (long)head.flags;
	return read_data(&head, name + head.name_len, event);
}
