/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broadcast.c - an unsolicited message to all clients of a name
 *
 * The clients are those of the tables that have a handler. It waits for
 * nobody: a client whose inbox is full misses the message.
 */
#include "libatmi/unsol/broadcast.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/inbox.h"
#include "libatmi/unsol/notify.h"
#include "libubf/regex/regex.h"

/* What a name must be. */
struct pattern {
	const char *text; /* NULL: anything */
	struct ow_regex re;
	bool is_regex;
};

/* An empty text is anything, unless `exact`: 0, or -1 with tperrno. */
static int open_pattern(struct pattern *p, const char *text, bool exact,
			long flags, const char *what)
{
	char why[128] = "";

	memset(p, 0, sizeof(*p));
	if (text == NULL || (*text == '\0' && !exact))
		return 0;
	p->text = text;
	if (*text == '\0' || (flags & TPREGEXMATCH) == 0)
		return 0;
	if (ow_regex_compile(&p->re, text, why, sizeof(why)) != 0)
		return ow_tp_fail(TPEINVAL, "%s \"%.60s\": %s", what, text,
				  why);
	p->is_regex = true;
	return 0;
}

static void close_pattern(struct pattern *p)
{
	if (p->is_regex)
		ow_regex_close(&p->re);
}

static bool matches(const struct pattern *p, const char *name)
{
	if (p->is_regex)
		return ow_regex_run(&p->re, name, strlen(name)) == 1;
	return p->text == NULL || strcmp(p->text, name) == 0;
}

/* Which clients of this domain are meant. */
struct meant {
	struct pattern node, name, user;
};

static void close_meant(struct meant *m)
{
	close_pattern(&m->node);
	close_pattern(&m->name);
	close_pattern(&m->user);
}

static int open_meant(struct meant *m, const struct ow_audience *to)
{
	memset(m, 0, sizeof(*m));
	if (open_pattern(&m->node, to->node,
			 (to->empty & OW_BROADCAST_NO_NODE) != 0, to->flags,
			 "lmid") == 0 &&
	    open_pattern(&m->name, to->name,
			 (to->empty & OW_BROADCAST_NO_NAME) != 0, to->flags,
			 "cltname") == 0 &&
	    open_pattern(&m->user, to->user,
			 (to->empty & OW_BROADCAST_NO_USER) != 0, to->flags,
			 "usrname") == 0)
		return 0;
	close_meant(m);
	return -1;
}

/* The program's name in the id of a client. False: it is a server. */
static bool program_of(const struct ow_clt *t, char *buf, size_t size)
{
	char id[sizeof(t->cltid)];
	const char *from = id + 4;
	size_t n;

	memcpy(id, t->cltid, sizeof(id) - 1);
	id[sizeof(id) - 1] = '\0';
	if (strncmp(id, "clt,", 4) != 0)
		return false;
	n = strcspn(from, ",");
	snprintf(buf, size, "%.*s", (int)n, from);
	return true;
}

/* Whether name and user are those that are meant. What the client has given to
 * tpinit() counts if it is of this generation of the slot. */
static bool is_meant(const struct ow_clt *t, const struct meant *m,
		     uint32_t gen, const char *program)
{
	bool said = atomic_load(&t->said_gen) == gen;
	char user[sizeof(t->said_user)] = "";
	bool named = false;

	if (said) {
		memcpy(user, t->said_user, sizeof(user) - 1);
		named = t->said_name != 0;
	}
	/* Who has given no name is found by its program, and by "". */
	return (matches(&m->name, program) ||
		(!named && m->name.text != NULL && *m->name.text == '\0')) &&
	       matches(&m->user, user);
}

static void send_to_all(struct ow_ctx *c, const struct meant *m,
			const struct ow_content *k)
{
	const struct ow_tables *t = c->dom->tables;
	uint32_t high = atomic_load(&t->head->clt_high);
	struct ow_receiver to;
	char program[64];
	int r;

	for (to.slot = 0; to.slot < high && to.slot < OW_CLT_MAX; to.slot++) {
		to.gen = atomic_load(&t->clt[to.slot].gen);
		if (ow_inbox_wants(c->dom, to.slot, to.gen) != 0 ||
		    !program_of(&t->clt[to.slot], program, sizeof(program)) ||
		    !is_meant(&t->clt[to.slot], m, to.gen, program))
			continue;
		r = ow_notify(c, to, k, OW_DEADLINE_NOW, 0);
		if (r != 0 && r != OW_NOTIFY_GONE)
			log_warn("tpbroadcast: client %s in slot %u: %s",
				 program, to.slot,
				 r == OW_NOTIFY_FULL ? "its inbox is full"
				 : r < 0 ? strerror(-r)
					 : "no shared memory");
	}
}

int ow_broadcast(struct ow_ctx *c, const struct ow_audience *to,
		 const struct ow_content *k)
{
	struct meant m;
	char here[24];

	if (open_meant(&m, to) != 0)
		return -1;
	snprintf(here, sizeof(here), "%ld", c->dom->nodeid);
	if (matches(&m.node, here) || matches(&m.node, c->dom->lmid))
		send_to_all(c, &m, k);
	close_meant(&m);
	return 0;
}
