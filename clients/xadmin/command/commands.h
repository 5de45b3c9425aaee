/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.h - the functions behind the table of commands
 *
 * Grouped by the file they are in. Each returns the exit code.
 */
#ifndef OW_COMMANDS_H
#define OW_COMMANDS_H

#include "clients/xadmin/command/command.h"

/* general.c */
int ow_general_help(struct ow_args *a);
int ow_general_quit(struct ow_args *a);
int ow_general_echo(struct ow_args *a);
int ow_general_version(struct ow_args *a);
int ow_general_poller(struct ow_args *a);
int ow_general_pmode(struct ow_args *a);
int ow_general_printenv(struct ow_args *a);
int ow_general_set(struct ow_args *a);
int ow_general_unset(struct ow_args *a);

/* lcf.c */
int ow_lcf_run(struct ow_args *a);

/* lifecycle.c */
int ow_lifecycle_start(struct ow_args *a);
int ow_lifecycle_stop(struct ow_args *a);
int ow_lifecycle_restart(struct ow_args *a);
int ow_lifecycle_sreload(struct ow_args *a);
int ow_lifecycle_reload(struct ow_args *a);
int ow_lifecycle_cat(struct ow_args *a);

/* control.c */
int ow_control_ldcf(struct ow_args *a);
int ow_control_cabort(struct ow_args *a);
int ow_control_idle(struct ow_args *a);
int ow_control_dping(struct ow_args *a);
int ow_control_dpid(struct ow_args *a);
int ow_control_readv(struct ow_args *a);
int ow_control_unadv(struct ow_args *a);
int ow_control_appconfig(struct ow_args *a);

/* clients.c */
int ow_clients_pc(struct ow_args *a);
int ow_clients_bc(struct ow_args *a);
int ow_clients_sc(struct ow_args *a);
int ow_clients_rc(struct ow_args *a);
/* settings.c */
int ow_settings_config(struct ow_args *a);
int ow_settings_testcfg(struct ow_args *a);

/* groups.c */
int ow_groups_psg(struct ow_args *a);

/* down.c */
int ow_down_run(struct ow_args *a);

/* list_*.c */
int ow_list_psc(struct ow_args *a);
int ow_list_psvc(struct ow_args *a);
int ow_list_ppm(struct ow_args *a);
int ow_list_psrv(struct ow_args *a);
int ow_list_pq(struct ow_args *a);
int ow_list_pqa(struct ow_args *a);
int ow_list_shmcfg(struct ow_args *a);
int ow_list_shms(struct ow_args *a);
int ow_list_stat(struct ow_args *a);

/* system.c */
int ow_system_ps(struct ow_args *a);
int ow_system_killall(struct ow_args *a);
int ow_system_dsleep(struct ow_args *a);

/* queues.c */
int ow_queues_qrm(struct ow_args *a);
int ow_queues_qrmall(struct ow_args *a);
int ow_queues_system_v(struct ow_args *a);

/* provision.c */
int ow_provision_run(struct ow_args *a);

/* import.c */
int ow_import_run(struct ow_args *a);

/* doctor.c */
int ow_doctor_run(struct ow_args *a);

#endif
