/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enter.h - the first check of every public function that takes a buffer
 */
#ifndef OW_UBF_ENTER_H
#define OW_UBF_ENTER_H

#include "libubf/base/error.h"
#include "libubf/store/header.h"

/* Berror for what is not a buffer; returns -1. */
int ow_ubf_refuse(const struct Ubfh *h) __attribute__((cold));
/* Berror = BBADFLD; returns -1. */
int ow_ubf_bad_id(BFLDID id) __attribute__((cold));

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

/* Whether the test above succeeds and the buffer is plain and flat. The
 * functions that are called most have a way of their own for such buffers, on
 * which the form is not tested again. */
static inline int ow_ubf_is_usual_field(const struct Ubfh *h, BFLDID id)
{
	return ow_ubf_is_usual(h) && __builtin_expect(ow_ubf_id_ok(id), 1);
}

#endif
