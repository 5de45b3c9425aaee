/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes.h - the buffers that have a call header, with their headers
 *
 * Such a buffer is not in the table of registry.c but in this one, which is
 * looked at when the first has no answer: buffers without a header cost
 * nothing for it. Any thread; one lock. For registry.c and callinfo.c.
 */
#ifndef OW_BUF_NOTES_H
#define OW_BUF_NOTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

struct ow_buf;

struct ow_note {
	UT_hash_handle hh;
	const char *key; /* the user's pointer to the buffer */
	struct ow_buf *buf;
	size_t len; /* of the header */
	_Alignas(16) char ubf[];
};

extern _Atomic uint32_t ow_notes_count;

static inline bool ow_notes_any(void)
{
	return atomic_load_explicit(&ow_notes_count, memory_order_relaxed) !=
	       0;
}

/* The note of a buffer; NULL: none. It is valid as long as the buffer is. */
struct ow_note *ow_notes_find(const char *data);
/* The same, taking it out of the table: the caller frees it. */
struct ow_note *ow_notes_take(const char *data);
/* Enter a note with its key and buffer. False: no memory. */
bool ow_notes_put(struct ow_note *n);

#endif
