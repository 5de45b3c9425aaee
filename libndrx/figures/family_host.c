/* SPDX-License-Identifier: Apache-2.0 */
/*
 * family_host.c - figures of the hosts that services call by HTTP
 */
#include "libndrx/figures/family.h"

#include <stdio.h>

#include "libndrx/observe/hosts.h"

struct writing {
	const struct ow_family *fam;
	struct ow_text *t;
};

static void write_host(const struct ow_host *h, void *arg)
{
	const struct writing *w = arg;
	char srvid[24];
	const struct ow_text_label labels[] = { { "srvid", srvid },
						{ "host", h->name },
						{ NULL, NULL } };

	snprintf(srvid, sizeof(srvid), "%ld", h->srvid);
	ow_family_uint(w->fam, w->t, labels, ow_family_word(w->fam, h));
}

void ow_family_host(const struct ow_figures *f, const struct ow_family *fam,
		    struct ow_text *t)
{
	struct writing w = { fam, t };

	ow_hosts_each(&f->view.d, write_host, &w);
}
