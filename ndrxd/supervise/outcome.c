/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.c - what the operator reads at the end of an operation
 */
#include "ndrxd/supervise/outcome.h"

#include <stdio.h>

#include "ndrxd/model/ndrxd.h"

void ow_outcome_tell(const struct ow_outcome *o, char *text, size_t size)
{
	char new_ones[60] = "";
	int n = snprintf(text, size, "%u of %u: no success; %s", o->failed,
			 o->failed + o->done, o->first_failure);

	if (!o->broken || n < 0 || (size_t)n >= size)
		return;
	if (o->unstarted > 0)
		snprintf(new_ones, sizeof(new_ones),
			 ", %u new ones were not started", o->unstarted);
	snprintf(text + n, size - (size_t)n,
		 "; broken off there: %u servers run as before%s; repair it, "
		 "then `xadmin %s` does the rest", o->kept, new_ones,
		 ow_ctl_verb_word(o->verb));
}

void ow_outcome_tell_nothing(const struct ndrxd *d, char *text, size_t size)
{
	if (d->config->n_servers == 0)
		snprintf(text, size, "no server to start: add a <server> to "
			 "%.300s, then `xadmin reload`",
			 d->config_path);
	else
		snprintf(text, size, "no server to start: <min> is 0 for each "
			 "<server> of %.300s; give one a <min>, then `xadmin "
			 "reload`, or `xadmin start -i ID`", d->config_path);
}
