/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.h - typed buffers of this process: what tpalloc() returns
 *
 * Every buffer is in a registry, which is asked about each pointer that comes
 * from the application: NULL, foreign and freed pointers are recognised
 * without touching their memory. Any thread may use a buffer, one thread at a
 * time; the registry has its own locks.
 */
#ifndef OW_BUF_H
#define OW_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libatmi/buffer/types.h"
#include "libatmi/wire/msg.h"
#include "libubf/store/header.h"
#include "libubf/viewdef/registry.h"

struct ow_blocks;
struct ow_buf;

#define OW_BUF_SUBTYPE_MAX 40	/* bytes of a subtype in a message */
#define OW_BUF_REF_MIN	   2048 /* smaller replies are copied into the
				   caller's old buffer */

/* A registered buffer. */
struct ow_buf_info {
	enum ow_buf_type type;
	size_t size; /* usable bytes */
	const struct ow_view *view; /* of a VIEW buffer, else NULL */
	uint64_t block; /* in which it lies, 0: in none of this process */
	bool is_auto;	/* came with a request; tpreturn() frees it */
	const char *type_name;
	const char *subtype; /* name of the view, else "" */
};

enum ow_buf_result {
	OW_BUF_COPY = 1, /* the payload cannot stay in its block, or need not */
	OW_BUF_SMALL,	 /* the contents need more than the size wanted */
};

/* ---- made, resized, looked up (buf.c) ---- */

/* A new buffer of at least `size` bytes; the user's pointer, or NULL: no
 * memory. A UBF buffer is initialised, others are empty. */
char *ow_buf_new(enum ow_buf_type type, size_t size);
/* A new VIEW buffer with room for the structure, all members null. */
char *ow_buf_new_view(const struct ow_view *view, size_t size);
/* Grow or shrink; *data becomes the new pointer. 0, OW_BUF_SMALL, -ENOMEM, or
 * -ENOENT: it is no buffer of ours. If not 0 the buffer is unchanged. */
int ow_buf_resize(char **data, size_t size);
/* Is it a buffer of ours? */
bool ow_buf_exists(const char *data);
/* The size of a buffer of this type; 0: it is none. */
size_t ow_buf_size_of(const char *data, enum ow_buf_type type);
/* Look up a user's pointer: 0; -ENOENT: it is no buffer of ours. */
int ow_buf_find(const char *data, struct ow_buf_info *ret);
/* The same for type, size, view and block; the rest stays as it was. Also
 * -ENOENT: the buffer has a call header (callinfo.h). */
int ow_buf_find_plain(const char *data, struct ow_buf_info *ret);

/* ---- freed (release.c) ---- */

/* Free a buffer. A pointer that is no buffer of ours is left alone. */
void ow_buf_free(char *data);
/* Free a buffer and all buffers that can be reached from it through fields of
 * type BFLD_PTR. */
void ow_buf_free_deep(char *data);
/* Set the buffer of the request that this thread serves; ow_buf_free_auto()
 * frees it, also when tprealloc() has moved it, unless it is freed already. */
void ow_buf_set_auto(char *data);
void ow_buf_free_auto(void);
/*
 * Another thread will end the request: it is not this thread's buffer any more.
 * Returns it, or NULL, and by *ret_group a number of its own. The buffer may be
 * freed or moved by then: so whoever ends the request asks ow_buf_is_handed()
 * before it calls ow_buf_set_auto().
 */
char *ow_buf_hand_on(uint64_t *ret_group);
bool ow_buf_is_handed(const char *data, uint64_t group);
/* The buffer lies in the block `ref` of a request, lent: make the block the
 * buffer's. False: it does not. */
bool ow_buf_keep_block(char *data, uint64_t ref);

/* ---- in blocks (block.h) ---- */

/* Make large buffers in blocks from now on: a server on shm sends them
 * without copying. NULL: on the heap again. */
void ow_buf_set_home(struct ow_blocks *b);
/* The block in which the buffer lies; 0: in none. */
uint64_t ow_buf_block(const char *data);
/*
 * The buffer's block goes with a message: forget the buffer before another
 * thread of this process can receive the block, and have a buffer at the same
 * address. Its descriptor, or NULL: no such buffer. Then either the message was
 * sent, and the block is not freed, or the buffer comes back.
 */
struct ow_buf *ow_buf_set_aside(char *data);
void ow_buf_given(struct ow_buf *b);
void ow_buf_put_back(struct ow_buf *b);
/*
 * Make the payload of a checked message a buffer where it lies, in m->block.
 * `lent`: the block stays the request's; else it belongs to the buffer. *data
 * is freed and replaced. 0; on COPY, -EBADMSG and -ENOMEM *data is unchanged.
 */
int ow_buf_from_block(const struct ow_msg *m, struct ow_blocks *blocks,
		      void *payload, bool lent, char **data, long *ret_len);

/* ---- in messages (contents.c, wire.c) ---- */

/* Bytes of `data` that go into a message. `len`: as the user gave it, which
 * matters for CARRAY only. A VIEW travels behind its subtype: name, NUL,
 * checksum. 0; -EINVAL: `len` is negative or beyond the buffer, or the
 * contents are damaged. */
int ow_buf_wire_len(const char *data, const struct ow_buf_info *info,
		    long len, size_t *ret_len);
/*
 * Copy a received payload into a buffer. *data is kept where type and size
 * allow, else it is freed and replaced; it may be NULL. *ret_len is the length
 * that the user gets. Pointers in a UBF buffer, which are addresses of another
 * process, become those of buffers that came with it, or NULL. 0; on -EBADMSG
 * (not a payload of that type) and -ENOMEM *data is unchanged.
 */
int ow_buf_from_wire(enum ow_buf_type type, const void *payload, size_t len,
		     char **data, long *ret_len);
/* The same for a VIEW, whose payload begins with `sub_len` bytes of subtype.
 * Also -EPROTOTYPE: this process has no such view, or another definition. */
int ow_buf_from_view(const void *payload, size_t len, size_t sub_len,
		     char **data, long *ret_len);
/* The same for a message whose payload begins with something else: a VIEW, a
 * buffer with a call header. */
int ow_buf_from_compound(const struct ow_msg *m, const void *payload,
			 char **data, long *ret_len);
/* Does the subtype at the beginning of a payload name this view? */
bool ow_buf_is_view(const void *payload, size_t sub_len,
		    const struct ow_view *view);
/* Write the subtype of a view; returns its length. */
size_t ow_buf_put_subtype(const struct ow_view *view, void *to);

/* ow_buf_wire_len() of a UBF buffer, without those that it points to. */
static inline int ow_buf_ubf_wire_len(const char *data,
				      const struct ow_buf_info *info,
				      size_t *ret_len)
{
	*ret_len = ow_ubf_used(data);
	return *ret_len == 0 || *ret_len > info->size ? -EINVAL : 0;
}

/* Write a payload of `wire_len` bytes; returns the length of its subtype, for
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

/* Copy the payload of a checked message into a buffer, whatever its type. */
static inline int ow_buf_from_msg(const struct ow_msg *m, const void *payload,
				  char **data, long *ret_len)
{
	if (ow_buf_type_is_compound(m->buftype))
		return ow_buf_from_compound(m, payload, data, ret_len);
	return ow_buf_from_wire((enum ow_buf_type)m->buftype, payload, m->len,
				data, ret_len);
}

#endif
