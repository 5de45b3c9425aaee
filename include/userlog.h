/* SPDX-License-Identifier: Apache-2.0 */
/*
 * userlog.h - the log of what operators should read
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
 * Log one line, as by printf() / as it is. Thread safe; lines of several
 * processes do not mix; over 4 KB is cut, a newline at the end is dropped.
 * Characters logged, or -1: the line is lost. Sets neither tperrno nor
 * errno. (Tuxedo; _const: ours)
 */
extern int userlog(char *fmt, ...);
extern int userlog_const(const char *msg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
