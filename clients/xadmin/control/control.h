/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - orders to ndrxd: functions behind the table of commands
 */
#ifndef OW_CONTROL_H
#define OW_CONTROL_H

#include "clients/xadmin/command/command.h"

/* lifecycle.c */
int ow_control_start(struct ow_args *a);
int ow_control_stop(struct ow_args *a);
int ow_control_drain(struct ow_args *a);
/* Suspend the service and wait until nothing of it is under way. (suspend.c) */
int ow_control_drain_service(struct ow_args *a, const char *svc);
int ow_control_restart(struct ow_args *a);
int ow_control_sreload(struct ow_args *a);
int ow_control_reload(struct ow_args *a);
int ow_control_cat(struct ow_args *a);
/* ndrxd.c */
int ow_control_idle(struct ow_args *a);
int ow_control_ldcf(struct ow_args *a);
int ow_control_dping(struct ow_args *a);
int ow_control_dpid(struct ow_args *a);
int ow_control_dsleep(struct ow_args *a);
int ow_control_appconfig(struct ow_args *a);
int ow_control_cabort(struct ow_args *a);
int ow_control_mmon(struct ow_args *a);
int ow_control_mmoff(struct ow_args *a);
/* advertise.c */
int ow_control_readv(struct ow_args *a);
int ow_control_unadv(struct ow_args *a);
/* transactions.c */
int ow_control_printtrans(struct ow_args *a);
int ow_control_aborttrans(struct ow_args *a);
int ow_control_committrans(struct ow_args *a);
int ow_control_recoverlocal(struct ow_args *a);
int ow_control_endlocal(struct ow_args *a);
/* suspend.c */
int ow_control_suspend(struct ow_args *a);
int ow_control_resume(struct ow_args *a);
/* cache.c */
int ow_control_cacheinval(struct ow_args *a);
/* call.c */
int ow_control_call(struct ow_args *a);
/* clients.c */
int ow_control_pc(struct ow_args *a);
int ow_control_bc(struct ow_args *a);
int ow_control_sc(struct ow_args *a);
int ow_control_rc(struct ow_args *a);
/* lcf.c */
int ow_control_lcf(struct ow_args *a);
/* lcf_command.c */
int ow_control_lcf_command(struct ow_args *a);
int ow_control_lcf_list(struct ow_args *a);

#endif
