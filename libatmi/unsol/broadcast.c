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
	const char *text; /* NULL or "": anything */
	struct ow_regex re;
	bool is_regex;
};

/* 0, or -1 with tperrno. */
static int open_pattern(struct pattern *p, const char *text, long flags,
			const char *what)
{
	char why[128] = "";

	memset(p, 0, sizeof(*p));
	p->text = text;
	if (text == NULL || *text == '\0' || (flags & TPREGEXMATCH) == 0)
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
	return p->text == NULL || *p->text == '\0' ||
	       strcmp(p->text, name) == 0;
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

static void send_to_all(struct ow_ctx *c, const struct pattern *name,
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
		    !matches(name, program))
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

int ow_broadcast(struct ow_ctx *c, const char *lmid, const char *cltname,
		 const struct ow_content *k, long flags)
{
	struct pattern node, name;
	char here[24];

	if (open_pattern(&node, lmid, flags, "lmid") != 0)
		return -1;
	if (open_pattern(&name, cltname, flags, "cltname") != 0) {
		close_pattern(&node);
		return -1;
	}
	snprintf(here, sizeof(here), "%ld", c->dom->nodeid);
	if (matches(&node, here) || matches(&node, c->dom->lmid))
		send_to_all(c, &name, k);
	close_pattern(&node);
	close_pattern(&name);
	return 0;
}
