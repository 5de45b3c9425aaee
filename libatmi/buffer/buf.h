/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.h - typed buffers of this process: what tpalloc() gave out
 *
 * Every buffer stands in a registry, so a pointer from a user is looked up
 * and never followed blindly: NULL, foreign and freed pointers are told apart
 * from ours without touching their memory. Any thread may use a buffer, one
 * at a time; the registry has its own locks.
 */
#ifndef OW_BUF_H
#define OW_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libatmi/wire/msg.h"
#include "libubf/view/wire.h"

struct ow_blocks;

#define OW_BUF_SIZE_MIN	    512	 /* of STRING, CARRAY, JSON */
#define OW_BUF_SIZE_MIN_UBF 1024 /* and of VIEW */
#define OW_BUF_SUBTYPE_MAX  40	 /* a subtype as it travels */

/* What is known of a registered buffer. */
struct ow_buf_info {
	enum ow_buf_type type;
	size_t size; /* usable bytes */
	bool is_auto; /* made for a service call, freed by tpreturn() */
	const char *type_name;
	const char *subtype;
	const struct ow_view *view; /* of a VIEW buffer, else NULL */
};

#pragma GCC visibility push(default)

/* Type code for a name as tpalloc() takes it, -1: unknown.
 * *ret_row tells aliases with a name of their own apart (UBF32). */
int ow_buf_type_find(const char *name, int *ret_row);

/* A new buffer of at least `size` bytes: the user's pointer, NULL: no
 * memory. UBF buffers come initialised, others empty. */
char *ow_buf_new(enum ow_buf_type type, int row, size_t size);
/* The same for type VIEW: room for the structure, all members null. */
char *ow_buf_new_view(const struct ow_view *view, size_t size);
/* Grow or shrink: the new pointer; NULL: no memory, or below what a UBF
 * buffer holds (*ret_small). */
char *ow_buf_resize(char *data, size_t size, bool *ret_small);
/* Look up a user's pointer: 0, or -ENOENT when it is not one of ours. */
int ow_buf_find(const char *data, struct ow_buf_info *ret);
/* The buffer of the request that this thread serves: free it at its end,
 * wherever tprealloc() has moved it. */
void ow_buf_set_auto(char *data);
void ow_buf_free_auto(void);
/* Free a registered buffer; anything else is left alone. */
void ow_buf_free(char *data);
/* The same with all buffers that its fields of type BFLD_PTR point to, and
 * those of these. */
void ow_buf_free_deep(char *data);

/* ---- in blocks (block.h) ---- */

#define OW_BUF_REF_MIN 2048 /* smaller replies are copied into old buffers */

enum ow_buf_result {
	OW_BUF_COPY = 1, /* it cannot, or need not, stay in its block */
};

/* From now on large buffers are made in blocks: a server on shm hands them
 * over without copying. NULL: on the heap again. */
void ow_buf_set_home(struct ow_blocks *b);
/* The block in which the buffer lies, 0: in none. */
uint64_t ow_buf_block(const char *data);
/* The buffer's block is a message's now: forget the buffer. */
void ow_buf_give(char *data);
/*
 * A checked message's payload becomes a buffer where it lies, in m->block,
 * which is `lent` or goes to the buffer; *data is freed and replaced. 0,
 * COPY, -EBADMSG, -ENOMEM; *data is unchanged then.
 */
int ow_buf_from_block(const struct ow_msg *m, struct ow_blocks *blocks,
		      void *payload, bool lent, char **data, long *ret_len);

/* ---- travelling ---- */

/* Bytes of `data` that go into a message; `len` as the user gave it (it
 * counts for CARRAY only). -EINVAL: negative or beyond the buffer. A VIEW
 * travels behind its subtype: name, NUL, checksum. */
int ow_buf_wire_len(const char *data, const struct ow_buf_info *info,
		    long len, size_t *ret_len);
/*
 * Put a received payload into a buffer: *data is reused where type and size
 * allow, else freed and replaced (it may be NULL). *ret_len is what the user
 * sees. Pointers in a UBF buffer are addresses of another process: they become
 * NULL. -EBADMSG: not a payload of that type; -ENOMEM. *data is unchanged then.
 */
int ow_buf_from_wire(enum ow_buf_type type, const void *payload, size_t len,
		     char **data, long *ret_len);

/* The same for a VIEW, whose payload begins with `sub_len` bytes of subtype.
 * -EPROTOTYPE: this process knows no such view, or another one. */
int ow_buf_from_view(const void *payload, size_t len, size_t sub_len,
		     char **data, long *ret_len);
/* Whether the subtype at the front of a payload names this view. */
bool ow_buf_is_view(const void *payload, size_t sub_len,
		    const struct ow_view *view);
/* Write the subtype of a view: its length. */
size_t ow_buf_put_subtype(const struct ow_view *view, void *to);

#pragma GCC visibility pop

/* Write a payload of `wire_len` bytes; the length of its subtype, for
 * ow_msg.sub_len. */
static inline uint8_t ow_buf_to_wire(const struct ow_view *view,
				     const char *data, size_t wire_len,
				     void *to)
{
	size_t sub = 0;

	if (view != NULL)
		sub = ow_buf_put_subtype(view, to);
	memcpy((char *)to + sub, data, wire_len - sub);
	return (uint8_t)sub;
}

/* A checked message's payload into a buffer, whatever its type. */
static inline int ow_buf_from_msg(const struct ow_msg *m, const void *payload,
				  char **data, long *ret_len)
{
	if (m->buftype == OW_BUF_VIEW)
		return ow_buf_from_view(payload, m->len, m->sub_len, data,
					ret_len);
	return ow_buf_from_wire((enum ow_buf_type)m->buftype, payload, m->len,
				data, ret_len);
}

#endif
