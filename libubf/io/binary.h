/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binary.h - the binary form of a buffer
 *
 *	head	"OWUB", version, byte order, checksum and length of the body
 *	body	number of fields; then of each id, length, value
 *
 * Written by Bwrite(). It does not depend on the layout of buffers in memory,
 * so other versions of the library can read it. Numbers have the byte order of
 * the writer, which the head tells; a reader of the other order swaps them.
 * Views are structures and can only be read on machines of the same byte order.
 * An embedded buffer is a body in the body.
 */
#ifndef OW_UBF_BINARY_H
#define OW_UBF_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ubf.h>

#define OW_UBF_BINARY_MAGIC "OWUB"
#define OW_UBF_BINARY_VERSION 1
#define OW_UBF_BINARY_ORDER 0x0102	/* in the byte order of the writer */

struct ow_ubf_binary_head {
	char magic[4];
	uint16_t version;
	uint16_t order;
	uint32_t crc;		/* CRC-32 of the body */
	uint32_t reserved;	/* 0 */
	uint64_t len;		/* bytes of the body */
};

_Static_assert(sizeof(struct ow_ubf_binary_head) == 24, "the head is 24");

/* Write head and body to a malloc'ed block of *ret_len bytes: 0 or -ENOMEM.
 * Fields of type ptr are left out unless `pointers`, at reading, too. */
int ow_ubf_binary_encode(const UBFH *p_ub, bool pointers, char **ret_data,
			 size_t *ret_len);
/* Check a head; returns the bytes of its body, -EBADMSG (not from Bwrite) or
 * -EPROTO (of another version). Sets *ret_swap if its byte order is not
 * ours. */
int64_t ow_ubf_binary_head(const struct ow_ubf_binary_head *head,
			   int *ret_swap);
/* Make a malloc'ed buffer of a body: 0, -EBADMSG (damaged), -ENXIO (a view that
 * differs from the loaded one or has the other byte order), -ENOSPC (too large
 * for a buffer), -ENOMEM. */
int ow_ubf_binary_decode(const struct ow_ubf_binary_head *head,
			 const char *body, bool pointers, UBFH **ret_ub);

#endif
