/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_file.c - the ledger as clients and servers use it
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/ledger.h"
#include "libatmi/base/clock.h"

static int map(struct ow_ledger *l, int fd, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	l->head = p;
	l->entry = (struct ow_ledger_entry *)(l->head + 1);
	return 0;
}

int ow_ledger_open(struct ow_ledger *l, const char *path, uint64_t entries)
{
	size_t size = sizeof(*l->head) + entries * sizeof(*l->entry);
	int fd = open(path, O_RDWR | O_CLOEXEC | (entries ? O_CREAT : 0), 0600);
	struct stat st;
	int r = 0;

	if (fd < 0)
		return -errno;
	if (entries != 0 && ftruncate(fd, (off_t)size) < 0)
		r = -errno;
	if (r == 0 && fstat(fd, &st) < 0)
		r = -errno;
	if (r == 0)
		r = map(l, fd, (size_t)st.st_size);
	close(fd);
	if (r != 0 || entries == 0)
		return r;
	l->head->entries = entries;
	l->head->start_ns = ow_clock_mono_ns() - OW_NS_PER_MS;
	atomic_store(&l->head->next, 1);
	l->head->magic = OW_LEDGER_MAGIC;
	return 0;
}

uint32_t ow_ledger_ms(const struct ow_ledger *l)
{
	return (uint32_t)((ow_clock_mono_ns() - l->head->start_ns) /
			  OW_NS_PER_MS);
}

uint64_t ow_ledger_check(uint64_t number, uint32_t len)
{
	uint64_t h = number * UINT64_C(0x9e3779b97f4a7c15) ^ len;

	return (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* The last bytes of the payload say whether all of it has arrived. */
static uint8_t last_byte(uint64_t number)
{
	return (uint8_t)(number ^ number >> 8);
}

struct ow_ledger_entry *ow_ledger_find(const struct ow_ledger *l,
				       const void *buffer, uint64_t len)
{
	const uint8_t *bytes = buffer;
	struct ow_ledger_ticket t;

	if (buffer == NULL || len < sizeof(t))
		return NULL;
	memcpy(&t, buffer, sizeof(t));
	if (t.number == 0 || t.number >= l->head->entries || t.len != len ||
	    t.check != ow_ledger_check(t.number, t.len) ||
	    (len > sizeof(t) && bytes[len - 1] != last_byte(t.number)))
		return NULL;
	return &l->entry[t.number];
}

void ow_ledger_explain(const void *buffer, long len)
{
	const uint8_t *bytes = buffer;
	struct ow_ledger_ticket t = { .number = 0 };

	if (buffer != NULL && len >= (long)sizeof(t))
		memcpy(&t, buffer, sizeof(t));
	fprintf(stderr, "damaged: %ld bytes; ticket: entry %" PRIu64 ", %u "
		"bytes, %s; last byte %u, should be %u\n", len, t.number,
		t.len, t.check == ow_ledger_check(t.number, t.len)
			   ? "intact" : "damaged",
		buffer != NULL && len > 0 ? bytes[len - 1] : 0,
		last_byte(t.number));
}

struct ow_ledger_entry *ow_ledger_begin(struct ow_ledger *l, void *buffer,
					uint32_t len, uint32_t timeout_ms,
					enum ow_ledger_reply reply)
{
	struct ow_ledger_ticket t = { .len = len, .reply = (uint8_t)reply };
	struct ow_ledger_entry *e;

	t.number = atomic_fetch_add(&l->head->next, 1);
	if (t.number >= l->head->entries)
		return NULL;
	t.check = ow_ledger_check(t.number, len);
	memcpy(buffer, &t, sizeof(t));
	if (len > sizeof(t))
		((uint8_t *)buffer)[len - 1] = last_byte(t.number);
	e = &l->entry[t.number];
	e->begin_ms = ow_ledger_ms(l);
	e->due_ms = timeout_ms != 0 ? e->begin_ms + timeout_ms : 0;
	return e;
}
