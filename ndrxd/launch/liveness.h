/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liveness.h - which of the domain's processes live, at a bounded cost
 *
 * Once a second ndrxd looks at the slots of all processes of the domain, most
 * of which are neither its children nor known to it. A read of /proc costs 20
 * microseconds, so ten thousand clients would cost a fifth of a CPU, in one
 * piece and at real-time priority. So each process is looked up once, when it
 * is first seen, and is watched by a pidfd from then on.
 *
 * The bound: in one tick at most OW_LIVENESS_PER_TICK processes are looked up
 * in /proc, and at most as many deaths are taken. A process whose turn has not
 * come counts as alive until a later tick. Where there is no descriptor for a
 * pidfd, the process is looked up again and again, in turn with the others.
 *
 * Who was found dead stays dead. One thread.
 */
#ifndef OW_LIVENESS_H
#define OW_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/proc.h"

#define OW_LIVENESS_PER_TICK 512u

struct ow_liveness;

/* 0 or -errno. */
int ow_liveness_open(struct ow_liveness **ret);
/* NULL: nothing to do. Returns NULL. */
struct ow_liveness *ow_liveness_close(struct ow_liveness *l);

/* A tick begins; up to `files` pidfds may be held from now on. */
void ow_liveness_tick(struct ow_liveness *l, uint32_t files);
/* Does the process live? False only if it is dead (ow_lives_fn). */
bool ow_liveness_ask(void *liveness, ow_proc_id id);
/* Processes that have no pidfd. */
uint32_t ow_liveness_unwatched(const struct ow_liveness *l);

#endif
