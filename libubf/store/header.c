/* SPDX-License-Identifier: Apache-2.0 */
/*
 * header.c - the header of a buffer: make, recognize, resize
 */
#include "libubf/store/header.h"

/* Bytes per field: a slot and the rounding of its value, and as much again for
 * the free slots of a growing directory. */
#define FIELD_COST 24

void ow_ubf_init_form(struct Ubfh *h, uint32_t size, int plain)
{
	*h = (struct Ubfh){ .size = size };
	if (plain) {
		h->magic = OW_UBF_MAGIC;
		h->used = h->heap = OW_UBF_PLAIN_BASE;
		*ow_ubf_dir(h) = (struct ow_ubf_dir){ 0 };
	} else {
		h->magic = OW_UBF_MAGIC_DENSE;
		h->used = h->heap = sizeof(*h);
	}
}

int ow_ubf_is_other(const struct Ubfh *h)
{
	return h != NULL && (uintptr_t)h % OW_UBF_ALIGN == 0 &&
	       (h->magic == OW_UBF_MAGIC_PAGED ||
		h->magic == OW_UBF_MAGIC_DENSE) &&
	       h->used <= h->size;
}

int ow_ubf_init(void *mem, size_t size)
{
	if (mem == NULL || size < sizeof(struct Ubfh) ||
	    (uintptr_t)mem % OW_UBF_ALIGN != 0)
		return -EINVAL;
	if (size > OW_UBF_SIZE_MAX)
		size = OW_UBF_SIZE_MAX;
	ow_ubf_init_form(mem, (uint32_t)size, size >= OW_UBF_TINY);
	return 0;
}

uint64_t ow_ubf_needed(uint32_t fields, uint32_t bytes)
{
	uint64_t n = sizeof(struct Ubfh) + (uint64_t)fields * FIELD_COST +
		     bytes;

	if (n >= OW_UBF_TINY)
		n += OW_UBF_PLAIN_BASE - sizeof(struct Ubfh);
	n = ow_ubf_round(n);
	return n > OW_UBF_SIZE_MAX ? 0 : n;
}
