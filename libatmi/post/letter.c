/* SPDX-License-Identifier: Apache-2.0 */
/*
 * letter.c - what tpevsrv is asked: posts
 */
#include "libatmi/post/letter.h"

#include <errno.h>
#include <string.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/transport/envelope.h"

void ow_letter_compose(struct ow_letter *head, const char *event, long flags,
		       const struct ow_content *k)
{
	*head = (struct ow_letter){ .magic = OW_LETTER_MAGIC,
				    .flags = (uint32_t)flags,
				    .type = k->type,
				    .sub_len = k->sub_len,
				    .name_len = (uint16_t)(strlen(event) + 1),
				    .len = k->sub_len + k->payload.len };
}

/* The payload as that of a message, which has the same rules. */
static int read_data(const struct ow_letter *head, const char *payload,
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

int ow_letter_head(const char *letter, long len, struct ow_letter *ret,
		   const char **ret_name)
{
	const char *name = letter + sizeof(*ret);
	struct ow_letter head;
	size_t left;

	if (letter == NULL || len < (long)sizeof(head))
		return -EBADMSG;
	memcpy(&head, letter, sizeof(head));
	left = (size_t)len - sizeof(head);
	if (head.magic != OW_LETTER_MAGIC || head.name_len < 2 ||
	    head.name_len > OW_SUBS_EVENT + 1 || head.name_len > left ||
	    name[head.name_len - 1] != '\0' ||
	    head.len != left - head.name_len)
		return -EBADMSG;
	*ret = head;
	*ret_name = name;
	return 0;
}

int ow_letter_read(const char *letter, long len, struct ow_post *event)
{
	struct ow_letter head;
	const char *name;

	if (ow_letter_head(letter, len, &head, &name) != 0)
		return -EBADMSG;
	memcpy(event->name, name, head.name_len);
	event->flags = (long)head.flags;
	return read_data(&head, name + head.name_len, event);
}
