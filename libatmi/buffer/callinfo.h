/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callinfo.h - call headers: a UBF buffer that goes with a typed buffer
 *
 * tpsetcallinfo() attaches a header to a buffer (notes.h). It is sent with the
 * buffer, in each request, reply and forwarded request, and is attached to the
 * buffer that the receiver gets. In a message a header makes a payload of a
 * type of its own (OW_BUF_NOTED), with the type of the buffer inside:
 *
 *	struct of 16 bytes | header, to a multiple of 16 | payload
 */
#ifndef OW_CALLINFO_H
#define OW_CALLINFO_H

#include <stddef.h>
#include <stdint.h>

#include "libatmi/buffer/buf.h"

struct ow_content;

/* Attach a copy of `len` bytes of UBF, which are checked: 0, -ENOENT (not a
 * buffer of ours), -ENOMEM. */
int ow_callinfo_attach(char *data, const void *ubf, size_t len);
/* Copy the header into *to, a UBF buffer or NULL: 0, -ENODATA (there is none),
 * -ENOENT, -ENOMEM. */
int ow_callinfo_copy(const char *data, char **to);
/* A buffer is replaced by another one: its header goes with it. */
void ow_callinfo_move(const char *from, char *to);

/* ---- in messages ---- */

/* Put the header of `data` in front of the content, which becomes one piece of
 * memory, freed by the caller: 0, -ENOMEM. A buffer without: nothing. */
int ow_callinfo_pack(const char *data, struct ow_content *c, char **ret_flat);
/* The header of a message of type OW_BUF_NOTED as if it were sent without: type,
 * length and subtype of the buffer, and where its payload is. 0, -EBADMSG. */
int ow_callinfo_inner(const struct ow_msg *m, const void *payload,
		      struct ow_msg *ret, const void **ret_payload);
/* As ow_buf_from_msg() for such a message. */
int ow_callinfo_receive(const struct ow_msg *m, const void *payload,
			char **data, long *ret_len);

#endif
