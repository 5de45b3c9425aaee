/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals.h - a daemon learns by a descriptor that it must end
 */
#ifndef OW_BASE_SIGNALS_H
#define OW_BASE_SIGNALS_H

/* Block SIGTERM, SIGINT and SIGHUP, ignore SIGPIPE; threads that are started
 * later inherit that, so that no signal ends their waits. A descriptor that
 * becomes readable when one of the three has come; -errno. The caller owns
 * it. */
int ow_signals_catch(void);

#endif
