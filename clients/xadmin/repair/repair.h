/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.h - repairs by hand: functions behind the table of commands
 */
#ifndef OW_REPAIR_H
#define OW_REPAIR_H

#include "clients/xadmin/command/command.h"

/* down.c */
int ow_repair_down(struct ow_args *a);
/* damage.c */
int ow_repair_damage(struct ow_args *a);
/* killall.c */
int ow_repair_killall(struct ow_args *a);
/* qrm.c */
int ow_repair_qrm(struct ow_args *a);
int ow_repair_qrmall(struct ow_args *a);

#endif
