/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client_command.h - commands of xadmin about clients: PC, BC, SC, RC
 */
#ifndef OW_CLIENT_COMMAND_H
#define OW_CLIENT_COMMAND_H

struct ow_ctl_cmd;
struct ow_peer;

/* Carry out the command; the peer gets its DONE. */
void ow_client_command(struct ow_peer *p, const struct ow_ctl_cmd *cmd);

#endif
