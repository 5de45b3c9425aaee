/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - senders that wait at a full queue go in the order of their coming
 *
 * Without order, a caller that has just got its reply takes the place of one
 * that has slept for seconds. So a sender that waits takes a *number*, one
 * higher than the last (`last` of the head), and keeps it until it has sent or
 * gives up; either adds one to `gone`. Those who came before it and still wait
 * are `number - gone`, and it may send when the queue has room for more than
 * these. A sender without a number stands behind all.
 *
 * Nobody pays for that while the queue is not full: count_sent() comes here
 * only at `limit_at`, and as long as somebody waits, each sender that has
 * found room leaves `limit_at` right behind itself, so that the next one comes
 * here, too.
 *
 * Numbers are counts, not names: if the second of the line sends before the
 * first, `gone` grows and the first one's turn stays. A sender that gives up
 * lets those behind it move up, and those before it, too, by one.
 *
 * What a crash leaves. A sender that is killed, or stopped, while it has a
 * number never adds to `gone`: a *ghost*, who seems to wait for ever. Those
 * behind it need room for one more than they should, so they still pass as soon
 * as a second place is free. And a sender that sees room, and a line that has
 * not moved for GHOST_NS, adds to `gone` in its place: one at first, then twice
 * as many each time.
 *
 * Who is taken for a ghost may be alive, on a busy machine, and then leaves in
 * its turn. If it added to `gone` again the line would seem one shorter than it
 * is, for as long as somebody waits: a newcomer would go before one who waits,
 * and with each such ghost one more; where 150 callers never let the queue rest
 * one of them waited for 6 of 10 seconds. So who passes notes how many it has
 * passed (`passed`), and up to which number (`passed_to`); one with a lower
 * number that leaves takes one off `passed`, if there is one, and adds nothing.
 * It may be the credit of another, dead one, which is then passed again; and
 * who dies between these words leaves a ghost, or the line one shorter. `gone`
 * is never more than `last`, which the next one who takes a number sees to. All
 * words are hints: whatever they say, a sender that sees room goes on after a
 * while.
 */
#ifndef OW_SHMQ_LINE_H
#define OW_SHMQ_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct ow_shmq;

/* A sender's place in the line of one queue. Of one thread. */
struct ow_place {
	bool taken;
	uint32_t number;
	uint32_t seen;	  /* `gone`, when this sender looked last */
	uint32_t skip;	  /* how many ghosts to pass next */
	uint64_t seen_ns; /* since then so, with room; 0: there was none */
};

/* Take a place, unless it is taken. */
void ow_line_join(struct ow_shmq *q, struct ow_place *p);
/* Leave: the message is sent, or it will not be. Without a place: nothing. */
void ow_line_leave(struct ow_shmq *q, struct ow_place *p);
/* Is it the turn of this sender (NULL: one without a place), if the queue has
 * this much room? *ret_others: do others wait? */
bool ow_line_is_turn(const struct ow_shmq *q, const struct ow_place *p,
		     uint32_t room, bool *ret_others);
/* Called again and again by a sender with a place, while the queue has room and
 * it is not its turn. Pass ghosts, if there are any. */
void ow_line_pass_ghosts(struct ow_shmq *q, struct ow_place *p, uint64_t now);
/* Until when to sleep at most: those in front look often for ghosts. */
uint64_t ow_line_next_look(const struct ow_shmq *q, const struct ow_place *p,
			   uint64_t now, uint64_t until);

#endif
