/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - the segment of the cache, seen from inside
 */
#ifndef OW_CACHE_LAYOUT_H
#define OW_CACHE_LAYOUT_H

#include <stdatomic.h>

#include "libatmi/base/proc.h"
#include "libatmi/cache/cache.h"
#include "libatmi/domain/sparse.h"

#define CACHE_MAGIC UINT64_C(0x31454843414357f0)
#define CACHE_ROWS  1024u /* services, as long as the domain lives */

/* A service that is, or was, cached. */
struct cache_row {
	char name[32]; /* complete when `used` is 1; never changes then */
	_Atomic uint32_t used;
	_Atomic uint32_t seq; /* odd: ndrxd writes `settings` */
	struct ow_cache_settings settings;
	_Alignas(64) _Atomic uint64_t epoch;
	_Atomic uint64_t count[OW_CACHE_COUNTS];
};

#define CACHE_SHARDS 16u
#define CACHE_WAYS   4u	   /* slots of a set */
#define CACHE_SLOTS  8192u /* of a shard */
#define CACHE_RING   (4u << 20) /* bytes of a shard, at most */
#define CACHE_GROW   (256u << 10) /* they are reserved in steps */
#define CACHE_UNIT   64u	  /* entries begin at multiples */

/* The words of a shard; store.c says who writes which when. Positions count
 * bytes and never go back: position p lies at p modulo `ring`. */
struct cache_shard {
	_Alignas(64) _Atomic ow_proc_id owner; /* who writes; 0: nobody */
	_Atomic uint64_t ring; /* bytes reserved; 0: the piece has no memory */
	_Atomic uint64_t tail; /* entries before it are gone */
	_Atomic uint64_t head; /* where the next entry begins */
};

struct cache_head {
	struct ow_sparse_head segment;
	/* Bit n: a service drops at an event whose hash is n modulo 64. A post
	 * looks at the rows only if its bit is set. By ndrxd. */
	_Atomic uint64_t events;
	struct cache_shard shard[CACHE_SHARDS];
	struct cache_row row[CACHE_ROWS];
};

/* What a piece begins with: 1 + the position of an entry in units, above 16
 * bits of its hash; 0: empty. */
struct cache_slots {
	_Atomic uint64_t slot[CACHE_SLOTS];
};

/* An entry; key and payload follow, each from a multiple of 16 on. */
struct cache_entry {
	uint32_t size; /* bytes, a multiple of CACHE_UNIT */
	uint32_t slot; /* that names it; CACHE_SLOTS: none */
	uint64_t hash, expires_ns, epoch;
	int64_t urcode;
	uint32_t row, key_len, len;
	uint8_t buftype, sub_len, pad[6];
};
_Static_assert(sizeof(struct cache_entry) <= CACHE_UNIT,
	       "what is left at the end of a ring has room for a head");

#define CACHE_HEAD_SIZE ((sizeof(struct cache_head) + 4095) & ~UINT64_C(4095))
#define CACHE_PIECE	(sizeof(struct cache_slots) + CACHE_RING)

/* The mapping of a process. */
struct ow_cache {
	struct ow_sparse_map map;
};

/* NULL: it is not mapped. rows.c */
struct ow_cache *cache_of(const struct ow_domain *d);
static inline struct cache_head *cache_head(const struct ow_cache *c)
{
	return c->map.head;
}

#endif
