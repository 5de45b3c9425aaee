/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring.h - finished spans of one process, in shared memory until they are read
 *
 * A file `spans.PID.START` in the folder of the domain. Threads of the process
 * write, one reader takes. Nobody waits for anybody.
 *
 * Place p of all that were ever written lies in entry p % size, and the word
 * `turn` of the entry says whose it is:
 *
 *   turn == p            free, for the writer of place p
 *   turn == p + 1        holds place p, for the reader
 *   turn == p + size     read: free, for the writer of place p + size
 *
 *   writer  1 sees turn == p at head p, and takes the place: head becomes p + 1,
 *             by compare-and-swap; turn < p: the ring is full, `dropped` grows
 *           2 writes the span
 *           3 turn = p + 1 (release)
 *   reader  4 sees turn == p + 1 (acquire) at tail p, copies the span
 *           5 turn = p + size (release)
 *           6 tail = p + 1
 *
 * What a kill leaves
 *   writer after 1, or after 2    a place that was taken and never filled. The
 *           reader stops there while the process lives: the thread may be slow.
 *           When the process is dead, and only then, it passes by: torn.
 *   writer after 3                a whole span
 *   reader after 4                the next reader takes it again
 *   reader after 5                turn is past tail + 1: the next reader goes on
 *           with tail + 1. What the dead one had in hand is lost
 *
 * `head` and `dropped` are the writers', `tail` and `torn` the reader's. Who
 * reads is decided by a lock of the file `spans` beside it (flock), which ends
 * with its process, so there is one. The reader removes the ring of a dead
 * process when it is empty. Without a reader no ring is made
 * (head.spans_until in domain/tables.h), and those left go with the folder.
 */
#ifndef OW_SPAN_RING_H
#define OW_SPAN_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/base/proc.h"
#include "libatmi/span/span.h"

struct ow_domain;
struct ow_span_ring;

#define OW_SPAN_RING_SIZE 2048u /* spans, a power of two */

enum ow_span_ring_result {
	OW_SPAN_RING_FULL = 1, /* put: dropped and counted */
	OW_SPAN_RING_EMPTY,    /* take: nothing whole is there */
};

/* What is said of the process of a ring. */
struct ow_span_from {
	ow_proc_id process;
	char program[64];
	uint64_t dropped, torn; /* so far */
	uint32_t waiting, size; /* spans that wait for the reader */
};

/* For the process: make its ring. 0, -ENOSPC, -EPERM, -errno. */
int ow_span_ring_make(const struct ow_domain *d, uint32_t size,
		      struct ow_span_ring **ret);
/* Has it its name still? Not if the domain was removed. */
bool ow_span_ring_is_named(const struct ow_domain *d);
/* Any thread: 0 or FULL. */
int ow_span_ring_put(struct ow_span_ring *r, const struct ow_span *s);
/* The same in two steps, without a copy: steps 1 and 3. Write all of it between
 * them, and soon. NULL: full, dropped and counted. */
struct ow_span *ow_span_ring_claim(struct ow_span_ring *r);
void ow_span_ring_fill(struct ow_span *s);

/* For the reader: open the ring called `name` in the folder. 0; -EBADMSG, it is
 * none; -EPERM; -errno. */
int ow_span_ring_open(const struct ow_domain *d, const char *name,
		      struct ow_span_ring **ret);
/* The next span: 0 or EMPTY. `dead`: its process is, as was seen before. */
int ow_span_ring_take(struct ow_span_ring *r, bool dead, struct ow_span *ret);
void ow_span_ring_from(const struct ow_span_ring *r, struct ow_span_from *ret);
/* Remove its file. */
void ow_span_ring_remove(const struct ow_domain *d, const char *name);

/* Accepts NULL. */
struct ow_span_ring *ow_span_ring_close(struct ow_span_ring *r);

/* Be the one reader of the domain: a descriptor, which holds that; -EAGAIN:
 * there is another; -EPERM, -errno. */
int ow_span_reader_begin(const struct ow_domain *d);

#endif
