/* SPDX-License-Identifier: Apache-2.0 */
/*
 * same.c - does a change of the configuration need a restart of the process?
 *
 * It does if a process got the value at its start: program, command line,
 * environment. Counts, times and policies are ndrxd's own.
 */
#include "libndrx/config/config.h"

#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_envs(const struct ow_config_env *a, size_t n_a,
		      const struct ow_config_env *b, size_t n_b)
{
	if (n_a != n_b)
		return false;
	for (size_t i = 0; i < n_a; i++) {
		if (!same_text(a[i].name, b[i].name) ||
		    !same_text(a[i].value, b[i].value))
			return false;
	}
	return true;
}

int ow_config_server_same(const struct ow_config_server *a,
			  const struct ow_config_server *b)
{
	return same_text(a->name, b->name) &&
	       same_text(a->fullpath, b->fullpath) &&
	       same_text(a->cmdline, b->cmdline) &&
	       same_text(a->sysopt, b->sysopt) &&
	       same_text(a->appopt, b->appopt) &&
	       same_text(a->env_file, b->env_file) &&
	       same_envs(a->envs, a->n_envs, b->envs, b->n_envs) &&
	       same_text(a->cctag, b->cctag) &&
	       same_text(a->compat, b->compat) &&
	       a->mindispatchthreads == b->mindispatchthreads &&
	       a->maxdispatchthreads == b->maxdispatchthreads &&
	       a->threadstacksize == b->threadstacksize &&
	       same_text(a->rqaddr, b->rqaddr) &&
	       same_text(a->exportsvcs, b->exportsvcs) &&
	       same_text(a->blacklistsvcs, b->blacklistsvcs) &&
	       same_text(a->procgrp, b->procgrp) &&
	       same_text(a->procgrp_lp, b->procgrp_lp);
}

int ow_config_client_same(const struct ow_config_client *a,
			  const struct ow_config_client *b)
{
	return same_envs(a->envs, a->n_envs, b->envs, b->n_envs) &&
	       same_text(a->cmdline, b->cmdline) &&
	       same_text(a->log, b->log) && same_text(a->out, b->out) &&
	       same_text(a->err, b->err) &&
	       same_text(a->env_file, b->env_file) &&
	       same_text(a->cctag, b->cctag) &&
	       same_text(a->compat, b->compat) && same_text(a->wd, b->wd) &&
	       same_text(a->procgrp, b->procgrp);
}
