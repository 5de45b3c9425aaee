/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paged.h - a paged buffer with few entries, and ways to damage it
 *
 * Used by the fuzzer and by the unit test of the check. Real paged buffers have
 * thousands of entries; this one has as many pages, but few entries in each, so
 * that reading all of them is quick.
 */
#ifndef OW_UBF_PAGED_H
#define OW_UBF_PAGED_H

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#include "libubf/store/check.h"
#include "libubf/store/pages.h"
#include "libubf/store/store.h"

#define UBF_PAGED_KEEP 7	/* entries of each page */

/* Remove most of the k entries of one type from rank `at` on, in all pages,
 * without compacting as ow_ubf_remove() would. */
static void ubf_paged_thin(UBFH *p, uint32_t at, uint32_t k)
{
	unsigned int type = ow_ubf_id_type(ow_ubf_id_at(p, at)), t;
	uint32_t n, slot;

	for (; k > 0; k -= n) {
		n = ow_ubf_run(p, at, k, &slot);
		if (n > UBF_PAGED_KEEP) {
			ow_ubf_pages_remove(p, at, n - UBF_PAGED_KEEP);
			for (t = type + 1; t < OW_UBF_STARTS; t++)
				ow_ubf_dir(p)->start[t] -= n - UBF_PAGED_KEEP;
		}
		at += n < UBF_PAGED_KEEP ? n : UBF_PAGED_KEEP;
	}
}

/* Make a paged buffer; full: all of its pages are in use. */
static UBFH *ubf_paged(int full)
{
	UBFH *p = Balloc(12000, 0);
	char text[80];
	long l;
	int i;

	assert(p != NULL);
	for (i = 0; i < 12; i++) {
		sprintf(text, "%*d", 4 + i * 5, i);
		assert(CBadd(p, Bmkfldid(i % 2 ? BFLD_STRING : BFLD_CARRAY,
					 1 + i / 3), text, 0, BFLD_STRING) ==
		       0);
	}
	for (l = 0; l < 6000 || (full && ow_ubf_dir(p)->pages < ow_ubf_pages_max(p)); l++)
		assert(Badd(p, Bmkfldid(BFLD_LONG, 1 + (int)(l * 7919 % 12000)),
			    (char *)&l, 0) == 0);
	ubf_paged_thin(p, 0, ow_ubf_start(p, BFLD_LONG + 1));
	assert(ow_ubf_dir(p)->pages > 3 && ow_ubf_check(p, p->used) == 0);
	return p;
}

/* The word of a buffer to change. */
static uint32_t *ubf_paged_word(UBFH *p, unsigned int where, unsigned int at)
{
	uint32_t max = ow_ubf_pages_max(p);
	uint32_t pages = ow_ubf_dir(p)->pages;
	uint32_t slot = at % pages % max * OW_UBF_PAGE + at / 16 % 16;

	switch (where % 5) {
	case 0:
		return (uint32_t *)p + 2 + at % (OW_UBF_PLAIN_BASE / 4 - 2);
	case 1:
		return ow_ubf_index(p).key + at % (3 * max);
	case 2:
		return ow_ubf_ids(p) + slot;
	case 3:
		return (uint32_t *)(ow_ubf_words(p) + slot) + at / 256 % 2;
	default:
		return (uint32_t *)ow_ubf_heap(p) +
		       at % ((p->used - p->heap) / 4);
	}
}

#endif
