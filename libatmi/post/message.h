/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - what tpevsrv is asked: posts and subscriptions
 *
 * The services of tpevsrv get CARRAY buffers with what is defined here, because
 * a post carries a name beside its data. tpreturn()'s rcode is the answer: a
 * number, or with TPFAIL a tperrno.
 */
#ifndef OW_POST_MESSAGE_H
#define OW_POST_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "libatmi/subs/subs.h"

struct ow_content;

/* Services of tpevsrv. */
#define OW_EVENT_POST	     "@TPEVPOST"
#define OW_EVENT_SUBSCRIBE   "@TPEVSUBS"
#define OW_EVENT_UNSUBSCRIBE "@TPEVUNSUBS"
/* Of bridges, while other nodes want events: it gets posts as OW_EVENT_POST
 * does. */
#define OW_EVENT_REMOTE "@TPEVABROAD"

#define OW_POST_MAGIC 0x544c574fu

/* A post: this head, the name of the event with its NUL, the payload as it
 * travels (wire/msg.h). */
struct ow_post_message {
	uint32_t magic;
	uint32_t flags; /* of tppost() */
	uint8_t type;	/* enum ow_buf_type */
	uint8_t sub_len;
	uint16_t name_len; /* with the NUL */
	uint32_t pad;
	uint64_t len;
};

/* A post that tpevsrv has received. */
struct ow_post {
	char name[OW_SUBS_EVENT + 1];
	long flags;
	char *data; /* typed buffer of the receiver; NULL: no data */
	long len;
};

/* A wish to remove: subscription `id`, or with -1 all of the owner. */
struct ow_unsubscription {
	uint32_t magic;
	uint32_t pad;
	int64_t id;
	struct ow_sub_owner owner;
};

/* A wish to subscribe. */
struct ow_subscription {
	uint32_t magic;
	uint32_t pad;
	struct ow_sub sub;
};

/* The head of a post; the name and `k` follow it. */
void ow_post_compose(struct ow_post_message *head, const char *event,
		     long flags, const struct ow_content *k);

/* The head of a post of `len` bytes, and the name of the event in it: 0,
 * -EBADMSG. */
int ow_post_head(const char *message, long len, struct ow_post_message *ret,
		 const char **ret_name);
/* Read a post of `len` bytes: 0, and event->data is to be freed by tpfree();
 * -EBADMSG, -ENOMEM, -EPROTOTYPE (a view that is not known here). */
int ow_post_read(const char *message, long len, struct ow_post *event);

#endif
