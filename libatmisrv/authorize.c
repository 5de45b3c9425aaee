/* SPDX-License-Identifier: Apache-2.0 */
/*
 * authorize.c - is the request in hand allowed?
 *
 * Not on the path of requests in a domain without rules: dispatch.c looks at
 * one word. The sender is known by its client slot, which a guest cannot
 * choose: the gate sends its requests (libatmi/gate/serve.c).
 */
#include "libatmisrv/authorize.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/door/door.h"
#include "libatmi/log/log.h"
#include "libatmisrv/own.h"
#include "libatmisrv/server.h"

/* Refusals can be many; the log has one a second. */
static void complain(struct ow_server *s, const char *svc,
		     const struct ow_caller *c, const char *why)
{
	uint64_t now = ow_clock_mono_ns();

	if (now - s->complained_ns < OW_NS_PER_SEC)
		return;
	s->complained_ns = now;
	log_warn("service %s: user %u%s%s is refused: %s (further ones within "
		 "a second are not logged)", svc, c->uid,
		 c->login[0] != '\0' ? ", logged in as " : "", c->login, why);
}

static bool is_authsvc(const struct ow_server *s, const char *svc)
{
	return s->door.rules != NULL &&
	       strcmp(ow_rules_security(s->door.rules)->authsvc, svc) == 0;
}

/* NULL: it may. */
static const char *find_reason(const struct ow_server *s, const char *svc,
			       const struct ow_caller *c)
{
	if (ow_door_is_stranger(&s->door, c))
		return "not logged in";
	if (is_authsvc(s, svc))
		return "only the gate calls it";
	if (!ow_door_authorizes(&s->door, OW_RULE_CALL, svc, c))
		return "not in its acl";
	return NULL;
}

/* The service whose rule counts: SVC@GROUP and @>SVC have that of SVC. */
static void find_ruled(const char *name, char ret[OW_SVC_NAME])
{
	if (strncmp(name, OW_SVC_SHARE, strlen(OW_SVC_SHARE)) == 0)
		name += strlen(OW_SVC_SHARE);
	snprintf(ret, OW_SVC_NAME, "%s", name);
	if (name[0] != '@')
		ret[strcspn(name, "@")] = '\0';
}

int ow_authorize(struct ow_server *s, uint32_t row, const struct ow_msg *m,
		 long *ret_appkey)
{
	char svc[OW_SVC_NAME];
	const char *why;
	struct ow_caller c = { 0 };
	bool runtime = false;
	int r = ow_door_who(s->dom, m->clt_slot, m->clt_gen, &c, &runtime);

	if (r == 0)
		*ret_appkey = (long)c.appkey;
	if (runtime || m->vouched)
		return 0;
	find_ruled(s->offers[row].any ? s->dom->tables->svc[m->svc].name
				      : s->offers[row].name, svc);
	if (r == 0)
		r = ow_door_read(&s->door, s->dom);
	why = r == 0 ? find_reason(s, svc, &c) : strerror(-r);
	if (why == NULL)
		return 0;
	complain(s, svc, &c, why);
	return TPEPERM;
}

void ow_authorize_close(struct ow_server *s)
{
	ow_door_close(&s->door);
}

/* ---- for tmqueue ---- */

int ow_own_may_call(const char *svc)
{
	struct ow_server *s = ow_server_used();
	struct ow_caller c = { 0 };
	bool runtime = false;
	char ruled[OW_SVC_NAME];
	const char *why;
	int r;

	if (s == NULL || ow_rules_guards(s->dom) == 0 || s->rq.msg->vouched)
		return 0;
	r = ow_door_who(s->dom, s->rq.msg->clt_slot, s->rq.msg->clt_gen, &c,
			&runtime);
	if (runtime)
		return 0;
	find_ruled(svc, ruled);
	if (r == 0)
		r = ow_door_read(&s->door, s->dom);
	why = r == 0 ? find_reason(s, ruled, &c) : strerror(-r);
	if (why == NULL)
		return 0;
	complain(s, ruled, &c, why);
	return TPEPERM;
}

/* ---- for tpevsrv ---- */

/* The thread that serves, if there are rules about events now; NULL: none. */
static struct ow_server *find_judge(void)
{
	struct ow_server *s = ow_server_used();

	return s != NULL &&
		       (ow_rules_guards(s->dom) & OW_GUARD_EVENTS) != 0
		   ? s
		   : NULL;
}

/* Whatever cannot be known is refused. */
static bool may(struct ow_server *s, enum ow_rule_kind kind, const char *name,
		uint32_t slot, uint32_t gen)
{
	struct ow_caller c;
	bool runtime = false;

	if (ow_door_read(&s->door, s->dom) != 0 ||
	    ow_door_who(s->dom, slot, gen, &c, &runtime) != 0)
		return false;
	return runtime || ow_door_authorizes(&s->door, kind, name, &c);
}

static int may_sender(enum ow_rule_kind kind, const char *name)
{
	struct ow_server *s = find_judge();
	const struct ow_msg *m;

	if (s == NULL)
		return 0;
	m = s->rq.msg;
	return m->vouched || may(s, kind, name, m->clt_slot, m->clt_gen)
		   ? 0
		   : TPEPERM;
}

bool ow_own_is_remote(void)
{
	const struct ow_server *s = ow_server_used();

	return s != NULL && s->rq.active &&
	       (s->rq.msg->flags & OW_MSG_REMOTE) != 0;
}

int ow_own_may_post(const char *event)
{
	return may_sender(OW_RULE_POST, event);
}

/* A pattern that is a word, with or without ^ and $, is judged as the name that
 * it is; what others match is judged event by event. */
int ow_own_may_subscribe(const char *pattern)
{
	char name[64];
	size_t n;

	pattern += *pattern == '^';
	n = strcspn(pattern, "$");
	if (n >= sizeof(name) || n != strcspn(pattern, ".*+?[](){}|\\^$") ||
	    strlen(pattern) > n + 1)
		return 0;
	memcpy(name, pattern, n);
	name[n] = '\0';
	return may_sender(OW_RULE_SUBSCRIBE, name);
}

bool ow_own_may_get(const char *event, uint32_t slot, uint32_t gen)
{
	struct ow_server *s = find_judge();

	return s == NULL || may(s, OW_RULE_SUBSCRIBE, event, slot, gen);
}
