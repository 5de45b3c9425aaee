/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - the table of xadmin's commands: its groups, as `help` lists them
 */
#include "clients/xadmin/table/table.h"

#include <stddef.h>

const struct ow_cmd_group *const ow_cmd_groups[] = {
	&ow_cmds_general,
	&ow_cmds_domain,
	&ow_cmds_lists,
	&ow_cmds_clients,
	&ow_cmds_repairs,
	&ow_cmds_durable,
	&ow_cmds_folders,
	&ow_cmds_transactions,
	&ow_cmds_services,
	NULL,
};
