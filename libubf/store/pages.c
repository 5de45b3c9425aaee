/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pages.c - the paged form of a directory (layout.h)
 *
 * The pages in use are the physical pages 0..pages - 1, in any order. A new
 * page is the next physical one; a page that becomes empty gets the contents of
 * the last one.
 */
#include "libubf/store/pages.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "libubf/base/cleanup.h"
#include "libubf/store/search.h"
#include "libubf/store/slots.h"

#define FILL (OW_UBF_PAGE / 4 * 3)	/* of a page in a rewritten directory */

typedef uint32_t quad __attribute__((vector_size(16), aligned(4)));

/* Add to the ranks of page p and those behind; `by` may be negative. */
static void shift_ranks(struct Ubfh *h, uint32_t p, uint32_t by)
{
	uint32_t *at = ow_ubf_index(h).rank + p, n = ow_ubf_dir(h)->pages - p;

	for (; n >= 8; n -= 8, at += 8) {
		((quad *)at)[0] += by;
		((quad *)at)[1] += by;
	}
	for (; n > 0; n--)
		*at++ += by;
}

/* The last page that begins at or before a rank. */
static uint32_t page_of(const struct Ubfh *h, uint32_t i)
{
	const uint32_t *rank = ow_ubf_index(h).rank;

	return ow_ubf_search(rank, ow_ubf_dir(h)->pages, i + 1) - 1;
}

uint32_t ow_ubf_pages_slot(const struct Ubfh *h, uint32_t i)
{
	struct ow_ubf_index x = ow_ubf_index(h);
	uint32_t p = page_of(h, i);

	return x.page[p] * OW_UBF_PAGE + i - x.rank[p];
}

uint32_t ow_ubf_pages_run(const struct Ubfh *h, uint32_t i, uint32_t *ret_slot)
{
	struct ow_ubf_index x = ow_ubf_index(h);
	uint32_t p = page_of(h, i), in = i - x.rank[p];

	*ret_slot = x.page[p] * OW_UBF_PAGE + in;
	return ow_ubf_page_fill(h, p, ow_ubf_count_plain(h)) - in;
}

/* The first entry with the id is in the last page that begins with a lower id,
 * or right behind that page. */
uint32_t ow_ubf_pages_lower(const struct Ubfh *h, BFLDID id)
{
	struct ow_ubf_index x = ow_ubf_index(h);
	uint32_t p = ow_ubf_search(x.key, ow_ubf_dir(h)->pages, (uint32_t)id);

	if (p-- == 0)
		return 0;
	return x.rank[p] +
	       ow_ubf_search(ow_ubf_ids_plain(h) + x.page[p] * OW_UBF_PAGE,
			     ow_ubf_page_fill(h, p, ow_ubf_count_plain(h)),
			     (uint32_t)id);
}

/* ---- insert ---- */

/* Insert a new page at p of the index; it begins at `rank`. */
static void open_page(struct Ubfh *h, uint32_t p, uint32_t rank)
{
	struct ow_ubf_index x = ow_ubf_index(h);
	size_t behind = (ow_ubf_dir(h)->pages - p) * sizeof(uint32_t);

	assert(ow_ubf_dir(h)->pages < ow_ubf_pages_max(h));
	memmove(x.key + p + 1, x.key + p, behind);
	memmove(x.rank + p + 1, x.rank + p, behind);
	memmove(x.page + p + 1, x.page + p, behind);
	x.rank[p] = rank;
	x.page[p] = ow_ubf_dir(h)->pages++;
}

/* Move the upper half of a full page to a new page. */
static void split(struct Ubfh *h, uint32_t p)
{
	struct ow_ubf_index x = ow_ubf_index(h);
	uint32_t half = OW_UBF_PAGE / 2, from, to;

	open_page(h, p + 1, x.rank[p] + half);
	from = x.page[p] * OW_UBF_PAGE + half;
	to = x.page[p + 1] * OW_UBF_PAGE;
	ow_ubf_move_slots(h, to, from, half);
	ow_ubf_clear_slots(h, from, half);
	x.key[p + 1] = ow_ubf_ids_plain(h)[to];
}

/* The page for a new entry at a rank; it has room. At the end of a full page
 * the entry begins a new page instead of splitting: insertions at one place
 * fill their pages. */
static uint32_t page_for(struct Ubfh *h, uint32_t at)
{
	const uint32_t *rank = ow_ubf_index(h).rank;
	uint32_t count = ow_ubf_count_plain(h), p = page_of(h, at);

	if (p > 0 && rank[p] == at)
		p--;
	if (ow_ubf_page_fill(h, p, count) < OW_UBF_PAGE)
		return p;
	if (at == rank[p] + OW_UBF_PAGE) {
		open_page(h, ++p, at);
	} else if (at == rank[p]) {
		open_page(h, p, at);
	} else {
		split(h, p);
		p += at - rank[p] > OW_UBF_PAGE / 2;
	}
	return p;
}

uint32_t ow_ubf_pages_insert(struct Ubfh *h, uint32_t at, BFLDID id)
{
	struct ow_ubf_index x = ow_ubf_index(h);
	uint32_t p = page_for(h, at), in = at - x.rank[p];
	uint32_t slot = x.page[p] * OW_UBF_PAGE + in;
	uint32_t fill = ow_ubf_page_fill(h, p, ow_ubf_count_plain(h));

	ow_ubf_move_slots(h, slot + 1, slot, fill - in);
	ow_ubf_ids_plain(h)[slot] = (uint32_t)id;
	if (in == 0)
		x.key[p] = (uint32_t)id;
	shift_ranks(h, p + 1, 1);
	return slot;
}

/* ---- remove ---- */

