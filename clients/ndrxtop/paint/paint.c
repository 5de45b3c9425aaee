/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paint.c - draw the console with curses
 */
#include "clients/ndrxtop/paint/paint.h"

#include <curses.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clients/ndrxtop/paint/text.h"
#include "clients/ndrxtop/console/cell.h"
#include "libatmi/base/clock.h"

#define WIDE_TABS  96 /* columns that all tabs need, with blanks around */
#define MESSAGE_NS (8 * OW_NS_PER_SEC) /* how long a message is shown */

enum {
	LINE_WHO,
	LINE_FIGURES,
	LINE_TABS,
	LINE_ALARM,
	LINE_HEAD,
	LINE_ROWS,
};

static void fill(int y, enum ow_style style)
{
	ow_style_set(style, false);
	mvhline(y, 0, ' ', COLS);
}

/* Paint a figure with its name: "12.5K calls/s   ". */
static int figure(int x, enum ow_format format, double n, const char *what,
		  bool look)
{
	char number[32];

	ow_cell_number(format, n, 6, number, sizeof(number));
	x = ow_paint_text(LINE_FIGURES, x,
			  look ? OW_STYLE_LOOK : OW_STYLE_STRONG, number);
	x = ow_paint_text(LINE_FIGURES, x, OW_STYLE_FAINT, what);
	return ow_paint_text(LINE_FIGURES, x, OW_STYLE_PLAIN,
			     COLS >= 100 ? "     " : "  ");
}

/* ---- head ---- */

