/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - the commands of xadmin
 */
#ifndef OW_COMMAND_H
#define OW_COMMAND_H

struct ow_ctl_cmd;
struct ow_peer;

/* Carry out a checked CMD; the peer gets its DONE at the end of it. */
void ow_command(struct ow_peer *p, const struct ow_ctl_cmd *cmd);

#endif
