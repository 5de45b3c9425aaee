/* SPDX-License-Identifier: Apache-2.0 */
/*
 * natsprobe.h - what the two parts of natsprobe share
 */
#ifndef OW_NATSPROBE_H
#define OW_NATSPROBE_H

#include <nats/nats.h>

#define OW_PROBE_SUBJECT "ow.probe.requests"

/* A connection that sends at once; ends the process if there is none. */
natsConnection *ow_probe_connect(const char *url);

/*
 * One-way messages of `size` bytes, `calls` of them by `threads` threads,
 * through a POSIX message queue on each side of NATS: prints the result.
 */
int ow_probe_queues(const char *url, long threads, long calls, long size);

#endif
