/* SPDX-License-Identifier: Apache-2.0 */
/*
 * userlog.h - the log for operators
 *
 * One line per call in $NDRX_ULOG/ULOG.YYYYMMDD (default: current folder):
 * PID:YYYYMMDD:HHMMSScc:program    :text
 */
#ifndef USERLOG_H
#define USERLOG_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * Log one line: userlog() formats it as printf() does, userlog_const() writes
 * the text unchanged. Thread safe; lines of several processes do not mix. A
 * line is cut after 4 KB, and a newline at its end is dropped. Returns 0; -1:
 * the line is lost. Sets neither tperrno nor errno.
 * (Tuxedo; _const: ours)
 */
extern int userlog(char *fmt, ...);
extern int userlog_const(const char *msg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
