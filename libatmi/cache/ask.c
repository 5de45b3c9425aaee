/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - what a context knows of a cached service, and the call in hand
 */
#include "libatmi/cache/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_KEPT 65536 /* larger memory is given back after its use */

struct ow_cache_ask *ow_cache_ask_free(struct ow_cache_ask *k)
{
	if (k != NULL) {
		free(k->bytes.room.bytes);
		free(k->room.bytes);
	}
	free(k);
	return NULL;
}

static void shrink(struct ow_cache_memory *room)
{
	if (room->size <= MEMORY_KEPT)
		return;
	free(room->bytes);
	*room = (struct ow_cache_memory){ .size = 0 };
}

void ow_cache_ask_end(struct ow_cache_ask *k)
{
	shrink(&k->bytes.room);
	shrink(&k->room);
}

/* Read the settings of the row. */
static int read_settings(struct ow_domain *d, struct ow_cache_ask *k)
{
	int r = ow_cache_read(d, k->row, &k->settings, &k->seq);

	if (r != 0 ||
	    !ow_cache_current(d, k->row, k->seq, &k->key.epoch))
		return OW_CACHE_ABSENT;
	if (k->settings.key[0] != '\0')
		ow_cache_fields_find(k->settings.key, &k->fields);
	return 0;
}

int ow_cache_ask_learn(struct ow_domain *d, struct ow_cache_ask *k,
		       const char *service)
{
	int r = 0;

	if (strcmp(k->service, service) != 0) {
		k->service[0] = '\0';
		k->seq = 1; /* no settings have an odd number */
		r = ow_cache_find(d, service, &k->row);
	}
	if (r == 0 && !ow_cache_current(d, k->row, k->seq, &k->key.epoch))
		r = read_settings(d, k);
	if (r != 0)
		return OW_CACHE_ABSENT;
	snprintf(k->service, sizeof(k->service), "%s", service);
	return k->settings.ttl_ns != 0 ? 0 : OW_CACHE_ABSENT;
}

void ow_cache_ask_key(struct ow_cache_ask *k)
{
	k->key.row = k->row;
	k->key.bytes = k->bytes.room.bytes;
	k->key.len = k->bytes.len;
	k->key.hash = ow_cache_hash(k->row, k->key.bytes, k->key.len);
}

struct ow_cache_wish *ow_cache_wish_new(const struct ow_cache_ask *k,
					uint64_t begin_ns)
{
	struct ow_cache_wish *w = malloc(sizeof(*w) + k->key.len);

	if (w == NULL)
		return NULL;
	w->key = k->key;
	w->key.bytes = w + 1;
	w->expires_ns = begin_ns + k->settings.ttl_ns;
	if (k->key.len > 0)
		memcpy(w + 1, k->key.bytes, k->key.len);
	return w;
}

struct ow_cache_wish *ow_cache_wish_free(struct ow_cache_wish *w)
{
	free(w);
	return NULL;
}
