/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mib_call.h - a call of .TMIB that no server offers, answered by who calls
 *
 * In Tuxedo each domain has .TMIB: programs that watch it do not configure a
 * server for that. So in strict-tuxedo tpcall() answers as tpadmcall() does. The
 * function is above calls (libatmi/mib): it is reached through a pointer.
 */
#ifndef OW_MIB_CALL_H
#define OW_MIB_CALL_H

/* As tpcall(): 0, or -1 with tperrno. */
typedef int ow_mib_call_fn(char *idata, char **odata, long *olen);
extern ow_mib_call_fn *const ow_mib_call;

#endif
