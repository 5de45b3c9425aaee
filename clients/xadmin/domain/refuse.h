/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.h - a command that cannot reach the domain says so, and how it ends
 */
#ifndef OW_REFUSE_H
#define OW_REFUSE_H

struct ow_args;
struct ow_view;

/* Attach to the tables (domain_view.h): OW_EXIT_OK, or after having said why
 * not, the exit code. */
int ow_view_need(const struct ow_args *a, struct ow_view *ret);

/* Say what is wrong; `r` a failure of remote.h. The exit code that tells them
 * apart. */
int ow_remote_fail(const struct ow_args *a, int r);

#endif
