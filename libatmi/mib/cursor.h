/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.h - what a GET has found and not yet returned
 */
#ifndef OW_MIB_CURSOR_H
#define OW_MIB_CURSOR_H

#include <stdint.h>

#include "libatmi/mib/object.h"

/* Places of objects, in order; `from` is the next one to return. */
struct ow_mib_found {
	const struct ow_mib_class *class;
	uint32_t shown; /* bit: the reply has this field */
	uint64_t *at;
	uint32_t n, room, from;
};

/* Add a place: 0, -ENOMEM. */
int ow_mib_found_add(struct ow_mib_found *f, uint64_t at);
void ow_mib_found_clear(struct ow_mib_found *f);

struct ow_mib_cursors;

/* NULL: no memory. */
struct ow_mib_cursors *ow_mib_cursors_new(uint32_t max, uint32_t hold_s);
struct ow_mib_cursors *ow_mib_cursors_free(struct ow_mib_cursors *c);

/* Keep `f`, whose list goes to the cursor; the number of the cursor. */
uint32_t ow_mib_cursor_keep(struct ow_mib_cursors *c, struct ow_mib_found *f);
/* Keep it again under the number that it had. */
void ow_mib_cursor_return(struct ow_mib_cursors *c, uint32_t number,
			  struct ow_mib_found *f);
/* Take what cursor `number` has; false: there is none. The caller clears it, or
 * keeps it. */
bool ow_mib_cursor_take(struct ow_mib_cursors *c, uint32_t number,
			struct ow_mib_found *ret);
/* Forget those that were not used for too long. */
void ow_mib_cursors_tidy(struct ow_mib_cursors *c);

#endif