/* Remove an empty page; the last physical page moves to its place. */
static void close_page(struct Ubfh *h, uint32_t p)
{
	struct ow_ubf_index x = ow_ubf_index(h);
	uint32_t hole = x.page[p], last = --ow_ubf_dir(h)->pages, q;
	size_t behind = (last - p) * sizeof(uint32_t);

	memmove(x.key + p, x.key + p + 1, behind);
	memmove(x.rank + p, x.rank + p + 1, behind);
	memmove(x.page + p, x.page + p + 1, behind);
	x.key[last] = x.rank[last] = x.page[last] = 0;
	if (hole == last)
		return;
	for (q = 0; x.page[q] != last; q++)
		;
	x.page[q] = hole;
	ow_ubf_move_slots(h, hole * OW_UBF_PAGE, last * OW_UBF_PAGE,
			  OW_UBF_PAGE);
	ow_ubf_clear_slots(h, last * OW_UBF_PAGE, OW_UBF_PAGE);
}

/* Remove up to k entries of one page; returns how many it removed. */
static uint32_t remove_from_page(struct Ubfh *h, uint32_t at, uint32_t k,
				 uint32_t count)
{
	struct ow_ubf_index x = ow_ubf_index(h);
	uint32_t p = page_of(h, at), in = at - x.rank[p];
	uint32_t fill = ow_ubf_page_fill(h, p, count);
	uint32_t slot = x.page[p] * OW_UBF_PAGE;

	if (k > fill - in)
		k = fill - in;
	ow_ubf_move_slots(h, slot + in, slot + in + k, fill - in - k);
	ow_ubf_clear_slots(h, slot + fill - k, k);
	shift_ranks(h, p + 1, -k);
	if (k == fill)
		close_page(h, p);
	else if (in == 0)
		x.key[p] = ow_ubf_ids_plain(h)[slot];
	return k;
}

void ow_ubf_pages_remove(struct Ubfh *h, uint32_t at, uint32_t k)
{
	uint32_t count = ow_ubf_count_plain(h), n;

	for (; k > 0; k -= n, count -= n)
		n = remove_from_page(h, at, k, count);
}

/* ---- from one form to the other ---- */

/* Copy all entries in order to new memory: words, then ids. */
static uint64_t *collect(const struct Ubfh *h)
{
	uint32_t count = ow_ubf_count_plain(h), i, n, slot;
	uint64_t *all = malloc((size_t)count * OW_UBF_SLOT + 1);
	uint32_t *ids = (uint32_t *)(all + count);

	for (i = 0; all != NULL && i < count; i += n) {
		n = ow_ubf_run(h, i, count - i, &slot);
		memcpy(all + i, ow_ubf_words(h) + slot, n * sizeof(*all));
		memcpy(ids + i, ow_ubf_ids_plain(h) + slot, n * sizeof(*ids));
	}
	return all;
}

/* Change the size of the directory, and clear it: it is flat. */
static void resize(struct Ubfh *h, uint32_t slots, uint32_t index)
{
	uint32_t heap = (uint32_t)ow_ubf_round(OW_UBF_PLAIN_BASE + slots *
					       OW_UBF_SLOT + index);
	struct ow_ubf_dir *dir = ow_ubf_dir(h);
	uint32_t was = h->used, len = h->used - h->heap;

	memmove((char *)h + heap, ow_ubf_heap(h), len);
	memset(dir + 1, 0, heap - OW_UBF_PLAIN_BASE);
	h->magic = OW_UBF_MAGIC;
	h->heap = heap;
	h->used = heap + len;
	if (h->used < was)
		memset((char *)h + h->used, 0, was - h->used);
	dir->first = dir->pages = 0;
	dir->slots = slots;
}

static void place(struct Ubfh *h, uint32_t slot, const uint64_t *all,
		  uint32_t i, uint32_t n)
{
	const uint32_t *ids = (const uint32_t *)(all + ow_ubf_count_plain(h));

	memcpy(ow_ubf_words(h) + slot, all + i, n * sizeof(*all));
	memcpy(ow_ubf_ids_plain(h) + slot, ids + i, n * sizeof(*ids));
}

int ow_ubf_pages_lay(struct Ubfh *h, uint32_t slots)
{
	OW_CLEANUP(ow_cleanup_freep) uint64_t *all = collect(h);
	uint32_t count = ow_ubf_count_plain(h), p, i, n;
	uint32_t max = slots / OW_UBF_PAGE;
	uint32_t pages = (count + FILL - 1) / FILL;
	struct ow_ubf_index x;

	if (all == NULL)
		return -ENOMEM;
	if (pages > max - max / 16 - 1)
		pages = max - max / 16 - 1;
	assert(count >= pages && (uint64_t)pages * OW_UBF_PAGE >= count);
	resize(h, slots, max * OW_UBF_INDEX);
	h->magic = OW_UBF_MAGIC_PAGED;
	ow_ubf_dir(h)->pages = pages;
	x = ow_ubf_index(h);
	for (p = 0, i = 0; p < pages; p++, i += n) {
		n = count / pages + (p < count % pages);
		place(h, p * OW_UBF_PAGE, all, i, n);
		x.key[p] = ow_ubf_ids_plain(h)[p * OW_UBF_PAGE];
		x.rank[p] = i;
		x.page[p] = p;
	}
	return 0;
}

int ow_ubf_pages_flatten(struct Ubfh *h, uint32_t slots)
{
	OW_CLEANUP(ow_cleanup_freep) uint64_t *all = collect(h);

	if (all == NULL)
		return -ENOMEM;
	resize(h, slots, 0);
	place(h, 0, all, 0, ow_ubf_count_plain(h));
	return 0;
}
