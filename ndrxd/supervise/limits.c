/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.c - replace servers that exceed their limits or whose program changed
 *
 * One at a time, so that the other instances serve on. A program that does not
 * start replaces one server and no more.
 */
#include "ndrxd/supervise/limits.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "ndrxd/launch/procdir.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/servers/actions.h"
#include "ndrxd/servers/inst.h"
#include "ndrxd/supervise/operation.h"

#define PER_TICK 256u /* servers looked at */
#define MS_PER_S 1000u

/* The event that says why it is to be replaced, or NONE. */
static enum ow_event_kind outdated(const struct ow_inst *s, char *why,
				   size_t size)
{
	char apart[160];
	struct ow_procdir_limits limits = { .rssmax = s->def->rssmax,
					    .vszmax = s->def->vszmax,
					    .apart = apart };

	ow_domain_segments(s->d->dom, apart, sizeof(apart));
	if (s->def->reloadonchange && ow_inst_file_changed(s)) {
		snprintf(why, size, "%s has changed", s->binpath);
		return OW_EVENT_CHANGED;
	}
	return ow_procdir_exceeds(s->svpid, &limits, why, size)
		   ? OW_EVENT_LIMIT
		   : OW_EVENT_NONE;
}

/* Did a server of its entry fail with the program that is there now? Then this
 * one would, too; it runs on until the file changes again. */
static bool would_fail(const struct ndrxd *d, const struct ow_inst *s)
{
	uint64_t now = ow_action_file_time(s->binpath);
	size_t i;

	for (i = 0; i < d->n_insts; i++)
		if (d->insts[i]->def == s->def && now != 0 &&
		    d->insts[i]->bad_time == now)
			return true;
	return false;
}

/* Replace the server if it is to be. False: it could not be done. */
static bool replace(struct ndrxd *d, struct ow_inst *s)
{
	enum ow_event_kind kind;
	struct ow_ctl_cmd cmd;
	char why[300];

	kind = outdated(s, why, sizeof(why));
	if (kind == OW_EVENT_NONE || would_fail(d, s))
		return true;
	log_warn("server %s id %u: %s: replaced", s->bin, s->srvid, why);
	ow_emit_server(s, kind, "%s: replaced", why);
	memset(&cmd, 0, sizeof(cmd));
	cmd.verb = OW_VERB_SRELOAD;
	cmd.srvid = s->srvid;
	return ow_operation_begin(d, &cmd) == 0;
}

/* The share of this second, so that each server has its turn once in <checkpm>.
 * What is left over counts for the next second. */
static size_t share(struct ndrxd *d)
{
	size_t n = d->n_insts;

	if (d->app.checkpm_ms > MS_PER_S) {
		d->looks.limits_due += n * MS_PER_S;
		n = d->looks.limits_due / d->app.checkpm_ms;
		d->looks.limits_due %= d->app.checkpm_ms;
	}
	return n < PER_TICK ? n : PER_TICK;
}

void ow_limits_check(struct ndrxd *d)
{
	size_t i, n = d->hold ? 0 : share(d);

	for (i = 0; i < n && d->n_insts > 0 && d->operation == NULL; i++) {
		struct ow_inst *s;

		d->looks.limits_next = (d->looks.limits_next + 1) % d->n_insts;
		s = d->insts[d->looks.limits_next];
		if (s->def == NULL || s->au.state != OW_PROC_RUNNING)
			continue;
		if (!replace(d, s))
			return;
	}
}
