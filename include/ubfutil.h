/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ubfutil.h - print a UBF buffer into the debug log
 */
#ifndef UBFUTIL_H
#define UBFUTIL_H

#include <ndebug.h>
#include <ubf.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Log `title` and, a line each, the fields of the buffer, as tplogprintubf()
 * does, but for facility NDRX. (ours; name of Enduro/X) */
extern void ndrx_debug_dump_UBF(int lev, char *title, UBFH *p_ub);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
