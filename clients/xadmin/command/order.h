/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - orders that ndrxd does not hear of, written into the history
 */
#ifndef OW_XADMIN_ORDER_H
#define OW_XADMIN_ORDER_H

struct ow_args;

/* The command is about to be carried out: if it is one of these (`noted` in the
 * table), write it into the history. One that asks the user before is noted by
 * ow_cmd_sure(). */
void ow_cmd_note(const struct ow_args *a);

#endif
