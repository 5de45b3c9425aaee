/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init.h - duties of ndrxd as PID 1 of a container
 *
 * Orphans become children of PID 1, which takes their exit status, so that no
 * zombie stays. SIGUSR1, SIGUSR2 and SIGWINCH go on to those servers and
 * clients that have a handler for them. As another process: nothing.
 */
#ifndef OW_INIT_H
#define OW_INIT_H

struct ndrxd;

/* Take the exit status of every dead child, and of every dead orphan. */
void ow_init_reap(struct ndrxd *d);

/* Forward a signal. */
void ow_init_forward(struct ndrxd *d, int sig);

#endif
