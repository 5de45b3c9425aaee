/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.h - write what onlookers see of this tmqueue (libatmi/durable/shown.h)
 *
 * By the engine's thread, at most ten times a second. Without shared memory for
 * it nothing is shown, and the queues go on.
 */
#ifndef OW_TMQUEUE_SHOWN_H
#define OW_TMQUEUE_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

struct shown;
struct space;

/* NULL: it cannot be shown. */
struct shown *shown_open(const struct space *sp, uint32_t srvid);
struct shown *shown_close(struct shown *s);

/* The engine has been at work, and has perhaps changed something. */
void shown_worked(struct shown *s, bool changed);
/* Show the queues, if something has changed and it is time. No transaction of
 * the store is open. */
void shown_look(struct shown *s, struct space *sp, uint64_t now);
/* When shown_look() has something to do; 0: never. */
uint64_t shown_next(const struct shown *s);

#endif
