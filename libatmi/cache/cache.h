/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - replies of services that are kept, and given again
 *
 * `cache` of a <service>: the caller itself keeps a successful reply of
 * tpcall(), and the next caller with the same key gets it without a message.
 * doc/design/cache.md has the reasons. Here: which services are cached
 * (rows.c), and what is kept (store.c), both in one sparse segment,
 * `<shm>/<prefix>,shm/cache`, which ndrxd makes when a configuration has the
 * first such service. call/cached.h puts them into the path of a call.
 *
 * Who writes what
 *	Settings of a row: ndrxd alone. `seq` is odd meanwhile, and such a row
 *	is not used. A row keeps its name as long as the domain lives.
 *	`epoch` of a row: whoever drops what is kept of the service, by one
 *	addition. An entry has the epoch that was read before its request was
 *	sent, so a reply that was under way during a drop is never given.
 *	A shard of the store: the process in `owner`, which one compare-and-swap
 *	sets. Readers take no lock: see store.c.
 */
#ifndef OW_CACHE_H
#define OW_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_domain;

#define OW_CACHE_FIELDS	 256u /* `key`: names of fields, with the NUL */
#define OW_CACHE_EVENT	 48u  /* `drop`: name of an event, with the NUL */
#define OW_CACHE_KEY_MAX 65536u	 /* bytes of a key */
#define OW_CACHE_MAX	 (1u << 20) /* bytes of key and reply together */

/* What the configuration says about a service. */
struct ow_cache_settings {
	uint64_t ttl_ns; /* how long a reply is given; 0: no cache */
	char key[OW_CACHE_FIELDS]; /* FIELD+FIELD...; "": the whole request */
	char drop[OW_CACHE_EVENT]; /* the event that drops all; "": none */
};

struct ow_cache_service {
	const char *name;
	struct ow_cache_settings settings;
};

/* Of one service, since the domain was made. */
struct ow_cache_figures {
	uint64_t hits, misses;
	uint64_t kept;	/* replies */
	uint64_t unfit; /* requests that have no key, replies too large */
	uint64_t drops;
};

/* What an entry is found by. */
struct ow_cache_key {
	uint32_t row; /* of the service */
	uint64_t epoch;
	uint64_t hash; /* ow_cache_hash() of the bytes */
	const void *bytes;
	size_t len;
};

/* A reply as it travels (wire/msg.h). */
struct ow_cache_reply {
	uint8_t buftype, sub_len;
	int64_t urcode;
	const void *payload; /* with the subtype */
	size_t len;
};

/* Memory of a reader, which grows; all 0 at first, freed with free(). */
struct ow_cache_memory {
	void *bytes;
	size_t size;
};

enum ow_cache_result {
	OW_CACHE_ABSENT = 1, /* no service of the domain was ever cached; there
				is no such row; nothing is kept for the key */
	OW_CACHE_BUSY,	     /* the reply is not kept: another process writes,
				or it is too large, or there is no memory */
};

/* Read "ttl=TIME [key=FIELD+FIELD...] [drop=EVENT]": 0, or -EINVAL with what is
 * wrong. "none" is a ttl of 0. */
int ow_cache_parse(const char *text, struct ow_cache_settings *ret, char *why,
		   size_t size);

/* ---- rows (rows.c) ---- */

/* Have the segment mapped; `create`: make it if there is none. 0, ABSENT,
 * -errno. */
int ow_cache_need(struct ow_domain *d, bool create);
/* Unmap it, when the domain is left. */
void ow_cache_unmap(struct ow_domain *d);
/* ndrxd: the services of the configuration, and no others, are cached. What is
 * kept of a service whose settings change is dropped. 0; -ENOSPC: more services
 * than rows, or no shared memory; -errno. */
int ow_cache_publish(struct ow_domain *d, const struct ow_cache_service *all,
		     size_t n);
/* The row of a service: 0, ABSENT. The segment is mapped. */
int ow_cache_find(const struct ow_domain *d, const char *service,
		  uint32_t *ret_row);
/* Is `seq` still the number of the row's settings? Then *ret_epoch belongs to
 * them. */
bool ow_cache_current(struct ow_domain *d, uint32_t row, uint32_t seq,
		      uint64_t *ret_epoch);
/* The settings of a row and their number: 0; ABSENT: they change now, or a
 * writer of them was killed. */
int ow_cache_read(struct ow_domain *d, uint32_t row,
		  struct ow_cache_settings *ret, uint32_t *ret_seq);

enum ow_cache_count { OW_CACHE_HIT, OW_CACHE_MISS, OW_CACHE_KEPT,
		      OW_CACHE_UNFIT, OW_CACHE_DROP, OW_CACHE_COUNTS };
void ow_cache_count(struct ow_domain *d, uint32_t row,
		    enum ow_cache_count what);
/* The next row in use at or behind *row, with its name, settings (ttl_ns 0: not
 * cached now) and figures: false: no more. For listings. */
bool ow_cache_next(struct ow_domain *d, uint32_t *row, char name[32],
		   struct ow_cache_settings *settings,
		   struct ow_cache_figures *figures);
/* The figures of a service; false: it was never cached, or the segment is not
 * mapped. */
bool ow_cache_figures(const struct ow_domain *d, const char *service,
		      struct ow_cache_figures *ret);

/* Drop what is kept of a service, NULL: of all. How many services were
 * cached. */
uint32_t ow_cache_drop(struct ow_domain *d, const char *service);
/* An event was posted: drop what is kept of the services that name it. */
void ow_cache_event(struct ow_domain *d, const char *event);

/* ---- entries (store.c) ---- */

uint64_t ow_cache_hash(uint32_t row, const void *bytes, size_t len);
/* What is kept for the key and is not older than now_ns allows: 0, and *ret
 * points into `room`; ABSENT; -ENOMEM. */
int ow_cache_look(struct ow_domain *d, const struct ow_cache_key *key,
		  uint64_t now_ns, struct ow_cache_memory *room,
		  struct ow_cache_reply *ret);
/* Keep a reply until expires_ns: 0, BUSY. Never waits. */
int ow_cache_put(struct ow_domain *d, const struct ow_cache_key *key,
		  uint64_t expires_ns, const struct ow_cache_reply *reply);
/* Bytes of shared memory that are reserved for entries. */
uint64_t ow_cache_bytes(struct ow_domain *d);

#endif
