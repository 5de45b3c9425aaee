/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interest.c - which events a set of subscriptions may want, in 2 KB
 */
#include "libatmi/subs/interest.h"

#include <string.h>

#include "libubf/regex/regex.h"

/* A word that another process may be changing. */
#define LOAD(p) __atomic_load_n((p), __ATOMIC_RELAXED)

#define BITS   (OW_INTEREST_WORDS * 64u)
#define HASHES 3u
#define HASH   2166136261u /* of no character (FNV) */

static uint32_t add_char(uint32_t hash, char c)
{
	return (hash ^ (uint8_t)c) * 16777619u;
}

/* Of a word that is compared as `how` says: three bits of two hashes. */
static uint32_t bit_of(uint32_t hash, int how, uint32_t n)
{
	uint32_t a = (hash ^ (uint32_t)how * 0x9e3779b9u) * 0x85ebca6bu;
	uint32_t z = (a ^ a >> 15) * 0xc2b2ae35u | 1u;

	return (a + n * z) >> 7 & (BITS - 1);
}

static bool has_word(const struct ow_interest *i, uint32_t hash, int how)
{
	uint32_t n, bit;

	for (n = 0; n < HASHES; n++) {
		bit = bit_of(hash, how, n);
		if ((LOAD(&i->bits[bit / 64]) >> bit % 64 & 1) == 0)
			return false;
	}
	return true;
}

void ow_interest_add(struct ow_interest *i, int how, const char *word,
		     uint32_t len)
{
	uint32_t hash = HASH, n, bit;

	for (n = 0; n < len; n++)
		hash = add_char(hash, word[n]);
	for (n = 0; n < HASHES; n++) {
		bit = bit_of(hash, how, n);
		i->bits[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	i->lengths |= UINT64_C(1) << len;
}

void ow_interest_merge(struct ow_interest *to, const struct ow_interest *i)
{
	uint32_t n;

	to->lengths |= i->lengths;
	to->all |= i->all;
	for (n = 0; n < OW_INTEREST_WORDS; n++)
		to->bits[n] |= i->bits[n];
}

/* The part of `n` characters at `at`, of `len`: may a word match there? */
static bool has_part(const struct ow_interest *i, uint32_t hash, uint32_t at,
		     uint32_t n, uint32_t len)
{
	bool first = at == 0, last = at + n == len;

	return has_word(i, hash, OW_REGEX_CONTAINS) ||
	       (first && has_word(i, hash, OW_REGEX_PREFIX)) ||
	       (last && has_word(i, hash, OW_REGEX_SUFFIX)) ||
	       (first && last && has_word(i, hash, OW_REGEX_EQUAL));
}

bool ow_interest_has(const struct ow_interest *i, const char *event)
{
	uint64_t lengths = LOAD(&i->lengths);
	uint32_t len = (uint32_t)strlen(event), at, n, hash;

	if (LOAD(&i->all) != 0)
		return true;
	if (lengths == 0)
		return false;
	for (at = 0; at < len; at++) {
		hash = HASH;
		for (n = 1; n < 64 && at + n <= len; n++) {
			hash = add_char(hash, event[at + n - 1]);
			if ((lengths >> n & 1) != 0 &&
			    has_part(i, hash, at, n, len))
				return true;
		}
	}
	return false;
}

bool ow_interest_is_empty(const struct ow_interest *i)
{
	return i->lengths == 0 && i->all == 0;
}
