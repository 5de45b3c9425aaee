/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begin.h - how a transaction begins: its number, and the first branch
 *
 * A number is given when it is asked for (tpbegin()), or ahead, with the answer
 * to the end of the transaction before it. In the second case the transaction is
 * in the table from then on, so that nobody presumes it rolled back, and is
 * `reserved` until somebody names it: that tells the tmsrv that it has begun.
 * Onlookers do not see it before. One that is never named ends at its deadline,
 * which lies OW_TM_RESERVE_NS later than that of one begun at once.
 */
#ifndef OW_TMSRV_BEGIN_H
#define OW_TMSRV_BEGIN_H

#include <stdint.h>

#include "servers/tmsrv/log.h"
#include "servers/tmsrv/table.h"
#include "libatmi/tran/tm.h"

/* Numbers of `log`, for the tmsrv `srvid` of resource manager `rmid`;
 * `timeout_ms` is the time-out of transactions that are begun without one. */
void begin_setup(struct tmlog *log, uint32_t rmid, uint32_t srvid,
		 uint64_t timeout_ms);
/* The number of a new transaction; 0: there is none. */
uint64_t begin_number(void);
/* Is it a number of this tmsrv, of whatever log? */
bool begin_is_own(uint64_t tran);
/* BEGIN of the client `who`; *m becomes the answer. */
void begin_now(const char *who, struct ow_tm *m);
/* The end of a transaction is answered: if OW_TM_RESERVE asks for it, and the
 * next one had better begin here, *m brings it. `usual`: resource manager of
 * most branches of the one that ends, 0: none. */
void begin_reserve(const char *who, uint32_t usual, struct ow_tm *m);
/* A number that was given ahead is not wanted: m->tran. */
void begin_unused(const struct ow_tm *m);
/* Does `m` mean a transaction of another log? Numbers are given once by a log: of
 * a former one, or one of a twin, the number may be given again. */
bool begin_is_of_another_log(const struct ow_tm *m);
/* The branch that `m` asks for; NULL: no memory. Lock held, `t` active. */
struct branch *begin_branch(struct tran *t, struct ow_tm *m);
/* Somebody names transaction `id`: it has begun. NULL: it is not known. Lock
 * held. */
struct tran *begin_find(uint64_t id);
/* `t` has begun, as its branch shows. */
void begin_shown(struct tran *t);

#endif
