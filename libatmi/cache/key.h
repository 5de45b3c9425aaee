/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.h - the key of a request: what must be equal for a kept reply to do
 */
#ifndef OW_CACHE_KEY_H
#define OW_CACHE_KEY_H

#include <stdbool.h>
#include <ubf.h>

#include "libatmi/cache/cache.h"

#define OW_CACHE_KEY_FIELDS 16

/* The fields of `key`, as numbers. */
struct ow_cache_fields {
	BFLDID id[OW_CACHE_KEY_FIELDS];
	int n; /* -1: one is in no field table, has pointers, or too many */
};

/* Bytes of a key, while they are put together; all 0 at first. */
struct ow_cache_bytes {
	struct ow_cache_memory room;
	size_t len;
};

void ow_cache_fields_find(const char *key, struct ow_cache_fields *ret);
/* Append bytes: 0; BUSY: more than OW_CACHE_KEY_MAX; -ENOMEM. */
int ow_cache_bytes_add(struct ow_cache_bytes *b, const void *from, size_t len);
/* Append all occurrences of the fields: 0, BUSY, -ENOMEM. */
int ow_cache_bytes_fields(struct ow_cache_bytes *b,
			  const struct ow_cache_fields *f, UBFH *data);

#endif
