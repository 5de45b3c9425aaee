/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.c - progress of an operation, to the xadmins that watch it
 */
#include "ndrxd/report/progress.h"

#include <stdarg.h>
#include <stdio.h>

#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/peer.h"

static void broadcast(struct ndrxd *d, union ow_ctl_msg *m)
{
	struct ow_peer *p, *next;

	for (p = LIST_FIRST(&d->conn.peers); p != NULL; p = next) {
		next = LIST_NEXT(p, link);
		if (!p->watching)
			continue;
		m->h.seq = p->seq;
		ow_peer_send(p, m);
	}
}

static void fill_event(union ow_ctl_msg *m, const struct ow_inst *s,
		       enum ow_ctl_verb verb)
{
	ow_ctl_init(m, OW_CTL_EVENT, 0);
	m->event.verb = verb;
	m->event.state = s->au.state;
	m->event.srvid = s->srvid;
	m->event.pid = s->pid;
	snprintf(m->event.bin, sizeof(m->event.bin), "%s", s->bin);
}

/* The options as it was, or would have been, started. */
static void fill_options(union ow_ctl_msg *m, const struct ow_inst *s)
{
	const struct ow_config_server *def = s->def;
	const char *rndk = s->d->base.rndk;

	if (s->clopt != NULL)
		snprintf(m->event.text, sizeof(m->event.text), "%s", s->clopt);
	else if (def != NULL)
		snprintf(m->event.text, sizeof(m->event.text),
			 "%s%s%s-i %u %s -- %s", rndk[0] ? "-k " : "", rndk,
			 rndk[0] ? " " : "", s->srvid,
			 def->sysopt != NULL ? def->sysopt : "",
			 def->appopt != NULL ? def->appopt : "");
}

void ow_progress_result(struct ndrxd *d, struct ow_inst *s,
		      enum ow_ctl_verb verb)
{
	union ow_ctl_msg m;

	/* Both halves of a line together: servers start in parallel. */
	if (verb == OW_VERB_START) {
		fill_event(&m, s, verb);
		m.event.begun = 1;
		m.event.state = OW_PROC_STARTING;
		fill_options(&m, s);
		broadcast(d, &m);
	}
	fill_event(&m, s, verb);
	snprintf(m.event.text, sizeof(m.event.text), "%s", s->au.reason);
	broadcast(d, &m);
}

void ow_progress_done(struct ndrxd *d, uint32_t status, uint32_t count,
		      const char *text)
{
	struct ow_peer *p, *next;

	for (p = LIST_FIRST(&d->conn.peers); p != NULL; p = next) {
		next = LIST_NEXT(p, link);
		if (p->watching)
			ow_peer_done(p, status, count, text);
	}
}

void ow_progress_line(struct ow_peer *p, const char *fmt, ...)
{
	union ow_ctl_msg m;
	va_list ap;

	ow_ctl_init(&m, OW_CTL_EVENT, p->seq);
	m.event.verb = OW_VERB_STAT;
	va_start(ap, fmt);
	vsnprintf(m.event.text, sizeof(m.event.text), fmt, ap);
	va_end(ap);
	ow_peer_send(p, &m);
}
