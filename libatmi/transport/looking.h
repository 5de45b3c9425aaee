/* SPDX-License-Identifier: Apache-2.0 */
/*
 * looking.h - look for a message before sleeping, as far as the domain allows
 *
 * waking/look.h says how long a process looks. Here is what all processes of
 * the domain share, in the head of the tables:
 *
 *	seats	Half of the CPUs are for servers that look, half for callers.
 *		A seat is the time until which it is taken. A process keeps it
 *		for look_seat_ns without writing to it again.
 *	paid	The time until which looks are paid for (<spin>). A look in
 *		vain moves it by five times its length if <spin> is 20. While
 *		it is more than look_credit_ns ahead, no process looks.
 *
 * Both are times: what a killed process leaves ends by itself. Two processes
 * that write at once lose one of the writes: a seat too many for a
 * millisecond, a look that is not charged.
 *
 * A struct ow_looker belongs to one thread.
 */
#ifndef OW_LOOKING_H
#define OW_LOOKING_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/domain/tables.h"
#include "libatmi/waking/look.h"

struct ow_domain;

struct ow_looker {
	struct ow_look learned;
	struct ow_domain *dom;
	enum ow_look_kind kind;
	enum ow_look_step step;	 /* of this wait */
	uint32_t seat;
	uint64_t seat_ns;	 /* it is ours until then; 0: none */
	uint64_t from_ns;	 /* when this wait began */
	uint64_t looks, hits, ns; /* not yet added to the domain's */
};

void ow_looker_init(struct ow_looker *l, struct ow_domain *d,
		    enum ow_look_kind kind);
/* A wait begins. True: ow_looker_look() comes next. */
bool ow_looker_begin(struct ow_looker *l);
/* Look until seen(arg) is true, or the limit is reached, or another process
 * wants the CPU. True: seen. */
bool ow_looker_look(struct ow_looker *l, bool (*seen)(void *arg), void *arg);
/* The wait is over; it ended in a sleep. */
void ow_looker_end(struct ow_looker *l);

#endif
