/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.c - make this process, or one more thread of it, a server of its domain
 *
 * The first server of a domain creates its segments. It all works without
 * ndrxd.
 */
#include "libatmisrv/join.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/call/life.h"
#include "libatmi/context/single.h"
#include "libatmi/member/join.h"
#include "libatmi/member/reap.h"
#include "libatmisrv/authorize.h"
#include "libatmisrv/options.h"
#include "libatmisrv/policy.h"
#include "libatmisrv/server.h"

/* Take the slot; if its owner is dead, put its state in order first. */
static int take_slot(struct ow_server *s)
{
	uint32_t id = s->opt->srvid;
	int r = 0, tries;
	char who[120];

	for (tries = 0; tries < 3; tries++) {
		r = ow_srv_take(s->dom->tables, id, s->opt->bin);
		if (r != OW_TABLES_TAKEN)
			break;
		if (ow_srv_alive(s->dom->tables, id)) {
			fprintf(stderr, "%s: server id %u is taken by the "
				"running process %d (%s)\n", s->opt->bin, id,
				(int)atomic_load(&s->dom->tables->srv[id].pid),
				s->dom->tables->srv[id].bin);
			return -EEXIST;
		}
		r = ow_reap_server(s->dom, id,
				   atomic_load(&s->dom->tables->srv[id]
						    .ctl_want) != 0);
		if (r < 0)
			break;
	}
	if (r == OW_TABLES_LOCKED || r == -EBUSY) {
		ow_tables_lock_holder(s->dom->tables, who, sizeof(who));
		fprintf(stderr, "%s: server table: the domain lock is held by "
			"%s\n", s->opt->bin, who);
		return -EBUSY;
	}
	if (r != 0)
		fprintf(stderr, "%s: server table: %s\n", s->opt->bin,
			r < 0 ? strerror(-r) : "no room in shared memory");
	return r;
}

/* 0; -1; 1: the segments are just being removed, try again. */
static int try_join(struct ow_server *s)
{
	struct ow_domain *d = NULL;
	char why[512] = "";

	if (ow_domain_join(true, &d, why, sizeof(why)) != 0) {
		fprintf(stderr, "%s: %s\n", s->opt->bin, why);
		return -1;
	}
	s->ctx = ow_single_own() == 0 ? ow_ctx_get() : NULL;
	if (s->ctx == NULL) {
		fprintf(stderr, "%s: %s\n", s->opt->bin, tpstrerror(tperrno));
		return -1;
	}
	s->dom = s->ctx->dom;
	if (s->dom == d && take_slot(s) != 0)
		return -1;
	if (s->dom == d && !ow_domain_is_gone(d))
		return 0;
	ow_ctx_leave();
	ow_domain_leave(d);
	return 1;
}

int ow_server_join(struct ow_server *s)
{
	int r, tries = 0;

	do {
		r = try_join(s);
	} while (r == 1 && ++tries < 10);
	if (r != 0)
		return -1;
	ow_reap_unwatched(s->dom); /* mailboxes of killed clients take memory */
	ow_policy_set(s->dom);
	ow_ctx_set_server(s->ctx, s->opt->srvid, s->opt->bin);
	s->id = s->opt->srvid;
	s->slot = &s->dom->tables->srv[s->id];
	s->adv = ow_tables_adv(s->dom->tables, s->id);
	return 0;
}

int ow_server_join_thread(struct ow_server *s, uint32_t number)
{
	int r;

	s->ctx = ow_ctx_get();
	if (s->ctx == NULL)
		return -ENOMEM;
	s->dom = s->ctx->dom;
	if (s->dom != s->main->dom)
		return -ESTALE; /* the domain is just being removed */
	r = ow_srv_take_thread(s->dom->tables, s->main->id, number,
			       s->opt->bin, &s->id);
	if (r != 0)
		return r < 0 ? r : r == OW_TABLES_LOCKED ? -EBUSY : -ENOSPC;
	ow_ctx_set_server(s->ctx, s->main->id, s->opt->bin);
	s->slot = &s->dom->tables->srv[s->id];
	s->adv = ow_tables_adv(s->dom->tables, s->id);
	return 0;
}

int ow_server_prepare(struct ow_server *s)
{
	const struct ow_transport *t = s->dom->transport;
	void *record;
	int r;

	if (t->record != NULL)
		record = t->record(s->dom, s->id);
	else
		record = s->own_record = malloc(OW_RX_SIZE);
	if (record == NULL)
		return -ENOMEM;
	ow_envelope_init(&s->rq.envelope, record, OW_RX_SIZE, s->dom->blocks);
	if (t->buffers_in_blocks && s->main == NULL)
		ow_buf_set_home(s->dom->blocks);
	r = ow_waitset_open(s->dom, s->id, &s->waitset);
	return r == 0 ? ow_replier_open(s->dom, &s->replier) : r;
}

void ow_server_close(struct ow_server *s)
{
	s->replier = ow_replier_close(s->replier);
	s->waitset = ow_waitset_close(s->waitset);
	free(s->own_record);
	s->own_record = NULL;
	ow_authorize_close(s);
}

void ow_server_leave(struct ow_server *s)
{
	/* Without the lock the slot stays: the reaper clears it. */
	if (ow_tables_lock(s->dom->tables) != 0)
		return;
	ow_srv_clear(s->dom->tables, s->id);
	ow_tables_unlock(s->dom->tables);
	if (s->main == NULL)
		ow_reap_if_last(s->dom);
}
