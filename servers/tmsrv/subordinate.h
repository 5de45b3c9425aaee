/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subordinate.h - transactions whose superior is at another node
 *
 * A subordinate is a transaction as any other, but for its end: the superior
 * asks for its vote, and says how it ends. When it hears nothing it asks.
 * doc/design/transactions.md, "Other nodes".
 */
#ifndef OW_TMSRV_SUBORDINATE_H
#define OW_TMSRV_SUBORDINATE_H

#include <stdbool.h>
#include <stdint.h>
#include <xatmi.h>

#include "servers/tmsrv/log.h"
#include "servers/tmsrv/table.h"

void subordinate_begin(struct tmlog *log);

/* ---- on the main thread ---- */

/* OW_TM_ADOPT: begin one, with number `id`. */
void subordinate_adopt(uint64_t id, struct ow_tm_remote *f);
/* What its superior asks: the caller is answered, by a job or with f->m, when
 * this returns false. */
bool subordinate_serve(struct ow_tm_remote *f);
/* An operator decides instead of the superior. True: its end has begun; false:
 * it is not prepared, or the log takes nothing. */
bool subordinate_by_hand(uint64_t id, bool commit);

/* ---- by the watch, lock held ---- */

/* Ask its superior if it is time to. True: nothing else is to be done. */
bool subordinate_look(struct tran *t, uint64_t now);

#endif
