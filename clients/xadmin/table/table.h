/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - the groups of the table of xadmin's commands
 *
 * To add a command: a row in the file of its group; the function in the folder
 * that fits (list, control, repair, setup, session), declared in the header of
 * the folder. For a listing `.json = true` gives --json, --csv, --watch and
 * --wide; the function writes its rows through output/listing.h. One that reads
 * the tables or the processes of the domain has `.guest = OW_CMD_LOOKS`; one
 * that changes something there, OW_CMD_COMMANDS. The tests then want the
 * command in doc/man/man8/xadmin.8 and in a story of tests/e2e.
 */
#ifndef OW_XADMIN_TABLE_H
#define OW_XADMIN_TABLE_H

#include "clients/xadmin/command/command.h"

extern const struct ow_cmd_group ow_cmds_general, ow_cmds_domain, ow_cmds_lists, ow_cmds_clients, ow_cmds_repairs, ow_cmds_durable, ow_cmds_folders, ow_cmds_transactions, ow_cmds_services;

#endif
