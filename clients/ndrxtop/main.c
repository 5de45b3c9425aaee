/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ndrxtop: the console of a domain
 *
 * Reads options, starts the terminal and runs the loop: take a sample, draw,
 * wait for a key, for the child that carries out an order, or for the time of
 * the next sample.
 */
#include <curses.h>
#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/ndrxtop/console/batch.h"
#include "clients/ndrxtop/console/console.h"
#include "libndrx/blackbox/past.h"
#include "clients/ndrxtop/guest.h"
#include "clients/ndrxtop/paint/keys.h"
#include "clients/ndrxtop/paint/paint.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/gate.h"
#include "libubf/base/about.h"
#include "libubf/base/standard.h"
#include "libubf/base/variable.h"

#define BATCH_WIDTH 132

enum { OPT_AT = 256, OPT_REPORT };

struct options {
	bool batch, ascii, no_mouse, mono, reverse;
	long count; /* looks in batch mode; 0: without end */
	int width;
	uint32_t period_ms;
	enum ow_screen_id screen;
	const char *filter, *sort;
	const char *at, *report; /* the black box: time; file */
};

static const char usage[] =
    "usage: ndrxtop [-s SCREEN] [-f WORDS] [-o COLUMN] [-r] [-d SECONDS]\n"
    "               [-aCM] [-b [-n COUNT] [-w WIDTH]]\n"
    "               [--at TIME] [--report FILE]\n"
    "\n"
    "The console of the domain that NDRX_QPREFIX names. `?` shows the keys.\n"
    "\n"
    "  -s SCREEN   services, servers, queues, clients, events, wake-ups,\n"
    "              transactions, durable, nodes, calls, http, offers; the\n"
    "              beginning of a name is enough\n"
    "  -f WORDS    only rows with these words\n"
    "  -o COLUMN   sort by this column; -r: in reverse\n"
    "  -d SECONDS  between two refreshes, 0.1 to 60 (0.5)\n"
    "  -a          ASCII characters, no line drawing\n"
    "  -C          no colours (also: NO_COLOR is set)\n"
    "  -M          leave the mouse to the terminal\n"
    "  -b          print plain text: COUNT times (1; 0: for ever), WIDTH\n"
    "              columns wide (132)\n"
    "  --at TIME   show the black box: 03:12, 03:12:30, \"2026-11-27 03:12\",\n"
    "              10m (ago); Left, Right, [ and ] step\n"
    "  --report FILE  the black box in a report of `xadmin report`\n";

static int wrong(const char *what, const char *value, const char *hint)
{
	fprintf(stderr, "ndrxtop: %s: %s: %s\n", what, value, hint);
	return 2;
}

static int take_period(struct options *o, const char *value)
{
	char *end;
	double s = strtod(value, &end);

	if (end == value || *end != '\0' || !(s >= 0.1 && s <= 60))
		return wrong("-d", value, "give seconds, 0.1 to 60");
	o->period_ms = (uint32_t)(s * 1000 + 0.5);
	return 0;
}

static int take_number(const char *opt, const char *value, long low, long high,
		       long *ret)
{
	char *end, hint[64];
	long n = strtol(value, &end, 10);

	snprintf(hint, sizeof(hint), "give a number, %ld to %ld", low, high);
	if (end == value || *end != '\0' || n < low || n > high)
		return wrong(opt, value, hint);
	*ret = n;
	return 0;
}

static int take_option(struct options *o, int opt, const char *value)
{
	long n = 0;
	int r;

	switch (opt) {
	case 's':
		o->screen = ow_screen_find(value);
		return o->screen != OW_SCREEN_END
			   ? 0
			   : wrong("-s", value, "no such screen");
	case 'f':
		o->filter = value;
		return 0;
	case 'o':
		o->sort = value;
		return 0;
	case 'r':
		o->reverse = true;
		return 0;
	case 'd':
		return take_period(o, value);
	case 'a':
		o->ascii = true;
		return 0;
	case 'C':
		o->mono = true;
		return 0;
	case 'M':
		o->no_mouse = true;
		return 0;
	case OPT_AT:
		o->at = value;
		return 0;
	case OPT_REPORT:
		o->report = value;
		return 0;
	case 'b':
		o->batch = true;
		return 0;
	case 'n':
		return take_number("-n", value, 0, 1000000000, &o->count);
	case 'w':
		r = take_number("-w", value, 20, 1000, &n);
		o->width = (int)n;
		return r;
	default:
		fputs(usage, stderr);
		return 2;
	}
}

/* 0, or 1 + the exit status if ndrxtop must end. */
static int read_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "at", required_argument, NULL, OPT_AT },
		{ "report", required_argument, NULL, OPT_REPORT },
		{ 0 },
	};
	int opt, r;

	while ((opt = getopt_long(argc, argv, "s:f:o:rd:aCMbn:w:hV", longs,
				  NULL)) != -1) {
		if (opt == 'h' || opt == 'V') {
			fputs(opt == 'h' ? usage : "ndrxtop (Onewake) " NDRX_VERSION
								  "\n",
			      stdout);
			return 1;
		}
		r = take_option(o, opt, optarg);
		if (r != 0)
			return r + 1;
	}
	if (optind == argc)
		return 0;
	fputs(usage, stderr);
	return 3;
}

