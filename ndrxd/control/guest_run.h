/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest_run.h - programs that ndrxd runs for guests
 *
 * A guest cannot read the tables, and ndrxd does not write listings. So a
 * program of the domain's user writes them, into two pipes of the guest:
 * xadmin, ndrxtop or ndrxmetrics, started with `--guest look` or, if the guest
 * may command and asks for that, `--guest admin`. The program itself knows
 * which of its commands only look, and has a time limit. What it writes does
 * not pass through ndrxd.
 *
 * One program for each connection, and so many for each user and for all.
 */
#ifndef OW_GUEST_RUN_H
#define OW_GUEST_RUN_H

#include <stdbool.h>
#include <sys/types.h>

struct ndrxd;
struct ow_ctl_cmd;
struct ow_peer;

#define OW_GUEST_RUNS	   16u
#define OW_GUEST_RUNS_EACH 4u

/* Start the program that `cmd` names, with the descriptors p->fds. The guest
 * gets DONE when it has ended: status 0, and its exit code as count. */
void ow_guest_run(struct ow_peer *p, const struct ow_ctl_cmd *cmd);
/* End the program of this connection, if any, without DONE. */
void ow_guest_run_drop(struct ow_peer *p);

/* End all programs, without DONE. */
void ow_guest_run_close(struct ndrxd *d);

/* The process has ended: is it such a program? Then it is taken care of. */
bool ow_guest_run_ended(struct ndrxd *d, pid_t pid);

#endif