static void paint_who(const struct ow_console *c)
{
	const struct ow_overview *t = ow_model_overview(c->model);
	time_t now = (time_t)(t->real_ns / OW_NS_PER_SEC);
	char clock[16];
	struct tm tm;
	int x;

	fill(LINE_WHO, OW_STYLE_BAR);
	x = ow_paint_text(LINE_WHO, 0, OW_STYLE_BAR_STRONG, " ndrxtop ");
	x = ow_paint_fmt(LINE_WHO, x, OW_STYLE_BAR, " %s  node %ld   ",
			 t->prefix, t->nodeid);
	if (t->ndrxd_pid != 0)
		ow_paint_fmt(LINE_WHO, x, OW_STYLE_BAR, "ndrxd %d",
			     t->ndrxd_pid);
	else if (t->domain)
		ow_paint_text(LINE_WHO, x, OW_STYLE_BAR_STRONG, "no ndrxd");
	localtime_r(&now, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	if (c->past != NULL)
		ow_paint_text(LINE_WHO, COLS - 22, OW_STYLE_TAB_ON,
			      " BLACK BOX ");
	else if (c->frozen)
		ow_paint_text(LINE_WHO, COLS - 19, OW_STYLE_TAB_ON, " FROZEN ");
	ow_paint_text(LINE_WHO, COLS - 9, OW_STYLE_BAR_STRONG, clock);
}

/* On the screen of transactions: how they end. */
static void paint_tran_figures(const struct ow_overview *t)
{
	int x = 1;

	x = figure(x, OW_FMT_COUNT, t->active, " under way", false);
	x = figure(x, OW_FMT_COUNT, t->doubt, " branches in doubt", false);
	x = figure(x, OW_FMT_RATE, t->committed, " committed/s", false);
	figure(x, OW_FMT_RATE, t->rolled_back, " rolled back/s", false);
}

static void paint_figures(const struct ow_console *c)
{
	const struct ow_overview *t = ow_model_overview(c->model);
	char busy[40];
	int x = 1;

	if (!t->domain)
		return;
	if (c->now == OW_SCREEN_TRANS) {
		paint_tran_figures(t);
		return;
	}
	snprintf(busy, sizeof(busy), " of %u servers busy", t->alive);
	x = figure(x, OW_FMT_RATE, t->calls, " calls/s", false);
	x = figure(x, OW_FMT_RATE, t->errors, " errors/s", t->errors > 0);
	x = figure(x, OW_FMT_COUNT, t->waiting, " waiting", false);
	x = figure(x, OW_FMT_COUNT, t->busy, busy, false);
	x = figure(x, OW_FMT_COUNT, t->clients, " clients", false);
	if (x + 10 < COLS)
		x = figure(x, OW_FMT_PERCENT, t->cpu, "% CPU", false);
	if (x + 14 < COLS && !isnan(t->mq_used))
		figure(x, OW_FMT_PERCENT, t->mq_used, "% of queue bytes",
		       t->mq_used >= 90);
}

/* The key that shows a screen. */
static char key_of(int screen)
{
	return screen == OW_SCREEN_HTTP ? 'H' : (char)('0' + (screen + 1) % 10);
}

static void paint_tabs(const struct ow_console *c, struct ow_layout *l)
{
	char right[48];
	int i, x = 0;

	for (i = 0; i < OW_SCREEN_OFFERS; i++) {
		bool on = (int)c->now == i;

		l->tabs[i].x = x;
		x = ow_paint_fmt(LINE_TABS, x,
				 on ? OW_STYLE_TAB_ON : OW_STYLE_TAB,
				 COLS < WIDE_TABS ? " %c %s" : " %c %s ", key_of(i),
				 ow_screen((enum ow_screen_id)i)->title);
		l->tabs[i].width = x - l->tabs[i].x;
	}
	snprintf(right, sizeof(right), "over %s ", ow_console_window(c));
	if (x + (int)strlen(right) >= COLS)
		snprintf(right, sizeof(right), "%s ", ow_console_window(c));
	if (x + (int)strlen(right) < COLS)
		ow_paint_text(LINE_TABS, COLS - (int)strlen(right),
			      OW_STYLE_FAINT, right);
}

/* Paint the service or server of the rows. The column after it. */
static int paint_scope(const struct ow_console *c)
{
	const struct ow_scope *s = &c->grid[c->now].scope;
	char title[128];
	int x;

	if (s->svc == 0 && s->srvid == 0)
		return 0;
	ow_console_title(c, title, sizeof(title));
	x = ow_paint_fmt(LINE_ALARM, 0, OW_STYLE_TAB_ON, " %s %s ",
			 c->utf8 ? "‹" : "<", title);
	return x + 1;
}

static void paint_alarm(const struct ow_console *c)
{
	const struct ow_alarm *a = &c->alarms[0];
	int x = paint_scope(c), more;
	char rest[32];

	if (c->n_alarms == 0) {
		ow_paint_text(LINE_ALARM, x + 1, OW_STYLE_GOOD,
			      c->utf8 ? "● nothing wrong"
				      : "nothing wrong");
		return;
	}
	x = ow_paint_fmt(LINE_ALARM, x,
			 a->grade == OW_GRADE_BAD ? OW_STYLE_BAD
						  : OW_STYLE_LOOK,
			 " %s %s ", c->utf8 ? "▲" : "!", a->text);
	if (c->n_alarms < 2)
		return;
	snprintf(rest, sizeof(rest), " +%zu: ! ", c->n_alarms - 1);
	more = COLS - (int)strlen(rest);
	ow_paint_text(LINE_ALARM, x < more ? x : more, OW_STYLE_STRONG, rest);
}

static void paint_titles(const struct ow_grid *g, struct ow_layout *l,
			 bool utf8)
{
	const char *mark = utf8 ? (g->rising ? "▲" : "▼")
				: (g->rising ? "^" : "v");
	int i, x;

	l->n_places = ow_grid_layout(g, COLS, l->places);
	for (i = 0; i < l->n_places; i++) {
		const struct ow_place *p = &l->places[i];
		const struct ow_column *col = &g->screen->columns[p->column];
		bool sort = p->column == g->sort;
		bool left = col->format == OW_FMT_TEXT ||
			    col->format == OW_FMT_SPARK;
		int width = (int)strlen(col->title);

		x = left || width > p->width ? p->x : p->x + p->width - width;
		ow_paint_fmt(LINE_HEAD, x,
			     sort ? OW_STYLE_HEAD_SORT : OW_STYLE_HEAD,
			     "%.*s", p->width, col->title);
		/* The mark goes into the gap beside the title. */
		if (sort)
			ow_paint_text(LINE_HEAD,
				      left ? x + width : x > 0 ? x - 1 : width,
				      OW_STYLE_HEAD_SORT, mark);
	}
}

/* ---- rows ---- */

static enum ow_style style_of(const struct ow_grid *g,
			      const struct ow_column *col, int column,
			      const struct ow_row *row)
{
	enum ow_grade grade = ow_column_grade(col, row);

	/* Name and state show the grade of the row. */
	if (col->format == OW_FMT_TEXT &&
	    (column == 0 || strcmp(col->title, "STATE") == 0 ||
	     strcmp(col->title, "EVENT") == 0) &&
	    (int)grade < row->grade)
		grade = (enum ow_grade)row->grade;
	if (grade == OW_GRADE_BAD)
		return OW_STYLE_BAD;
	if (grade == OW_GRADE_LOOK)
		return OW_STYLE_LOOK;
	if (col->format == OW_FMT_SPARK)
		return OW_STYLE_SPARK;
	if (strcmp(ow_column_text(col, row), "busy") == 0)
		return OW_STYLE_GOOD;
	if (ow_cell_is_faint(col, row))
		return OW_STYLE_FAINT;
	return column == g->sort ? OW_STYLE_STRONG : OW_STYLE_PLAIN;
}

static void paint_row(const struct ow_console *c, const struct ow_grid *g,
		      const struct ow_layout *l, int y,
		      const struct ow_row *row, bool selected)
{
	char text[OW_CELL_MAX];
	int i;

	ow_style_set(OW_STYLE_PLAIN, selected);
	mvhline(y, 0, ' ', COLS);
	for (i = 0; i < l->n_places; i++) {
		const struct ow_place *p = &l->places[i];
		const struct ow_column *col = &g->screen->columns[p->column];

		ow_cell_write(col, row, p->width, c->utf8, text,
			      sizeof(text));
		ow_style_set(style_of(g, col, p->column, row), selected);
		mvaddstr(y, p->x, text);
	}
}

static void paint_rows(struct ow_console *c, struct ow_layout *l)
{
	struct ow_grid *g = &c->grid[c->now];
	size_t i, at;

	ow_grid_scroll(g, l->rows);
	for (i = 0; i < l->rows && g->top + i < g->n; i++) {
		at = g->top + i;
		paint_row(c, g, l, LINE_ROWS + (int)i, g->rows[at],
			  at == g->at);
	}
	if (g->n > 0 || !ow_model_overview(c->model)->domain)
		return;
	ow_paint_text(LINE_ROWS + 1, 2, OW_STYLE_FAINT,
		      g->filter[0] != '\0' && g->all > 0
			      ? "no row matches; Esc removes the filter"
			      : g->screen->empty);
}

/* ---- foot ---- */

static const struct {
	const char *key, *text;
} foot[] = {
	{ "?", "help" },     { "Enter", "details" }, { "/", "filter" },
	{ "<>", "sort" },   { "Space", "freeze" }, { "w", "window" },
	{ "i", "all columns" }, { "s x r", "start stop restart" },
	{ "q", "leave" },
};

static void paint_keys(const struct ow_console *c)
{
	const struct ow_grid *g = &c->grid[c->now];
	char count[96];
	int x = 1, room;
	size_t i;

	if (g->filter[0] != '\0')
		snprintf(count, sizeof(count), "/%s  %zu of %zu ", g->filter,
			 g->n, g->all);
	else
		snprintf(count, sizeof(count), "%zu of %zu ",
			 g->n > 0 ? g->at + 1 : 0, g->n);
	room = COLS - (int)strlen(count) - 1;
	for (i = 0; i < sizeof(foot) / sizeof(*foot); i++) {
		if (x + (int)(strlen(foot[i].key) + strlen(foot[i].text)) + 1 >
		    room)
			break;
		x = ow_paint_text(LINES - 1, x, OW_STYLE_KEY, foot[i].key);
		x = ow_paint_fmt(LINES - 1, x, OW_STYLE_FAINT, " %s",
				 foot[i].text);
		x += 2;
	}
	ow_paint_text(LINES - 1, COLS - (int)strlen(count),
		      g->filter[0] != '\0' ? OW_STYLE_LOOK : OW_STYLE_FAINT,
		      count);
}

static void paint_foot(struct ow_console *c)
{
	const struct ow_grid *g = &c->grid[c->now];
	int x;

	curs_set(c->mode == OW_MODE_FILTER);
	if (c->mode == OW_MODE_FILTER) {
		x = ow_paint_fmt(LINES - 1, 1, OW_STYLE_STRONG, "/%s",
				 g->filter);
		ow_paint_fmt(LINES - 1, x + 3, OW_STYLE_FAINT,
			     "%zu of %zu   Enter keeps it, Esc cancels",
			     g->n, g->all);
		move(LINES - 1, x);
		return;
	}
	if (c->message[0] != '\0' &&
	    ow_clock_mono_ns() - c->message_ns < MESSAGE_NS) {
		ow_paint_text(LINES - 1, 1, OW_STYLE_STRONG, c->message);
		return;
	}
	paint_keys(c);
}

void ow_paint(struct ow_console *c, struct ow_layout *ret)
{
	struct ow_layout l = { .tab_line = LINE_TABS,
			       .head_line = LINE_HEAD,
			       .first_row = LINE_ROWS };

	erase();
	if (LINES < OW_LINES_MIN || COLS < OW_COLUMNS_MIN) {
		ow_paint_fmt(0, 0, OW_STYLE_PLAIN, "ndrxtop: at least %d x %d",
			     OW_COLUMNS_MIN, OW_LINES_MIN);
		*ret = l;
		refresh();
		return;
	}
	l.rows = (size_t)(LINES - LINE_ROWS - 1);
	c->page = l.rows;
	paint_who(c);
	paint_figures(c);
	paint_tabs(c, &l);
	paint_alarm(c);
	paint_titles(&c->grid[c->now], &l, c->utf8);
	paint_rows(c, &l);
	paint_foot(c);
	ow_paint_popup(c);
	*ret = l;
	refresh();
}
