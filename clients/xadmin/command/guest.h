/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - where a command of a guest runs
 */
#ifndef OW_CMD_GUEST_H
#define OW_CMD_GUEST_H

struct ow_args;

/* Run the command: here, or (NDRX_OWNER names another user) by the domain's
 * user, as the table of commands says. Its exit code. */
int ow_cmd_run(struct ow_args *a);

#endif
