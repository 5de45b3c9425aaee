/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - write events to the event ring
 */
#include "ndrxd/report/emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "ndrxd/model/ndrxd.h"

void ow_emit_open(struct ndrxd *d)
{
	char path[160];
	int r;

	ow_domain_shm_path(d->dom, "events", path, sizeof(path));
	r = ow_events_open(path, true, &d->events);
	if (r != 0)
		log_warn("event ring %s: %s: events are dropped", path,
			 r < 0 ? ow_owned_strerror(r) : "of another layout");
}

void ow_emit_close(struct ndrxd *d)
{
	d->events = ow_events_close(d->events);
}

static void add(struct ndrxd *d, const struct ow_emit_about *about,
		struct ow_event *ev, const char *fmt, va_list ap)
{
	if (d->events == NULL || d->ipc_gone)
		return;
	ev->about = about->about;
	ev->pid = about->pid;
	ev->state = about->state;
	snprintf(ev->who, sizeof(ev->who), "%s", about->who);
	vsnprintf(ev->text, sizeof(ev->text), fmt, ap);
	ow_events_add(d->events, ev);
}

void ow_emit(struct ndrxd *d, enum ow_event_kind kind, const char *fmt, ...)
{
	struct ow_emit_about about = { .who = "ndrxd", .pid = getpid() };
	struct ow_event ev = { .kind = kind };
	va_list ap;

	va_start(ap, fmt);
	add(d, &about, &ev, fmt, ap);
	va_end(ap);
}

void ow_emit_server(struct ow_inst *s, enum ow_event_kind kind,
		    const char *fmt, ...)
{
	struct ow_emit_about about = { .about = OW_EVENT_SERVER,
				       .who = s->bin,
				       .pid = s->pid,
				       .state = s->au.state };
	struct ow_event ev = { .kind = kind, .srvid = s->srvid };
	va_list ap;

	va_start(ap, fmt);
	add(s->d, &about, &ev, fmt, ap);
	va_end(ap);
}

void ow_emit_about(struct ndrxd *d, const struct ow_emit_about *about,
		   enum ow_event_kind kind, const char *fmt, ...)
{
	struct ow_event ev = { .kind = kind };
	va_list ap;

	va_start(ap, fmt);
	add(d, about, &ev, fmt, ap);
	va_end(ap);
}