/* Apply the options to the console. */
static int apply(struct ow_console *c, const struct options *o)
{
	struct ow_grid *g = &c->grid[o->screen];
	int column;

	c->now = o->screen;
	c->period_ms = o->period_ms;
	c->utf8 = !o->ascii && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	if (o->filter != NULL)
		snprintf(g->filter, sizeof(g->filter), "%s", o->filter);
	if (o->sort != NULL) {
		column = ow_screen_column(g->screen, o->sort);
		if (column < 0)
			return wrong("-o", o->sort,
				     "this screen has no such column");
		if (column != g->sort)
			ow_grid_sort(g, column);
	}
	if (o->reverse)
		g->rising = !g->rising;
	return 0;
}

/* ---- plain text ---- */

/* Rates need two samples. */
static int run_batch(struct ow_console *c, const struct options *o)
{
	long i;
	int r = ow_console_look(c);

	for (i = 0; r == 0 && (o->count == 0 || i < o->count); i++) {
		if (c->past == NULL)
			poll(NULL, 0, (int)c->period_ms);
		else if (i > 0)
			ow_past_step(c->past, 1);
		r = ow_console_look(c);
		if (r == 0 && !ow_model_overview(c->model)->domain) {
			fprintf(stderr, "ndrxtop: %s\n",
				c->past != NULL
				    ? ow_past_remark(c->past)
				    : ow_model_overview(c->model)->why);
			return 1;
		}
		ow_console_fill(c);
		ow_batch_print(c, o->width, stdout);
		if (c->past != NULL && ow_past_remark(c->past)[0] != '\0')
			printf("! %s\n", ow_past_remark(c->past));
	}
	return r == 0 ? 0 : 1;
}

/* ---- terminal ---- */

static int start_terminal(const struct options *o)
{
	const char *plain = ow_variable("NO_COLOR");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		fputs("ndrxtop: this is not a terminal; -b prints text\n",
		      stderr);
		return -ENOTTY;
	}
	if (newterm(NULL, stdout, stdin) == NULL) {
		fprintf(stderr, "ndrxtop: TERM=%s: unknown terminal\n",
			ow_variable("TERM") ? ow_variable("TERM") : "");
		return -ENOTTY;
	}
	ow_keys_start(!o->no_mouse);
	ow_style_start(!o->mono && (plain == NULL || *plain == '\0'));
	return 0;
}

/* Wait until the next sample, a key, or output of an order. */
static void wait_for_input(struct ow_console *c, uint64_t next_ns)
{
	struct pollfd p[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
			       { .fd = c->order.fd, .events = POLLIN } };
	uint64_t now = ow_clock_mono_ns();
	int ms = now < next_ns
		     ? (int)((next_ns - now + OW_NS_PER_MS - 1) / OW_NS_PER_MS)
		     : 0;

	poll(p, 2, ms);
	if (p[0].revents & (POLLHUP | POLLERR))
		c->quit = true; /* the terminal has gone */
	if (p[1].revents != 0)
		ow_console_order_input(c);
}

static int run_terminal(struct ow_console *c)
{
	struct ow_layout layout = { 0 };
	uint64_t now, next = 0;
	int r = 0;

	while (!c->quit && r == 0) {
		now = ow_clock_mono_ns();
		if (now >= next) {
			r = ow_console_look(c);
			next = now + c->period_ms * OW_NS_PER_MS;
			ow_console_fill(c);
		}
		if (c->guest && ow_top_new_size())
			c->redraw = true;
		if (c->redraw)
			clearok(curscr, TRUE);
		c->redraw = false;
		ow_paint(c, &layout);
		wait_for_input(c, next);
		ow_keys_read(c, &layout);
	}
	return r;
}

static int run(struct ow_console *c, const struct options *o)
{
	int r;

	if (o->batch)
		return run_batch(c, o);
	if (start_terminal(o) != 0)
		return 1;
	r = run_terminal(c);
	endwin();
	if (r < 0)
		fprintf(stderr, "ndrxtop: %s\n", strerror(-r));
	return r == 0 ? 0 : 1;
}

/* The console of now, or of the black box. */
static int open_console(struct ow_console *c, const struct options *o,
			char *why, size_t size)
{
	struct ow_past *past = NULL;

	if (o->at == NULL && o->report == NULL)
		return ow_console_open(c, why, size);
	if (ow_past_open(o->report, o->at, &past, why, size) != 0) {
		memset(c, 0, sizeof(*c));
		ow_order_init(&c->order);
		return -1;
	}
	return ow_console_open_past(c, past, why, size);
}

int main(int argc, char **argv)
{
	struct options o = { .count = 1,
			     .width = BATCH_WIDTH,
			     .period_ms = 500,
			     .screen = OW_SCREEN_SERVICES };
	bool guest = ow_top_for_guest(&argc, argv);
	struct ow_console c;
	char why[512];
	int r;

	ow_standard_fill();
	if (ow_about_text(argc, argv, "ndrxtop", usage))
		return 0;
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	signal(SIGPIPE, SIG_IGN);
	r = read_options(&o, argc, argv);
	if (r != 0)
		return r - 1;
	if (guest && o.report != NULL) {
		fputs("ndrxtop: --report is for files of your own\n", stderr);
		return 2;
	}
	if (!guest && o.report == NULL && ow_gate_is_asked())
		return ow_top_as_guest(argc, argv, o.batch);
	r = open_console(&c, &o, why, sizeof(why));
	if (r != 0) {
		fprintf(stderr, "ndrxtop: %s\n", why);
		ow_console_close(&c);
		return 1;
	}
	c.guest = guest;
	if (guest)
		ow_eventlog_mask(c.log);
	r = apply(&c, &o);
	if (r == 0)
		r = run(&c, &o);
	ow_console_close(&c);
	return r;
}
