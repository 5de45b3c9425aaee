/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.h - who may hash a password next
 *
 * One hash at a time: each takes 64 MiB and a CPU. Users who have lately given
 * a wrong password wait for all who have not, so guessers delay each other,
 * and an honest login waits for one hash at most beside those of other honest
 * ones. A user is known by number, as the kernel told it at connect(). Threads
 * of the gate.
 */
#ifndef OW_TURNS_H
#define OW_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#define OW_TURNS_SUSPECT_S 60u /* after a wrong password */

/* Wait for the turn; end it. */
void ow_turns_take(uint32_t uid);
void ow_turns_end(void);
/* This user has given a wrong password. */
void ow_turns_suspect(uint32_t uid);
bool ow_turns_is_suspect(uint32_t uid);

#endif
