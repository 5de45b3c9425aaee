/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - what the black box knows of a domain at one second, as rows
 *
 * A sample (libndrx/model/sample.h) is spread over tables, one for each kind of
 * row, sorted by key. A kind is a list of fields with their places in the row,
 * so that the difference of two states needs no code for each kind
 * (difference.h). Fields that are `detail` may be held back for some seconds
 * when the records grow too large (recorder.c).
 */
#ifndef OW_BB_ROWS_H
#define OW_BB_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libndrx/model/sample.h"

enum ow_bb_kind {
	OW_BB_DOMAIN, /* one row */
	OW_BB_SERVICE,
	OW_BB_SERVER,
	OW_BB_OFFER,
	OW_BB_CLIENT,
	OW_BB_LINK,
	OW_BB_TM,
	OW_BB_TRAN,
	OW_BB_SPACE,
	OW_BB_QUEUE, /* of a space */
	OW_BB_ROUTE, /* of a gate for HTTP */
	OW_BB_KINDS
};

enum ow_bb_type {
	OW_BB_NUMBER, /* unsigned, 1, 2, 4 or 8 bytes */
	OW_BB_TIME,   /* monotonic ns; kept in milliseconds */
	OW_BB_TEXT,   /* `size` bytes, with a NUL */
};

struct ow_bb_field {
	uint16_t at, size, count; /* `count` fields, one behind the other */
	uint8_t type;		  /* enum ow_bb_type */
	bool detail;
};

struct ow_bb_shape {
	size_t size; /* of a row, which begins with its key */
	unsigned int n;
	const struct ow_bb_field *fields;
};

extern const struct ow_bb_shape ow_bb_shapes[OW_BB_KINDS];

struct ow_bb_table {
	size_t n, room;
	char *rows; /* by key, each key once */
};

struct ow_bb_state {
	uint64_t now_ns, real_ns;
	struct ow_bb_table table[OW_BB_KINDS];
};

static inline uint64_t ow_bb_key(const void *row)
{
	return *(const uint64_t *)row;
}

static inline void *ow_bb_row(const struct ow_bb_state *s, enum ow_bb_kind k,
			      size_t i)
{
	return s->table[k].rows + i * ow_bb_shapes[k].size;
}

/* The row with this key, or NULL. */
void *ow_bb_find(const struct ow_bb_state *s, enum ow_bb_kind k, uint64_t key);

/* Append a zeroed row; keys must rise, or ow_bb_sort() follows. NULL: no
 * memory. */
void *ow_bb_add(struct ow_bb_state *s, enum ow_bb_kind k, uint64_t key);
/* Sort all tables; of rows with the same key the first stays. */
void ow_bb_sort(struct ow_bb_state *s);
void ow_bb_empty(struct ow_bb_state *s);
void ow_bb_free(struct ow_bb_state *s);

/* The state that a sample shows: 0 or -ENOMEM. */
int ow_bb_from_sample(const struct ow_sample *from, struct ow_bb_state *ret);

/* A sample that shows a state. */
struct ow_bb_sample;
struct ow_bb_sample *ow_bb_sample_new(void);
struct ow_bb_sample *ow_bb_sample_free(struct ow_bb_sample *p);
/* Valid until the next one, or NULL: no memory. */
const struct ow_sample *ow_bb_to_sample(struct ow_bb_sample *p,
					const struct ow_bb_state *s);

#endif
