/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proxy.c - what a thread that answers a continued request uses as server
 */
#include "libatmisrv/proxy.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/pages.h"
#include "libatmi/call/life.h"
#include "libatmi/wire/trace.h"
#include "libatmisrv/options.h"

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *arg)
{
	struct ow_proxy *st = arg;

	if (st->server.rq.continued != NULL) {
		st->abandon(st);
		ow_proxy_rest(st);
	}
	ow_pages_give(st, sizeof(*st));
}

static void init_once(void)
{
	pthread_key_create(&key, thread_ends);
}

struct ow_proxy *ow_proxy_need(void)
{
	struct ow_proxy *st;

	pthread_once(&once, init_once);
	st = pthread_getspecific(key);
	if (st != NULL)
		return st;
	st = ow_pages_take(sizeof(*st));
	if (st != NULL && pthread_setspecific(key, st) != 0) {
		st = ow_pages_give(st, sizeof(*st));
	}
	return st;
}

struct ow_proxy *ow_proxy_of(struct ow_server *s)
{
	return s != NULL && s->host != NULL ? (struct ow_proxy *)s : NULL;
}

void ow_proxy_use(struct ow_proxy *st, struct ow_server *host, uint32_t row)
{
	struct ow_server *s = &st->server;

	s->host = host;
	s->opt = host->opt;
	s->dom = host->dom;
	s->ctx = ow_ctx_peek();
	s->slot = &st->slot;
	s->adv = host->adv;
	s->ctl_fd = -1;
	s->no_longjmp = true; /* there is no service function to leave */
	s->stop = false;
	s->rq.active = s->rq.returned = false;
	s->rq.own_tran = s->rq.taken_tran = 0;
	s->rq.conv = -1; /* conversations are not continued */
	s->rq.adv = &st->figures;
	memcpy(s->offers[row].name, host->offers[row].name,
	       sizeof(s->offers[row].name));
	atomic_store(&st->slot.cur_adv, row + 1);
	atomic_store(&st->slot.lost_replies, 0);
	st->before = ow_server_use(s);
}

void ow_proxy_rest(struct ow_proxy *st)
{
	struct ow_ctx *c = ow_ctx_peek();

	if (c != NULL)
		ow_trace_leave(&c->trace);
	ow_server_use(st->before);
	st->before = NULL;
	st->server.rq.continued = NULL;
	st->server.rq.active = false;
}

bool ow_proxy_prepare(struct ow_proxy *st)
{
	struct ow_server *s = &st->server;
	struct ow_ctx *c = ow_ctx_get();

	if (c == NULL || ow_ctx_need_domain(c) != 0 || c->dom != s->dom)
		return false;
	s->ctx = c;
	/* Without memory the reply is never postponed: it waits for room. */
	if (ow_replier_open(s->dom, &s->replier) != 0)
		s->replier = NULL;
	return true;
}

void ow_proxy_finish(struct ow_proxy *st)
{
	struct ow_server *s = &st->server;
	uint64_t lost = atomic_exchange(&st->slot.lost_replies, 0);

	s->replier = ow_replier_close(s->replier);
	if (lost != 0)
		atomic_fetch_add(
		    &s->dom->tables->srv[s->opt->srvid].lost_replies, lost);
}
