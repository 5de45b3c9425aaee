/* SPDX-License-Identifier: Apache-2.0 */
/*
 * terminal.h - a daemon leaves its terminal, not its session
 *
 * Linux gives each session a share of the CPUs of its own (autogroups). A
 * domain with a session of its own, as daemons usually have, waits for the
 * turn of its group besides its own, and so do its callers in theirs: with
 * services that wait a call costs up to half as much CPU time again
 * (doc/design/scheduling.md). Therefore ndrxd stays in the session of who
 * starts it. What a session is left for is had without: a process group of its
 * own (no ^C, no SIGHUP for the terminal's group), and no terminal.
 */
#ifndef OW_TERMINAL_H
#define OW_TERMINAL_H

/* To be called in a forked child, which is no leader of its session. Where the
 * terminal cannot be left so, the session is. */
void ow_terminal_leave(void);

#endif
