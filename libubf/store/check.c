/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - check foreign bytes against the invariants of layout.h
 *
 * Runs on every message that is received; takes time linear in its bytes. This
 * file checks the header and the directory, whose ids it compares several at
 * once; check_heap.c checks the values.
 */
#include "libubf/store/check.h"

#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/check_heap.h"
#include "libubf/store/check_strings.h"
#include "libubf/store/header.h"
#include "libubf/store/pages.h"
#include "libubf/store/store.h"

typedef int32_t quad __attribute__((vector_size(16)));
typedef uint16_t eight __attribute__((vector_size(16)));
typedef uint64_t pair __attribute__((vector_size(16)));

/* Not all zero if one of four numbers is greater than its successor. */
static inline pair descends(const uint32_t *at)
{
	quad a, b;

	memcpy(&a, at, sizeof(a));
	memcpy(&b, at + 1, sizeof(b));
	return (pair)(a > b);
}

/* Whether n ids ascend; equal ones may follow each other. They are compared as
 * signed numbers: the same, as the caller checks that the first is above 0. */
static inline int ascend(const uint32_t *ids, uint32_t n)
{
	const uint32_t *end;
	pair bad;
	uint32_t i;

	if (n < 5) {
		for (i = 1; i < n; i++) {
			if ((int32_t)ids[i - 1] > (int32_t)ids[i])
				return 0;
		}
		return 1;
	}
	end = ids + n - 5;
	for (bad = descends(end); ids < end; ids += 4)
		bad |= descends(ids);
	return (bad[0] | bad[1]) == 0;
}

/* ---- the directory ---- */

/* Whether start[] of the dense form ascends. Compared at once: each number with
 * its successor, those in the middle twice. */
static inline int starts_ascend(const struct Ubfh *h)
{
	eight a, b, c, d;
	pair bad;

	memcpy(&a, h->start, sizeof(a));
	memcpy(&b, h->start + 1, sizeof(b));
	memcpy(&c, h->start + OW_UBF_STARTS - 9, sizeof(c));
	memcpy(&d, h->start + OW_UBF_STARTS - 8, sizeof(d));
	bad = (pair)(a > b) | (pair)(c > d);
	return (bad[0] | bad[1]) == 0;
}

static inline int row_fits(const struct ow_ubf_row *r, uint32_t n)
{
	return r->first + n <= r->slots;
}

/* Whether the rows hold the entries and end where the heap begins. */
static inline int check_dense(const struct Ubfh *h)
{
	const struct ow_ubf_row *row = h->row;
	uint32_t wide = ow_ubf_wide_before(h, BFLD_MAX);
	uint32_t count = ow_ubf_count(h);
	uint32_t dir = (uint32_t)sizeof(*h) + 4u * row[OW_UBF_IDS].slots +
		       4u * row[OW_UBF_NARROW].slots;

	dir = (uint32_t)ow_ubf_round(dir) + 8u * row[OW_UBF_WIDE].slots;
	return h->used <= OW_UBF_DENSE_BYTES && h->heap == dir &&
	       dir <= h->used && count <= OW_UBF_DENSE_ENTRIES &&
	       row_fits(row + OW_UBF_IDS, count) &&
	       row_fits(row + OW_UBF_NARROW, count - wide) &&
	       row_fits(row + OW_UBF_WIDE, wide);
}

/* The plain form; `flat`: not in pages. */
static inline __attribute__((always_inline)) int
check_plain(const struct Ubfh *h, int flat)
{
	const struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint64_t heap = OW_UBF_PLAIN_BASE + (uint64_t)dir->slots * OW_UBF_SLOT;

	if (h->used < OW_UBF_PLAIN_BASE || dir->start[0] != 0 ||
	    (int32_t)ow_ubf_count_plain(h) < 0 ||
	    !ascend(dir->start, OW_UBF_STARTS) || dir->slots % 2 != 0 ||
	    flat != (dir->pages == 0))
		return 0;
	if (!flat)
		heap = ow_ubf_round(heap + (uint64_t)ow_ubf_pages_max(h) *
				    OW_UBF_INDEX);
	return h->heap == heap && heap <= h->used &&
	       (uint64_t)dir->first + ow_ubf_count_plain(h) <= dir->slots;
}

static inline int fits(const struct Ubfh *h, size_t len)
{
	return h->used <= len && h->used >= sizeof(*h) &&
	       h->used % OW_UBF_HEAP_UNIT == 0;
}

static inline int check_header_other(const struct Ubfh *h, size_t len)
{
	if (!ow_ubf_is_other(h) || !fits(h, len))
		return 0;
	if (ow_ubf_plain(h))
		return check_plain(h, 0);
	return h->start[0] == 0 && starts_ascend(h) && check_dense(h);
}

/* Whether the index names each physical page in use once. */
static int check_physical(const struct Ubfh *h)
{
	OW_CLEANUP(ow_cleanup_freep) uint8_t *seen = NULL;
	const uint32_t *page = ow_ubf_index(h).page;
	uint32_t pages = ow_ubf_dir(h)->pages, p;

	seen = calloc(pages, 1);
	if (seen == NULL)
		return -ENOMEM;
	for (p = 0; p < pages; p++) {
		if (page[p] >= pages || seen[page[p]]++ != 0)
			return -EBADMSG;
	}
	return 0;
}

