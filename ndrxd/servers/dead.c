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

#define RETRY_S	   0.005
#define NUDGES_MAX 64

struct ow_pending {
	LIST_ENTRY(ow_pending) link;
	struct ow_refusal a;
};

static void keep_reply(struct ndrxd *d, const struct ow_refusal *a)
{
	struct ow_pending *w = malloc(sizeof(*w));

	if (w == NULL) {
		log_error("no memory: the caller of a dead server gets no "
			  "error reply");
		return;
	}
	w->a = *a;
	LIST_INSERT_HEAD(&d->replies, w, link);
	ev_timer_again(d->loop, &d->retry);
}

void ow_dead_reap(struct ndrxd *d, uint32_t srvid, bool keep_queues)
{
	struct ow_refusal a;
	int r;

	if (d->ipc_gone)
		return;
	r = ow_reap_server(d->dom, srvid, keep_queues, &a);
	if (r < 0)
		log_error("server %u: reap: %s", srvid, strerror(-r));
	if (r == 1)
		keep_reply(d, &a);
	d->nudge_due = true;
}

static void on_retry(EV_P_ ev_timer *w, int revents)
{
	struct ndrxd *d = w->data;
	struct ow_pending *a, *next;
	uint64_t now = ow_clock_mono_ns();

	for (a = LIST_FIRST(&d->replies); a != NULL; a = next) {
		next = LIST_NEXT(a, link);
		if (!d->ipc_gone && ow_refusal_retry(d->dom, &a->a) == 1 &&
		    (a->a.msg.deadline_ns == 0 || now < a->a.msg.deadline_ns))
			continue;
		LIST_REMOVE(a, link);
		free(a);
	}
	if (LIST_EMPTY(&d->replies))
		ev_timer_stop(d->loop, &d->retry);
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

void ow_dead_open(struct ndrxd *d)
{
	LIST_INIT(&d->replies);
	ev_init(&d->retry, on_retry);
	d->retry.repeat = RETRY_S;
	d->retry.data = d;
}

void ow_dead_close(struct ndrxd *d)
{
	struct ow_pending *a;

	ev_timer_stop(d->loop, &d->retry);
	while ((a = LIST_FIRST(&d->replies)) != NULL) {
		LIST_REMOVE(a, link);
		free(a);
	}
}
