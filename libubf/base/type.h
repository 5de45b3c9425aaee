/* SPDX-License-Identifier: Apache-2.0 */
/*
 * type.h - field types, the upper part of field ids
 *
 * A field id is type << 25 | number, so ids sort by type first. Values
 * of a "fixed" type have one size and lie in the directory entry itself; others
 * lie in the heap of the buffer (store/layout.h).
 */
#ifndef OW_UBF_TYPE_H
#define OW_UBF_TYPE_H

#include <stdint.h>
#include <ubf.h>

#define OW_UBF_TYPE_SHIFT 25
#define OW_UBF_NUMBER_MAX 0x1ffffff
#define OW_UBF_DEPTH_MAX 32	/* nesting of buffers from outside */

struct ow_ubf_type {
	const char *name;
	uint32_t size;	/* bytes of a fixed type, 0 for others */
	char in_buffer;	/* may be the type of a UBF field */
};

extern const struct ow_ubf_type ow_ubf_types[BFLD_MAX + 1];

/* The type of a name in a field table, or -ENOENT. */
int ow_ubf_type_by_name(const char *name);

#define OW_UBF_FIXED_MASK                                                      \
	(1u << BFLD_SHORT | 1u << BFLD_LONG | 1u << BFLD_CHAR |                \
	 1u << BFLD_FLOAT | 1u << BFLD_DOUBLE | 1u << BFLD_INT |               \
	 1u << BFLD_PTR)
/* Sizes of fixed types, four bits for each type. */
#define OW_UBF_SIZES                                                           \
	((uint64_t)sizeof(short) << 4 * BFLD_SHORT |                           \
	 (uint64_t)sizeof(long) << 4 * BFLD_LONG |                             \
	 (uint64_t)1 << 4 * BFLD_CHAR |                                        \
	 (uint64_t)sizeof(float) << 4 * BFLD_FLOAT |                           \
	 (uint64_t)sizeof(double) << 4 * BFLD_DOUBLE |                         \
	 (uint64_t)sizeof(int) << 4 * BFLD_INT |                               \
	 (uint64_t)sizeof(void *) << 4 * BFLD_PTR)
#define OW_UBF_FIELD_MASK                                                      \
	(0x7fu | 1u << BFLD_PTR | 1u << BFLD_UBF | 1u << BFLD_VIEW)

static inline unsigned int ow_ubf_id_type(BFLDID id)
{
	return (uint32_t)id >> OW_UBF_TYPE_SHIFT;
}

static inline int ow_ubf_type_fixed(unsigned int type)
{
	return OW_UBF_FIXED_MASK >> type & 1;
}

/* Bytes of a fixed type, 0 for others: as in the table, but without a load. */
static inline uint32_t ow_ubf_type_size(unsigned int type)
{
	return (uint32_t)(OW_UBF_SIZES >> 4 * type & 15);
}

static inline int ow_ubf_id_ok(BFLDID id)
{
	unsigned int type = ow_ubf_id_type(id);

	return type <= BFLD_MAX && (OW_UBF_FIELD_MASK >> type & 1) &&
	       (id & OW_UBF_NUMBER_MAX) != 0;
}

#endif
