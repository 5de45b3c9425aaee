/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notify.h - messages to systemd (Type=notify)
 *
 * READY=1 when the domain is up, STATUS with what is going on, STOPPING=1,
 * WATCHDOG=1 once a second. The protocol is a datagram of text to
 * $NOTIFY_SOCKET; no library is needed for it.
 */
#ifndef OW_NOTIFY_H
#define OW_NOTIFY_H

struct ndrxd;

/* Read the variables of systemd; remove them from the environment of
 * children. */
void ow_notify_open(struct ndrxd *d);

/* One message, as "READY=1\nSTATUS=..."; without a socket nothing. */
void ow_notify(struct ndrxd *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The start that -b asked for is over: READY=1. Other starts: nothing. */
void ow_notify_booted(struct ndrxd *d, const char *result);

/* Once a second. */
void ow_notify_watchdog(struct ndrxd *d);

#endif
