/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.c - the ledger of the audit (bench/ledger.h), for Go and Python
 */
#include "binding.h"

#include <stdlib.h>

#include "../../ledger_file.c"
#include "waited.h"

#define LATE_MS 100 /* after a deadline: note for how long the process waited */

static struct ow_ledger ledger;
static struct ow_ledger_entry *last; /* answered by this server */

int ledger_open(void)
{
	return ow_ledger_open(&ledger, getenv("OW_LEDGER"), 0);
}

void ledger_watch(void)
{
	ledger_watch_threads(&ledger);
}

void *ledger_begin(void *buffer, uint32_t len, uint32_t ms, uint32_t reply)
{
	return ow_ledger_begin(&ledger, buffer, len, ms, reply);
}

int ledger_is_of(void *entry, const void *buffer, uint64_t len)
{
	return ow_ledger_find(&ledger, buffer, len) == entry;
}

void ledger_end(void *entry, int told, int error, uint32_t number)
{
	struct ow_ledger_entry *e = entry;

	e->told_ms = ow_ledger_ms(&ledger);
	e->until_ms = e->due_ms;
	e->error = (uint8_t)error;
	if (e->told_ms > e->until_ms + LATE_MS)
		e->waited_ms = ledger_waited(e->begin_ms);
	if (atomic_load(&ledger.head->continued_ms[number]) + 50 >= e->begin_ms)
		atomic_store(&e->flags, OW_LEDGER_DISTURBED);
	atomic_store(&e->told, told);
}

int ledger_execute(const void *buffer, uint64_t len)
{
	struct ow_ledger_entry *e = ow_ledger_find(&ledger, buffer, len);

	if (e == NULL) {
		atomic_fetch_add(&ledger.head->damaged, 1);
		return -1;
	}
	atomic_store(&e->executed_ms, ow_ledger_ms(&ledger));
	atomic_fetch_add(&e->executed, 1);
	last = e;
	return ((const struct ow_ledger_ticket *)buffer)->reply;
}

void ledger_answered(void)
{
	if (last != NULL)
		atomic_store(&last->answered_ms, ow_ledger_ms(&ledger));
	last = NULL;
}
