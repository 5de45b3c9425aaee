/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init.h - what ndrxd owes to whoever runs it: systemd, a container, a shell
 *
 * systemd (Type=notify): READY=1 when the domain is up, STATUS with what is
 * going on, STOPPING=1, WATCHDOG=1 while the loop turns. The protocol is a
 * datagram of text to $NOTIFY_SOCKET; no library is needed for it.
 *
 * PID 1 of a container: whatever loses its parent becomes our child; its
 * exit status is taken, so that no zombie stays. SIGUSR1, SIGUSR2 and
 * SIGWINCH go on to those servers and clients that have a handler for them.
 */
#ifndef OW_HOST_H
#define OW_HOST_H

#include <stdbool.h>

struct ndrxd;

/* Read the environment, and keep it from our children. */
void ow_host_open(struct ndrxd *d);

/* One message, as "READY=1\nSTATUS=..."; without a receiver nothing. */
void ow_host_notify(struct ndrxd *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Once a second: the watchdog, and children of others. */
void ow_host_tick(struct ndrxd *d);

/* As PID 1: take the exit status of every dead child, ours or not. */
void ow_host_reap(struct ndrxd *d);

/* As PID 1: hand a signal on. */
void ow_host_forward(struct ndrxd *d, int sig);

#endif
