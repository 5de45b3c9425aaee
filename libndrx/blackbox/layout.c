/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - heads and checksums of the file of the black box
 */
#include "libndrx/blackbox/layout.h"

#include <string.h>

#include "libubf/base/crc32.h"

bool ow_bb_head_good(const unsigned char *p, size_t room,
		     struct ow_bb_head *ret)
{
	uint32_t magic;

	memcpy(&magic, p, sizeof(magic));
	if (magic != OW_BB_MAGIC)
		return false;
	memcpy(ret, p, sizeof(*ret));
	return ret->version == OW_BB_VERSION &&
	       ret->head_crc ==
		   ow_crc32(ret, offsetof(struct ow_bb_head, head_crc)) &&
	       ret->len <= OW_BB_SEGMENT &&
	       sizeof(*ret) + ret->len <= room;
}

bool ow_bb_contents_good(const struct ow_bb_head *h, const void *contents)
{
	return h->crc == ow_crc32(contents, h->len);
}

size_t ow_bb_length(const struct ow_bb_head *h)
{
	size_t n = sizeof(*h) + h->len;

	return (n + OW_BB_ALIGN - 1) / OW_BB_ALIGN * OW_BB_ALIGN;
}

void ow_bb_head_seal(struct ow_bb_head *h, const void *contents)
{
	h->magic = OW_BB_MAGIC;
	h->version = OW_BB_VERSION;
	h->pad = 0;
	h->pad2 = h->pad3 = 0;
	h->crc = ow_crc32(contents, h->len);
	h->head_crc = ow_crc32(h, offsetof(struct ow_bb_head, head_crc));
}

bool ow_bb_file_head_good(const unsigned char *p, struct ow_bb_file_head *ret)
{
	memcpy(ret, p, sizeof(*ret));
	return ret->magic == OW_BB_FILE_MAGIC &&
	       ret->version == OW_BB_VERSION &&
	       ret->segment == OW_BB_SEGMENT && ret->places > 0 &&
	       ret->crc == ow_crc32(ret, offsetof(struct ow_bb_file_head, crc));
}

void ow_bb_file_head_seal(struct ow_bb_file_head *h)
{
	h->magic = OW_BB_FILE_MAGIC;
	h->version = OW_BB_VERSION;
	h->segment = OW_BB_SEGMENT;
	h->crc = ow_crc32(h, offsetof(struct ow_bb_file_head, crc));
}
