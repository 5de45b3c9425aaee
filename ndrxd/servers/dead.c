/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dead.c - put in order what a dead server leaves in the domain
 */
#include "ndrxd/servers/dead.h"

#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/peer.h"

#define NUDGES_MAX 64

void ow_dead_reap(struct ndrxd *d, uint32_t srvid, bool keep_queues)
{
	if (d->ipc_gone)
		return;
	ow_reap_server(d->dom, srvid, keep_queues);
	d->nudge_due = true;
}

void ow_dead_nudge(struct ndrxd *d)
{
	uint32_t ids[NUDGES_MAX];
	struct ow_inst *s;
	int i, n;

	if (!d->nudge_due || d->ipc_gone)
		return;
	d->nudge_due = false;
	n = ow_reap_nudge(d->dom, 0, ids, NUDGES_MAX);
	for (i = 0; i < n; i++) {
		s = d->by_id[ids[i] % OW_SRV_MAX];
		if (s != NULL && s->peer != NULL)
			ow_peer_send_kind(s->peer, OW_CTL_NUDGE, 0);
	}
}
