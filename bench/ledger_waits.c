/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_waits.c - was there more work than the servers could do?
 */
#include "bench/ledger_waits.h"

#include <stdlib.h>

#define SPAN_MS 100u

int ow_ledger_find_waits(const struct ow_ledger *l, uint64_t n,
			 struct ow_ledger_waits *ret_waits)
{
	struct ow_ledger_waits w = { .n = 0 };
	const struct ow_ledger_entry *e;
	uint32_t at;
	uint64_t i;

	for (i = 1; i < n; i++) {
		at = atomic_load(&l->entry[i].executed_ms) / SPAN_MS;
		w.n = at >= w.n ? at + 1 : w.n;
	}
	w.ms = calloc(w.n + 1, sizeof(*w.ms));
	if (w.ms == NULL)
		return -1;
	for (i = 1; i < n; i++) {
		e = &l->entry[i];
		at = atomic_load(&e->executed_ms);
		if (at > e->begin_ms + w.ms[at / SPAN_MS])
			w.ms[at / SPAN_MS] = at - e->begin_ms;
	}
	*ret_waits = w;
	return 0;
}

bool ow_ledger_is_overdue(const struct ow_ledger_waits *w, uint32_t begin_ms,
			  uint32_t due_ms)
{
	uint32_t i, at, from, to;

	for (i = begin_ms / SPAN_MS; i < w->n; i++) {
		at = i * SPAN_MS;
		from = at > w->ms[i] ? at - w->ms[i] : 0;
		from = from > begin_ms ? from : begin_ms;
		to = at < due_ms ? at : due_ms;
		if (to > from && (to - from) * 2 >= due_ms - begin_ms)
			return true;
	}
	return false;
}
