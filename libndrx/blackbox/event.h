/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.h - an event of ndrxd in a record of the black box
 *
 * Behind the difference of a record are the events since the record before it.
 * Secrets in their texts are starred before they are written.
 */
#ifndef OW_BB_EVENT_H
#define OW_BB_EVENT_H

#include "libatmi/domain/events.h"
#include "libndrx/blackbox/difference.h"

void ow_bb_put_event(struct ow_bb_bytes *b, const struct ow_event *e);
/* False: no more, or r->failed. */
bool ow_bb_get_event(struct ow_bb_rest *r, struct ow_event *ret);

#endif
