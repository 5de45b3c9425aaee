/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.c - servers that outgrew their limits, or are of an old program
 *
 * One at a time, so that the other instances go on serving.
 */
#include "ndrxd/supervise/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libatmi/log/log.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/supervise/operation.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/launch/procdir.h"
#include "ndrxd/report/emit.h"

static bool exceeds(const struct ow_inst *s, char *why, size_t size)
{
	const struct ow_config_server *def = s->def;
	int64_t vsz = 0, rss = 0;

	if (def->reloadonchange && ow_inst_file_changed(s)) {
		snprintf(why, size, "%s has changed", s->binpath);
		return true;
	}
	if (def->rssmax == OW_CONFIG_NO_LIMIT &&
	    def->vszmax == OW_CONFIG_NO_LIMIT)
		return false;
	if (!ow_procdir_sizes(s->svpid, &vsz, &rss))
		return false;
	if (def->rssmax != OW_CONFIG_NO_LIMIT && rss > def->rssmax) {
		snprintf(why, size, "memory %" PRId64 " bytes, rssmax %" PRId64,
			 rss, def->rssmax);
		return true;
	}
	if (def->vszmax != OW_CONFIG_NO_LIMIT && vsz > def->vszmax) {
		snprintf(why, size,
			 "address space %" PRId64 " bytes, vszmax %" PRId64,
			 vsz, def->vszmax);
		return true;
	}
	return false;
}

void ow_limits_check(struct ndrxd *d)
{
	struct ow_ctl_cmd cmd;
	char why[300];
	size_t i;

	for (i = 0; i < d->n_insts && d->job == NULL; i++) {
		struct ow_inst *s = d->insts[i];

		if (s->def == NULL || s->au.state != OW_PROC_RUNNING ||
		    !exceeds(s, why, sizeof(why)))
			continue;
		log_warn("server %s id %u: %s: replaced", s->bin, s->srvid,
			 why);
		ow_tell_server(s,
			       s->def->reloadonchange &&
					       ow_inst_file_changed(s)
				   ? OW_EVENT_CHANGED
				   : OW_EVENT_LIMIT,
			       "%s: replaced", why);
		memset(&cmd, 0, sizeof(cmd));
		cmd.verb = OW_VERB_SRELOAD;
		cmd.srvid = s->srvid;
		if (ow_job_begin(d, &cmd) != 0)
			return;
	}
}
