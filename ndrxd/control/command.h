/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - what xadmin may ask of ndrxd
 */
#ifndef OW_COMMAND_H
#define OW_COMMAND_H

#include "libatmi/wire/ctl.h"

struct ow_peer;

/* Carry out a checked CMD; sooner or later the peer gets its DONE. */
void ow_command(struct ow_peer *p, const struct ow_ctl_cmd *cmd);

#endif
