/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - what reading and writing the file of the black box have in common
 */
#ifndef OW_BB_LAYOUT_H
#define OW_BB_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OW_BB_VERSION 3u
#define OW_BB_SEGMENT (256u * 1024u)
#define OW_BB_MAGIC	 UINT32_C(0x5242574f) /* "OWBR" */
#define OW_BB_FILE_MAGIC UINT64_C(0x31584f4257454e4f) /* "ONEWBOX1" */
#define OW_BB_FILE_HEAD	 4096
#define OW_BB_ALIGN	 16u

enum {
	OW_BB_WHOLE = 1, /* builds on no other record */
	OW_BB_TORN = 2,  /* what lay here before was half a record */
	OW_BB_LESS = 4,  /* clients or offers did not fit */
	OW_BB_BEGUN = 8, /* the first of its recorder */
	OW_BB_BACK = 16, /* the wall clock was set back before it */
};

struct ow_bb_head {
	uint32_t magic;
	uint16_t version;
	uint8_t flags;
	uint8_t pad;
	uint64_t segment, number; /* number: one more with each record */
	uint64_t real_ns, mono_ns;
	uint32_t len, raw; /* of the contents: here; before they were packed */
	uint32_t crc;	   /* of the contents */
	uint32_t pad2;
	uint32_t pad3;
	uint32_t head_crc; /* of the words before */
};

_Static_assert(sizeof(struct ow_bb_head) == 64, "no holes");

struct ow_bb_file_head {
	uint64_t magic;
	uint32_t version, segment, places, pad;
	uint64_t begun_ns;
	char prefix[48], host[72];
	uint32_t pad2, crc;
};

/* Is it the head of a record, which ends within `room` bytes? */
bool ow_bb_head_good(const unsigned char *p, size_t room,
		     struct ow_bb_head *ret);
bool ow_bb_contents_good(const struct ow_bb_head *h, const void *contents);
/* With its head, to where the next record begins. */
size_t ow_bb_length(const struct ow_bb_head *h);
void ow_bb_head_seal(struct ow_bb_head *h, const void *contents);

bool ow_bb_file_head_good(const unsigned char *p, struct ow_bb_file_head *ret);
void ow_bb_file_head_seal(struct ow_bb_file_head *h);

#endif
