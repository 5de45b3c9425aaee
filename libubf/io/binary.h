/* SPDX-License-Identifier: Apache-2.0 */
/*
 * binary.h - a buffer in the form that Bwrite() writes
 *
 *	head	"OWUB", version, byte order, checksum and length of the body
 *	body	number of fields; then of each id, length, value
 *
 * It does not depend on how buffers lie in memory, so other versions of the
 * library read it. Numbers are in the byte order of the writer, which the head
 * tells; a reader of the other order turns them around. Only views are for
 * machines of the same order: they are structures. An embedded buffer is a
 * body in turn.
 */
#ifndef OW_UBF_BINARY_H
#define OW_UBF_BINARY_H

#include <stddef.h>
#include <stdint.h>
#include <ubf.h>

#define OW_UBF_BINARY_MAGIC "OWUB"
#define OW_UBF_BINARY_VERSION 1
#define OW_UBF_BINARY_ORDER 0x0102	/* as the writer's machine has it */

struct ow_ubf_binary_head {
	char magic[4];
	uint16_t version;
	uint16_t order;
	uint32_t crc;		/* CRC-32 of the body */
	uint32_t reserved;	/* 0 */
	uint64_t len;		/* bytes of the body */
};

_Static_assert(sizeof(struct ow_ubf_binary_head) == 24, "the head is 24");

/* Head and body as one malloc'ed block of *ret_len bytes: 0 or -ENOMEM. */
int ow_ubf_binary_encode(const UBFH *p_ub, char **ret_data, size_t *ret_len);
/* Bytes of the body behind a head: -EBADMSG (not from Bwrite), -EPROTO (of a
 * newer version). Sets *ret_swap if its order is not ours. */
int64_t ow_ubf_binary_head(const struct ow_ubf_binary_head *head,
			   int *ret_swap);
/* A malloc'ed buffer from a body: 0, -EBADMSG (damaged), -ENXIO (a view that
 * does not agree with its file, or of another order), -ENOSPC (too large for
 * a buffer), -ENOMEM. */
int ow_ubf_binary_decode(const struct ow_ubf_binary_head *head,
			 const char *body, UBFH **ret_ub);

#endif
