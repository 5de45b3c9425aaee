/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - the session of xadmin: functions behind the table of commands
 */
#ifndef OW_SESSION_H
#define OW_SESSION_H

#include "clients/xadmin/command/command.h"

/* help.c */
int ow_session_help(struct ow_args *a);
/* session.c */
int ow_session_quit(struct ow_args *a);
int ow_session_echo(struct ow_args *a);
int ow_session_printenv(struct ow_args *a);
int ow_session_set(struct ow_args *a);
int ow_session_unset(struct ow_args *a);
/* version.c */
int ow_session_version(struct ow_args *a);
int ow_session_poller(struct ow_args *a);
int ow_session_pmode(struct ow_args *a);

#endif
