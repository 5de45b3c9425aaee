/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reach.h - reach what a command needs: environment, tables, ndrxd
 *
 * Each function returns OW_EXIT_OK, or prints why the domain cannot be
 * reached and returns the exit code of the command.
 */
#ifndef OW_REACH_H
#define OW_REACH_H

#include "libndrx/observe/observer.h"
#include "libndrx/observe/command.h"

struct ow_args;

/* The domain that the environment names. */
int ow_reach_env(const struct ow_args *a, struct ow_domain *ret);
/* The same; a domain of another user is refused. */
int ow_reach_own(const struct ow_args *a, struct ow_domain *ret);

/* The same for orders that ndrxd carries out: not refused if NDRX_OWNER names
 * that user (libatmi/domain/gate.h). */
int ow_reach_ordered(const struct ow_args *a, struct ow_domain *ret);

/* Attach to the tables (observer.h). */
int ow_reach_tables(const struct ow_args *a, struct ow_observer *ret);

/* Connect to the running ndrxd. */
int ow_reach_ndrxd(const struct ow_args *a, struct ow_domain *ret_d,
		   struct ow_command_link *ret);
/* The same, for commands that do without it: when none runs, or it is stopped
 * by a signal, OW_EXIT_ABSENT with the reason, and nothing is printed. */
int ow_reach_answering(const struct ow_args *a, struct ow_domain *ret_d,
		       struct ow_command_link *ret, const char **ret_why_not);
/* Connect to ndrxd; start it when none runs, wait until it listens. `d` comes
 * from ow_reach_env(). */
int ow_reach_or_start_ndrxd(const struct ow_args *a, const struct ow_domain *d,
			    struct ow_command_link *ret);

/* The exit code after ow_command_call() returned `r` and `done`; a failure is
 * printed. */
int ow_reach_result(const struct ow_args *a, int r,
		    const struct ow_ctl_done *done);
/* Send one order to the running ndrxd and print its reply. */
int ow_reach_ask(struct ow_args *a, struct ow_command_order *c);

#endif
