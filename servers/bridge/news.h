/* SPDX-License-Identifier: Apache-2.0 */
/*
 * news.h - what is offered is told to other bridges, in one message or in parts
 */
#ifndef OW_BRIDGE_NEWS_H
#define OW_BRIDGE_NEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "servers/bridge/frame.h"
#include "servers/bridge/names.h"

struct ow_br_gathering;
struct ow_bridge;
struct ow_br_peer;

/* News of what came and went; `minus` NULL: all offers. malloc'ed, with the
 * length; NULL: no memory. */
struct ow_br_news *ow_br_news_make(uint64_t gen, const struct ow_br_names *plus,
				   const struct ow_br_names *minus,
				   size_t *ret_len);
/* Tell them to `p` or (NULL) all. `n` may be NULL. No lock. */
void ow_br_news_tell(struct ow_bridge *b, const struct ow_br_peer *p,
		     const struct ow_br_news *n, size_t len);
/* A frame NEWS, or NEWS_PART, from `p`. No lock. */
void ow_br_news_take(struct ow_bridge *b, struct ow_br_peer *p,
		     const struct ow_br_frame *f, const char *payload);
void ow_br_news_take_part(struct ow_bridge *b, struct ow_br_peer *p,
			  const struct ow_br_frame *f, const char *payload);
/* Have parts of generation `gen` come since this was asked last? Lock held. */
bool ow_br_gathering_goes_on(struct ow_br_peer *p, uint64_t gen);
void ow_br_gathering_drop(struct ow_br_gathering *g);

#endif
