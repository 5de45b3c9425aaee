/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - ordered sets of service names, and what changes between two
 */
#ifndef OW_BRIDGE_NAMES_H
#define OW_BRIDGE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "servers/bridge/wire/frame.h"

struct ow_br_names {
	char (*name)[OW_BR_NAME]; /* ascending, each once */
	uint32_t n, allocated;
};

/* An advertisement that comes in parts (directory/advertisement.h). */
struct ow_br_gathering {
	struct ow_br_advert head;
	struct ow_br_names names; /* as they came, not in order */
	bool grows;		  /* since the last heartbeat */
};

void ow_br_names_free(struct ow_br_names *s);
void ow_br_names_clear(struct ow_br_names *s);
/* Have room for `n` names and no more, where it can be had. Not less than there
 * are. */
void ow_br_names_fit(struct ow_br_names *s, uint32_t n);
/* Add at the end, in any order; ow_br_names_order() follows. -ENOMEM. */
int ow_br_names_add(struct ow_br_names *s, const char *name);
void ow_br_names_order(struct ow_br_names *s);
bool ow_br_names_has(const struct ow_br_names *s, const char *name);
/* Its place in the set; -1: it is not in it. */
long ow_br_names_find(const struct ow_br_names *s, const char *name);
bool ow_br_names_same(const struct ow_br_names *a,
		      const struct ow_br_names *b);
/* The names of `a` that are not in `b`, added to `to`: in order. */
int ow_br_names_minus(const struct ow_br_names *a, const struct ow_br_names *b,
		      struct ow_br_names *to);
/* All names of `n` sets, which are in order. -ENOMEM. */
int ow_br_names_union(const struct ow_br_names *const *sets, uint32_t n,
		      struct ow_br_names *to);
/* Words of `text`, separated by commas or blanks, in order; NULL: none. */
int ow_br_names_parse(const char *text, struct ow_br_names *to);
/* Apply an advertisement to `s`: `n` and the names behind it as they came.
 * -ENOMEM. */
int ow_br_names_apply(struct ow_br_names *s, const struct ow_br_advert *n,
		      const char *names);

#endif
