/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - one order to a running ndrxd, and what it says
 */
#ifndef OW_CONTROL_H
#define OW_CONTROL_H

struct ow_args;
struct ow_remote_cmd;

/* Send `c` and print the answer, or why that is not possible; an exit
 * code. */
int ow_control_ask(struct ow_args *a, struct ow_remote_cmd *c);

#endif
