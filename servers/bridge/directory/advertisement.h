/* SPDX-License-Identifier: Apache-2.0 */
/*
 * advertisement.h - what is offered is told to other bridges
 */
#ifndef OW_BRIDGE_ADVERTISEMENT_H
#define OW_BRIDGE_ADVERTISEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "servers/bridge/directory/directory.h"

/* An advertisement of what came and went; `minus` NULL: all offers. malloc'ed,
 * with the length; NULL: no memory. */
struct ow_br_advert *ow_br_advert_make(uint64_t gen,
				       const struct ow_br_names *plus,
				       const struct ow_br_names *minus,
				       size_t *ret_len);
/* Tell it to `p` or (NULL) all. `n` may be NULL. No lock. */
void ow_br_advert_tell(struct ow_br_directory *d, const struct ow_br_peer *p,
		     const struct ow_br_advert *n, size_t len);
/* A frame ADVERT, or ADVERT_PART, from `p`. No lock. */
void ow_br_advert_take(struct ow_br_directory *d, struct ow_br_peer *p,
		     const struct ow_br_frame *f, const char *payload);
void ow_br_advert_take_part(struct ow_br_directory *d, struct ow_br_peer *p,
			  const struct ow_br_frame *f, const char *payload);
/* A heartbeat from `p`: if what is known of its offers is older, it is asked for
 * all. No lock. */
void ow_br_advert_heard(struct ow_br_directory *d, struct ow_br_peer *p,
			const struct ow_br_heartbeat *heartbeat);
/* Forget what it has said. Lock held. */
void ow_br_advert_forget(struct ow_br_directory *d, struct ow_br_peer *p);
void ow_br_gathering_drop(struct ow_br_gathering *g);

#endif
