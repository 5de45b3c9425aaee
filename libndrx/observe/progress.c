/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.c - progress of an order (start, stop) as lines of text
 */
#include "libndrx/observe/progress.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "libatmi/base/clock.h"

#define ERASE "\r\033[K"

struct ow_progress_begun {
	uint32_t srvid;
	char *line;
	struct ow_progress_begun *next;
};

/* `exec BIN CLOPT :`; the text is CLOPT, with or without BIN before it. */
static char *exec_line(const struct ow_ctl_event *e)
{
	size_t n = strlen(e->bin);
	const char *clopt = e->text;
	char *line = NULL;

	if (strncmp(clopt, e->bin, n) == 0 &&
	    (clopt[n] == ' ' || clopt[n] == '\0'))
		clopt += n;
	clopt += strspn(clopt, " ");
	n = strlen(clopt);
	while (n > 0 && clopt[n - 1] == ' ')
		n--;
	if (asprintf(&line, "exec %s %.*s%s:\n\t", e->bin, (int)n, clopt,
		     n > 0 ? " " : "") < 0)
		return NULL;
	return line;
}

/* ---- the progress line ---- */

static void erase_status(struct ow_progress *p)
{
	if (p->status_shown)
		fputs(ERASE, p->out);
	p->status_shown = false;
}

static void show_status(struct ow_progress *p)
{
	uint32_t done = p->started + p->stopped + p->failed;
	double s;

	if (!p->live || p->open != 0)
		return;
	if (p->begin_ns == 0)
		p->begin_ns = ow_clock_mono_ns();
	s = (double)(ow_clock_mono_ns() - p->begin_ns) /
	    (1000.0 * OW_NS_PER_MS);
	fprintf(p->out, "[ %u", done);
	if (p->total >= done && p->total > 0)
		fprintf(p->out, " of %u", p->total);
	fprintf(p->out, " done, %u failed, %.1f s ]", p->failed, s);
	p->status_shown = true;
}

/* ---- lines ---- */

static void close_line(struct ow_progress *p)
{
	if (p->open != 0)
		putc('\n', p->out);
	p->open = 0;
}

static void on_begun(struct ow_progress *p, const struct ow_ctl_event *e)
{
	char *line = exec_line(e);
	struct ow_progress_begun *b;

	if (line == NULL)
		return;
	if (p->open == 0) {
		fputs(line, p->out);
		p->open = e->srvid;
		free(line);
		return;
	}
	b = calloc(1, sizeof(*b));
	if (b == NULL) {
		free(line);
		return;
	}
	b->srvid = e->srvid;
	b->line = line;
	LL_APPEND(p->begun, b);
}

static void drop(struct ow_progress *p, struct ow_progress_begun *b)
{
	LL_DELETE(p->begun, b);
	free(b->line);
	free(b);
}

/* Print the first half of the line for server `srvid`, if it is not printed
 * yet: its result comes next. */
static void head_line(struct ow_progress *p, const struct ow_ctl_event *e)
{
	struct ow_progress_begun *b;

	if (p->open == e->srvid) {
		p->open = 0;
		return;
	}
	close_line(p);
	LL_SEARCH_SCALAR(p->begun, b, srvid, e->srvid);
	if (b == NULL) {
		fprintf(p->out, "exec %s :\n\t", e->bin);
		return;
	}
	fputs(b->line, p->out);
	drop(p, b);
}

static void on_started(struct ow_progress *p, const struct ow_ctl_event *e)
{
	head_line(p, e);
	fprintf(p->out, "process id=%d ... %s.\n", e->pid,
		ow_proc_state_text(e->state));
	if (e->state == OW_PROC_RUNNING) {
		p->started++;
		return;
	}
	p->failed++;
	if (e->text[0] != '\0')
		fprintf(p->out, "\t%s\n", e->text);
}

static void on_stopped(struct ow_progress *p, const struct ow_ctl_event *e)
{
	close_line(p);
	fprintf(p->out, "Server executable = %s\tId = %u :\t%s.\n", e->bin,
		e->srvid, ow_proc_state_text(e->state));
	if (e->state == OW_PROC_EXITED || e->state == OW_PROC_DIED)
		p->stopped++;
	if (e->state != OW_PROC_EXITED && e->state != OW_PROC_NOT_STARTED &&
	    e->text[0] != '\0')
		fprintf(p->out, "\t%s\n", e->text);
}

void ow_progress_on_reply(const union ow_ctl_msg *m, void *arg)
{
	struct ow_progress *p = arg;
	const struct ow_ctl_event *e = &m->event;

	if (m->h.kind != OW_CTL_EVENT)
		return;
	erase_status(p);
	if (e->verb == OW_VERB_START && e->begun) {
		on_begun(p, e);
	} else if (e->verb == OW_VERB_START) {
		on_started(p, e);
	} else if (e->verb == OW_VERB_STOP) {
		on_stopped(p, e);
	} else {
		close_line(p);
		fprintf(p->out, "%s\n", e->text);
	}
	show_status(p);
	fflush(p->out);
}

void ow_progress_end(struct ow_progress *p)
{
	erase_status(p);
	close_line(p);
	while (p->begun != NULL)
		drop(p, p->begun);
}
