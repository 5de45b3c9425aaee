/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - commands of applications as xadmin offers them
 *
 * A plugin registers them by ndrx_lcf_xadmin_add() when xadmin loads it; what
 * a command must look like is decided here, too.
 */
#ifndef OW_LCF_WORDS_H
#define OW_LCF_WORDS_H

#include <lcf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many slots are used: NDRX_LCFMAX. */
uint32_t ow_lcf_max(void);
/* The command that xadmin offers by this name: false, there is none. */
bool ow_lcf_xadmin_find(const char *word, ndrx_lcf_reg_xadmin_t *ret);
/* Number `i` of them: false, no more. */
bool ow_lcf_xadmin_at(uint32_t i, ndrx_lcf_reg_xadmin_t *ret);
/* What is wrong with a command, in words; NULL: nothing. */
const char *ow_lcf_wrong(const ndrx_lcf_command_t *cmd);

/* Are version, code and name those of a command? 0, or -1 with tperrno. */
int ow_lcf_check(int version, int command, const char *name, size_t size);

#endif
