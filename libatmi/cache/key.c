/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key.c - the key of a request: what must be equal for a kept reply to do
 *
 * Of each field all occurrences: number of the field, length, value. A field
 * that is not there adds nothing. So no two different lists of values have the
 * same bytes. Fields of pointers and views have none that could be compared.
 */
#include "libatmi/cache/key.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_fit(BFLDID id)
{
	int type = id == BBADFLDID ? BFLD_PTR : Bfldtype(id);

	return type != BFLD_PTR && type != BFLD_VIEW && type != BFLD_UBF;
}

void ow_cache_fields_find(const char *key, struct ow_cache_fields *ret)
{
	char names[OW_CACHE_FIELDS], *rest = names, *name;

	snprintf(names, sizeof(names), "%s", key);
	ret->n = 0;
	while ((name = strsep(&rest, "+")) != NULL) {
		BFLDID id = Bfldid(name);

		if (!is_fit(id) || ret->n == OW_CACHE_KEY_FIELDS) {
			ret->n = -1;
			return;
		}
		ret->id[ret->n++] = id;
	}
}

int ow_cache_bytes_add(struct ow_cache_bytes *b, const void *from, size_t len)
{
	size_t size = b->room.size > 0 ? b->room.size : 256;
	void *bytes;

	if (len > OW_CACHE_KEY_MAX - b->len)
		return OW_CACHE_BUSY;
	while (size < b->len + len)
		size *= 2;
	if (size > b->room.size) {
		bytes = realloc(b->room.bytes, size);
		if (bytes == NULL)
			return -ENOMEM;
		b->room = (struct ow_cache_memory){ bytes, size };
	}
	if (len > 0)
		memcpy((char *)b->room.bytes + b->len, from, len);
	b->len += len;
	return 0;
}

static int add_value(struct ow_cache_bytes *b, BFLDID id, const void *value,
		     BFLDLEN len)
{
	int32_t head[2] = { (int32_t)id, (int32_t)len };
	int r = ow_cache_bytes_add(b, head, sizeof(head));

	return r == 0 ? ow_cache_bytes_add(b, value, (size_t)len) : r;
}

int ow_cache_bytes_fields(struct ow_cache_bytes *b,
			  const struct ow_cache_fields *f, UBFH *data)
{
	const char *value;
	BFLDOCC occ;
	BFLDLEN len;
	int i, r = 0;

	for (i = 0; i < f->n; i++)
		for (occ = 0; r == 0 && Bpres(data, f->id[i], occ); occ++) {
			len = 0;
			value = Bfind(data, f->id[i], occ, &len);
			r = value == NULL ? OW_CACHE_BUSY
					  : add_value(b, f->id[i], value, len);
		}
	return r;
}
