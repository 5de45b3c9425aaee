/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pieces.h - a large sparse file, of which each process maps what it uses
 *
 * Address space may be limited (ulimit -v), and a limit counts what is mapped,
 * not what has memory. A piece is mapped at its first use and stays
 * where it is until the pieces are closed. Any thread may ask for any piece.
 */
#ifndef OW_PIECES_H
#define OW_PIECES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_pieces {
	int fd;	      /* the file; not ours to close */
	uint64_t off; /* of the first piece; whole pages */
	size_t size;  /* of a piece; whole pages */
	uint32_t n;
	bool readonly;
	_Atomic(char *) at[]; /* NULL: not mapped */
};

/* NULL: no memory. */
struct ow_pieces *ow_pieces_new(int fd, uint64_t off, size_t size, uint32_t n);
struct ow_pieces *ow_pieces_close(struct ow_pieces *p);
/* Writing to a piece is a fault from now on. Before another thread has it. */
void ow_pieces_protect(struct ow_pieces *p);
/* Map piece `i` < n: its address; NULL: no address space. */
char *ow_pieces_map(struct ow_pieces *p, uint32_t i);

static inline char *ow_piece(struct ow_pieces *p, uint32_t i)
{
	char *at = atomic_load_explicit(&p->at[i], memory_order_acquire);

	return __builtin_expect(at != NULL, 1) ? at : ow_pieces_map(p, i);
}

#endif
