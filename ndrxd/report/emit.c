/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - write events to the event ring, the history, the journal
 */
#include "ndrxd/report/emit.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/history.h"
#include "libatmi/log/log.h"
#include "libubf/base/variable.h"
#include "ndrxd/model/ndrxd.h"

/* Is standard error a stream to the journal? systemd says which file that is:
 * JOURNAL_STREAM=DEVICE:INODE. */
static bool is_journal(void)
{
	const char *text = ow_variable("JOURNAL_STREAM");
	uint64_t dev, ino;
	struct stat st;

	return text != NULL &&
	       sscanf(text, "%" SCNu64 ":%" SCNu64, &dev, &ino) == 2 &&
	       fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev &&
	       st.st_ino == ino;
}

/* 0 or -errno. */
static int open_history(struct ndrxd *d)
{
	char path[OW_HISTORY_PATH];
	int r;

	ow_history_path(d->dom, path);
	r = ow_log_file_open(&d->report.history, path, true);
	d->report.has_history = r == 0;
	return r;
}

void ow_emit_open(struct ndrxd *d)
{
	char path[160];
	int r;

	ow_domain_shm_path(d->dom, "events", path, sizeof(path));
	r = ow_events_open(path, true, &d->report.events);
	if (r != 0)
		log_warn("event ring %s: %s: events are dropped", path,
			 r < 0 ? ow_owned_strerror(r) : "of another layout");
	d->report.history = (struct ow_log_file)OW_LOG_FILE_INIT;
	d->report.journal = d->report.history;
	d->report.has_journal = is_journal();
	r = open_history(d);
	if (r != 0)
		log_warn("history: %s: what ndrxd does is not kept; tried "
			 "again once a second", strerror(-r));
}

void ow_emit_tick(struct ndrxd *d)
{
	if (!d->report.has_history) {
		if (open_history(d) == 0)
			log_warn("history: what ndrxd does is kept from now "
				 "on");
		return;
	}
	ow_log_file_follow(&d->report.history);
	ow_log_file_report(&d->report.history);
}

void ow_emit_close(struct ndrxd *d)
{
	d->report.events = ow_events_close(d->report.events);
	if (d->report.has_history)
		ow_log_file_close(&d->report.history);
	d->report.has_history = false;
}

/* The journal has a time of its own. A reader that stalls is not waited for. */
static void write_journal(struct ndrxd *d, const struct ow_event *ev,
			  const char *line)
{
	/* As syslog(3): notice, warning, error. */
	static const int priority[] = { 5, 4, 3 };
	char text[OW_HISTORY_LINE + 8];
	int n = snprintf(text, sizeof(text), "<%d>%s",
			 priority[ow_event_grade(ev->kind)],
			 strchr(line, ' ') + 1);

	ow_log_file_write(&d->report.journal, text, (size_t)n);
}

static void write_history(struct ndrxd *d, const struct ow_event *ev)
{
	char line[OW_HISTORY_LINE];
	size_t n;

	if (!d->report.has_history && !d->report.has_journal)
		return;
	n = ow_history_line(ev, d->dom->prefix, line);
	if (d->report.has_history)
		ow_log_file_write(&d->report.history, line, n);
	if (d->report.has_journal)
		write_journal(d, ev, line);
}

static void add(struct ndrxd *d, const struct ow_emit_about *about,
		struct ow_event *ev, const char *fmt, va_list ap)
{
	ev->about = about->about;
	ev->pid = about->pid;
	ev->state = about->state;
	ev->depth = about->depth;
	ev->real_ns = ow_clock_real_ns();
	snprintf(ev->who, sizeof(ev->who), "%s", about->who);
	vsnprintf(ev->text, sizeof(ev->text), fmt, ap);
	if (!d->ipc_gone)
		ow_events_add(d->report.events, ev);
	write_history(d, ev);
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