static int check_pages(const struct Ubfh *h)
{
	const struct ow_ubf_dir *dir = ow_ubf_dir(h);
	struct ow_ubf_index x = ow_ubf_index(h);
	uint32_t count = ow_ubf_count_plain(h), p, fill, before = 0;
	const uint32_t *ids;
	int r;

	if (dir->first != 0 || dir->slots % OW_UBF_PAGE != 0 ||
	    dir->slots <= OW_UBF_FLAT_MAX ||
	    dir->pages > ow_ubf_pages_max(h) ||
	    x.rank[0] != 0 || x.rank[dir->pages - 1] >= count)
		return -EBADMSG;
	r = check_physical(h);
	for (p = 0; p < dir->pages && r == 0; p++, before = ids[fill - 1]) {
		fill = ow_ubf_page_fill(h, p, count);
		if (fill == 0 || fill > OW_UBF_PAGE)
			return -EBADMSG;
		ids = ow_ubf_ids_plain(h) + x.page[p] * OW_UBF_PAGE;
		if (x.key[p] != ids[0] || ids[0] < before ||
		    (int32_t)ids[0] <= 0 || !ascend(ids, fill))
			return -EBADMSG;
	}
	return r;
}

static inline int check_ids(const uint32_t *ids, uint32_t count)
{
	return count == 0 || ((int32_t)ids[0] > 0 && ascend(ids, count))
		       ? 0
		       : -EBADMSG;
}

/* Check the values of one heap type, ranks i to end - 1. */
static int check_group(const struct Ubfh *h, struct ow_ubf_heap_check *heap,
		       unsigned int type, uint32_t i, uint32_t end)
{
	uint32_t n, slot;
	int r = 0;

	for (; i < end && r == 0; i += n) {
		n = ow_ubf_run(h, i, end - i, &slot);
		r = ow_ubf_check_values(heap, type, ow_ubf_ent_at(h, type, i),
					n, ow_ubf_plain(h));
	}
	return r;
}

/* Check type by type from rank `i` on, as start[] divides the entries. The ids
 * ascend, so it is enough to check the first and the last id of a group: all
 * between are of that type and none has number 0. The groups cover all entries,
 * so start[] is right for absent types, too. */
static int check_types(const struct Ubfh *h, struct ow_ubf_heap_check *heap,
		       uint32_t i)
{
	uint32_t end, count = ow_ubf_count(h), type;
	int r = 0;
	BFLDID id;

	for (; i < count && r == 0; i = end) {
		id = ow_ubf_id_at(h, i);
		type = ow_ubf_id_type(id);
		if (!ow_ubf_id_ok(id))
			return -EBADMSG;
		end = ow_ubf_start(h, type + 1);
		if (i < ow_ubf_start(h, type) || i >= end ||
		    ow_ubf_id_type(ow_ubf_id_at(h, end - 1)) != type)
			return -EBADMSG;
		if (!ow_ubf_type_fixed(type))
			r = check_group(h, heap, type, i, end);
	}
	return r < 0 ? r : ow_ubf_check_heap(h, heap);
}

/* The rest of a usual buffer, from rank `i` on; the heap up to `next` are
 * strings in a row. */
static __attribute__((noinline)) int
check_rest(const struct Ubfh *h, int depth, uint32_t i, uint32_t next)
{
	struct ow_ubf_heap_check heap;

	ow_ubf_check_begin(h, depth, &heap);
	heap.now_hi = next;
	return check_types(h, &heap, i);
}

/* The same as check_types(), for usual buffers, as long as the heap holds only
 * strings, one behind the other. */
static inline int check_usual(const struct Ubfh *h, int depth)
{
	const struct ow_ubf_dir *dir = ow_ubf_dir(h);
	const uint32_t *ids = ow_ubf_ids_plain(h) + dir->first;
	uint32_t i, end, count = ow_ubf_count_plain(h), type;
	uint32_t size = h->used - h->heap, next = 0;

	if (check_ids(ids, count) != 0)
		return -EBADMSG;
	for (i = 0; i < count; i = end) {
		type = ow_ubf_id_type((BFLDID)ids[i]);
		if (!ow_ubf_id_ok((BFLDID)ids[i]))
			return -EBADMSG;
		end = dir->start[type + 1];
		if (i < dir->start[type] || i >= end ||
		    ow_ubf_id_type((BFLDID)ids[end - 1]) != type)
			return -EBADMSG;
		if (ow_ubf_type_fixed(type))
			continue;
		if (type == BFLD_STRING)
			i += ow_ubf_strings_in_a_row(ow_ubf_heap(h), size,
						     ow_ubf_ent_plain(h, i),
						     end - i, 1, &next);
		if (i < end)
			return check_rest(h, depth, i, next);
	}
	return dir->waste == size - next ? 0 : -EBADMSG;
}

/* A buffer that is paged or dense. */
static __attribute__((noinline)) int
check_other(const struct Ubfh *h, size_t len, int depth)
{
	struct ow_ubf_heap_check heap;
	int r;

	if (!check_header_other(h, len))
		return -EBADMSG;
	r = ow_ubf_paged(h) ? check_pages(h)
			    : check_ids(ow_ubf_ids(h) + ow_ubf_first(h),
					ow_ubf_count(h));
	if (r < 0)
		return r;
	ow_ubf_check_begin(h, depth, &heap);
	return check_types(h, &heap, 0);
}

int ow_ubf_check_level(const void *buf, size_t len, int depth)
{
	const struct Ubfh *h = buf;

	if (depth > OW_UBF_DEPTH_MAX || len < sizeof(*h))
		return -EBADMSG;
	if (!ow_ubf_is_usual(h))
		return check_other(h, len, depth);
	return fits(h, len) && check_plain(h, 1) ? check_usual(h, depth)
						 : -EBADMSG;
}

int ow_ubf_check(const void *buf, size_t len)
{
	return ow_ubf_check_level(buf, len, 0);
}
