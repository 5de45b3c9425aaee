/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interest.h - which events a set of subscriptions may want, in 2 KB
 *
 * What one node tells others of its subscriptions, so that posts that nobody
 * wants do not travel: a Bloom filter of the words (regex.h) of its patterns.
 * Each word sets three bits, which depend on how it is compared, too. Patterns
 * that are no words are one mark: any event may match. So the size does not
 * depend on the number of subscriptions, a false yes costs a message, and there
 * is no false no. Beyond some 500 words most events pass.
 */
#ifndef OW_SUBS_INTEREST_H
#define OW_SUBS_INTEREST_H

#include <stdbool.h>
#include <stdint.h>

#define OW_INTEREST_WORDS 256u

struct ow_interest {
	uint64_t lengths; /* bit n: a word has n characters */
	uint64_t all;	  /* 1: any event may match */
	uint64_t bits[OW_INTEREST_WORDS];
};

/* Add a word of `len` characters, at most 63, compared as `how` says (enum
 * ow_regex_how). */
void ow_interest_add(struct ow_interest *i, int how, const char *word,
		     uint32_t len);
void ow_interest_merge(struct ow_interest *to, const struct ow_interest *i);
/* May the event be wanted? */
bool ow_interest_has(const struct ow_interest *i, const char *event);
bool ow_interest_is_empty(const struct ow_interest *i);

#endif
