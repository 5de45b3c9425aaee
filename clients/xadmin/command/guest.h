/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - where a command of a guest runs
 */
#ifndef OW_CMD_GUEST_H
#define OW_CMD_GUEST_H

struct ow_args;
struct ow_xadmin;

/* Run the command: here, or (NDRX_OWNER names another user) by the domain's
 * user, as the table of commands says. Its exit code. */
int ow_cmd_run(struct ow_args *a);

/* The words of an xadmin that runs for a guest: the guest's terminal
 * (ow_cmd_run()), then one command. */
int ow_cmd_guest_main(struct ow_xadmin *x, int argc, char **argv);

#endif
