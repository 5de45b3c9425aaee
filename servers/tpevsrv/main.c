/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - tpevsrv: a server that keeps subscriptions and delivers events
 *
 * Any number of them may run: they share the queue of each service, and the
 * subscriptions lie in shared memory (libatmi/subs/subs.h). Once a second each
 * looks at some subscriptions, and removes those of the dead.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <userlog.h>
#include <xatmi.h>

#include "servers/tpevsrv/deliver.h"
#include "servers/tpevsrv/system.h"
#include "libatmi/cache/cache.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tcp_link.h"
#include "libatmi/member/join.h"
#include "libatmi/post/message.h"
#include "libatmi/subs/remote.h"
#include "libatmi/subs/subs.h"
#include "libatmisrv/own.h"

#define ROUND 2000 /* subscriptions looked at each second */

static struct ow_domain *dom;
static uint32_t round_at;

/* The tperrno for the subscriber. */
static long error_of(int r)
{
	switch (r) {
	case OW_SUBS_FULL:
		return TPELIMIT;
	case OW_SUBS_NOSPACE:
		return TPEOS;
	default:
		return TPESYSTEM;
	}
}

static bool is_wish(const TPSVCINFO *svc, size_t size)
{
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1];
	uint32_t magic = 0;

	if (svc->data == NULL || svc->len != (long)size ||
	    tptypes(svc->data, type, sub) < 0 || strcmp(type, "CARRAY") != 0)
		return false;
	memcpy(&magic, svc->data, sizeof(magic));
	return magic == OW_POST_MAGIC;
}

/* Texts of another process end somewhere. */
static void end_texts(struct ow_sub *s)
{
	s->pattern[sizeof(s->pattern) - 1] = '\0';
	s->filter[sizeof(s->filter) - 1] = '\0';
	s->service[sizeof(s->service) - 1] = '\0';
	if ((s->flags & OW_SUB_QUEUE) == 0)
		return;
	s->queue.name[sizeof(s->queue.name) - 1] = '\0';
	s->queue.reply[sizeof(s->queue.reply) - 1] = '\0';
	s->queue.failure[sizeof(s->queue.failure) - 1] = '\0';
}

/* tpevsrv is a server, and so authorized everywhere: it must not call the
 * runtime's own services for others. */
static bool is_own(const char *service)
{
	return service[0] == '@' || service[0] == '.';
}

static void subscribe(TPSVCINFO *svc)
{
	struct ow_subscription wish;
	long id = -1;
	int r;

	if (!is_wish(svc, sizeof(wish)))
		tpreturn(TPFAIL, TPEINVAL, NULL, 0, 0);
	memcpy(&wish, svc->data, sizeof(wish));
	end_texts(&wish.sub);
	if (ow_own_may_subscribe(wish.sub.pattern) != 0 ||
	    is_own(wish.sub.service))
		tpreturn(TPFAIL, TPEPERM, NULL, 0, 0);
	r = ow_subs_add(dom, &wish.sub, &id);
	if (r != 0)
		tpreturn(TPFAIL, error_of(r), NULL, 0, 0);
	tpreturn(TPSUCCESS, id, NULL, 0, 0);
}

static void unsubscribe(TPSVCINFO *svc)
{
	struct ow_unsubscription wish;
	uint32_t n = 0;
	int r;

	if (!is_wish(svc, sizeof(wish)))
		tpreturn(TPFAIL, TPEINVAL, NULL, 0, 0);
	memcpy(&wish, svc->data, sizeof(wish));
	r = wish.id == -1 ? ow_subs_remove_of(dom, &wish.owner, &n)
			  : ow_subs_remove(dom, (long)wish.id, false, &n);
	if (r != 0)
		tpreturn(TPFAIL, error_of(r), NULL, 0, 0);
	tpreturn(TPSUCCESS, n, NULL, 0, 0);
}

static void send_by(const char *bridge, TPSVCINFO *svc,
		    const struct ow_post *event)
{
	long flags = event->flags & (TPNOBLOCK | TPNOTIME | TPSIGRSTRT);

	if (tpacall((char *)bridge, svc->data, svc->len,
		    flags | TPNOREPLY | TPNOTRAN) == -1 &&
	    tperrno != TPENOENT)
		userlog((char *)"tpevsrv: event %s to other nodes: %s",
			event->name, tpstrerror(tperrno));
}

/* Other nodes that want the event get the message, by one of the bridges of a
 * cluster and by that of each TCP link. One that came from another node went to
 * all of them. */
static void send_to_others(TPSVCINFO *svc, const struct ow_post *event)
{
	uint32_t node = 0;
	char name[16];

	if (ow_own_is_remote() || !ow_interest_remote(dom, event->name))
		return;
	send_by(OW_EVENT_REMOTE, svc, event);
	while ((node = ow_tcp_link_next(dom->tables, node)) != 0) {
		ow_tcp_link_name(node, &name);
		send_by(name, svc, event);
	}
}

static void post(TPSVCINFO *svc)
{
	struct ow_post event;
	long n;

	if (svc->data == NULL || ow_post_read(svc->data, svc->len, &event) != 0)
		tpreturn(TPFAIL, TPEINVAL, NULL, 0, 0);
	n = -TPEPERM;
	if (ow_own_may_post(event.name) == 0) {
		ow_cache_event(dom, event.name); /* posted by a guest */
		n = deliver_event(dom, &event);
		send_to_others(svc, &event);
	}
	if (event.data != NULL)
		tpfree(event.data);
	if (n < 0)
		tpreturn(TPFAIL, n == -TPEPERM ? TPEPERM : TPESYSTEM, NULL, 0,
			 0);
	tpreturn(TPSUCCESS, n, NULL, 0, 0);
}

static int each_second(void)
{
	ow_subs_round(dom, &round_at, ROUND);
	system_deliver(dom);
	return 0;
}

int tpsvrinit(int argc, char **argv)
{
	char why[256] = "";
	int r;

	(void)argc;
	(void)argv;
	if (ow_domain_join(false, &dom, why, sizeof(why)) != 0) {
		userlog((char *)"tpevsrv: %s", why);
		return -1;
	}
	r = ow_subs_need(dom, true);
	if (r == 0)
		r = ow_subs_repair(dom);
	if (r != 0) {
		userlog((char *)"tpevsrv: subscriptions: %s",
			r == OW_SUBS_NOSPACE ? "no shared memory"
			: r < 0		     ? strerror(-r)
					     : "another process holds the "
					       "domain lock");
		return -1;
	}
	if (ow_advertise_own(OW_EVENT_POST, post) != 0 ||
	    ow_advertise_own(OW_EVENT_SUBSCRIBE, subscribe) != 0 ||
	    ow_advertise_own(OW_EVENT_UNSUBSCRIBE, unsubscribe) != 0)
		return -1;
	system_deliver(dom); /* from now on */
	return tpext_addperiodcb(1, each_second);
}

void tpsvrdone(void)
{
	deliver_close();
	system_close();
	if (dom != NULL)
		ow_domain_leave(dom);
}
