/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup.h - new domains, configurations: functions behind the table of
 * commands
 */
#ifndef OW_SETUP_H
#define OW_SETUP_H

#include "clients/xadmin/command/command.h"

struct ow_config;

/* config.c */
int ow_setup_config(struct ow_args *a);
/* testcfg.c */
int ow_setup_testcfg(struct ow_args *a);
/* The file that the command names, else NDRX_CONFIG. NULL: neither; that was
 * printed. */
const char *ow_setup_config_path(const struct ow_args *a);
/* The file that NDRX_CONFIG names. NULL: none; that was printed. */
const char *ow_setup_config_in_env(const struct ow_args *a);
/* tcp_links.c: config --cluster */
int ow_setup_tcp_links(struct ow_args *a, const struct ow_config *config);
/* passwd.c */
int ow_setup_passwd(struct ow_args *a);
/* provision.c */
int ow_setup_provision(struct ow_args *a);
/* cluster.c: provision --cluster */
int ow_setup_cluster(struct ow_args *a);

#endif
