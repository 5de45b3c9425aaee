/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sparse.h - sparse segments of a domain, made when they are first needed
 *
 * Such a segment is one file in the folder of the domain: a head, or none, and
 * pieces, which a process maps when it looks at them (base/pieces.h). Only the
 * head has memory from the beginning. Who uses a part of a piece reserves
 * memory for it (ow_segment_reserve()); a part without must not be touched.
 */
#ifndef OW_SPARSE_H
#define OW_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

struct ow_domain;
struct ow_pieces;

struct ow_sparse {
	const char *kind;    /* its name in the folder of the domain */
	uint64_t magic;	     /* of the head; 0: it has none */
	uint64_t head_size;  /* bytes, whole pages */
	uint64_t piece_size; /* bytes, whole pages */
	uint32_t pieces;
};

/* What every head begins with. */
struct ow_sparse_head {
	uint64_t magic;
	uint64_t size; /* bytes of the segment */
};

/* The mapping of a process. */
struct ow_sparse_map {
	int fd;
	void *head; /* NULL: it has none */
	struct ow_pieces *pieces;
};

/*
 * Map the segment; with `create`, make it if there is none. 0; -ENOENT without
 * `create`; -ESTALE: the domain was removed; -EBADMSG: it has another size or
 * head; -ENOMEM, -ENOSPC, other -errno.
 */
int ow_sparse_map(struct ow_domain *d, const struct ow_sparse *s, bool create,
		  struct ow_sparse_map *ret);
/* Unmap it, when the domain is left. */
void ow_sparse_unmap(const struct ow_sparse *s, struct ow_sparse_map *m);

/* One thread at a time maps a segment; a fork waits for it. */
void ow_sparse_lock(void);
void ow_sparse_unlock(void);

#endif
