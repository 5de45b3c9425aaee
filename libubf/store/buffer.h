/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buffer.h - the door of every public function that takes a buffer
 */
#ifndef OW_UBF_BUFFER_H
#define OW_UBF_BUFFER_H

#include "libubf/store/check.h"
#include "libubf/base/error.h"
#include "libubf/store/layout.h"

/* Berror for what is not a buffer; returns -1. */
int ow_ubf_refuse(const struct Ubfh *h) __attribute__((cold));
/* Berror = BBADFLD; returns -1. */
int ow_ubf_bad_id(BFLDID id) __attribute__((cold));

/* Make `dst`, `size` bytes at any address, a copy of src: 0 or -ENOSPC. What is
 * not at a multiple of 8 has the bytes of a buffer. */
int ow_ubf_copy(struct Ubfh *dst, uint32_t size, const struct Ubfh *src);

/* A cheap look, at what every call can afford: ow_ubf_check() is thorough. */
static inline int ow_ubf_is(const struct Ubfh *h)
{
	return h != NULL && (uintptr_t)h % OW_UBF_ALIGN == 0 &&
	       h->magic == OW_UBF_MAGIC && h->used <= h->size;
}

/* Clear Berror and test the buffer: 0, or -1 with Berror set. */
static inline int ow_ubf_enter(const struct Ubfh *h)
{
	ow_ubf_clear();
	if (__builtin_expect(!ow_ubf_is(h), 0))
		return ow_ubf_refuse(h);
	return 0;
}

/* The same for a function that takes a field id as well. */
static inline int ow_ubf_enter_field(const struct Ubfh *h, BFLDID id)
{
	ow_ubf_clear();
	if (__builtin_expect(!ow_ubf_is(h), 0))
		return ow_ubf_refuse(h);
	if (__builtin_expect(!ow_ubf_id_ok(id), 0))
		return ow_ubf_bad_id(id);
	return 0;
}

#endif
