/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.h - find the switch of the resource manager
 *
 * The first of: the switch that the program was built with; what
 * ndrx_get_xa_switch() of the library NDRX_XA_DRIVERLIB returns; for drivers of
 * vendors, a symbol of NDRX_XA_RMLIB.
 */
#ifndef OW_XA_DRIVER_H
#define OW_XA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <xa.h>

#include "libatmi/xa/last.h"

/* The program was built with this switch: before the first look. */
void ow_xa_provide(struct xa_switch_t *sw);
/* The switch of this process; NULL: none, and `why` says so ("": none is
 * configured). */
struct xa_switch_t *ow_xa_switch(char *why, size_t size);

/* Why there is none; "": none is configured. Valid for ever. */
const char *ow_xa_problem(void);
/* Does xa_end() prepare the branch (its library has ndrx_xa_end_prepares())? */
bool ow_xa_end_prepares(void);
/* What it offers if its branch may be the last resource; NULL: it may not. */
const struct ow_xa_last *ow_xa_last(void);
/* An entry has returned XAER_RMFAIL to this thread: can it have sent anything
 * before (its library's ndrx_xa_has_sent(); without that: yes)? */
bool ow_xa_has_sent(void);
/* Does it commit a branch beside what the thread does (TMUSEASYNC)? What vendors'
 * switches mean by it is not tried. */
bool ow_xa_commits_aside(void);
/* What its library's ndrx_xa_connection() returns for this thread: NULL, it has
 * none. */
void *ow_xa_connection(void);

#endif
