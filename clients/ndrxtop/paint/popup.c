/* SPDX-License-Identifier: Apache-2.0 */
/*
 * popup.c - draw the popup: help, figures of a row, alarms, a question
 *
 * A popup is a list of lines in a box; a long one scrolls.
 */
#include <curses.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/ndrxtop/console/cell.h"
#include "clients/ndrxtop/paint/paint.h"
#include "clients/ndrxtop/paint/text.h"
#include "libubf/base/text_width.h"

#define LINES_MAX 96
#define WIDTH_MAX 100
#define TEXT_MAX  (4 * WIDTH_MAX + 8)

/* The lines of a popup. Texts are folded to its width. */
struct box {
	const char *title, *foot;
	int n, width; /* width: inside */
	bool utf8;
	struct {
		enum ow_style style;
		char text[TEXT_MAX];
	} line[LINES_MAX];
};

static void add(struct box *b, enum ow_style style, const char *text, int len)
{
	char copy[TEXT_MAX];

	if (b->n >= LINES_MAX)
		return;
	b->line[b->n].style = style;
	snprintf(copy, sizeof(copy), "%.*s", len, text);
	ow_cell_text(copy, b->width, b->utf8, b->line[b->n].text,
		     sizeof(b->line[b->n].text));
	b->n++;
}

/* Add a text, folded at blanks; all lines but the first are indented. */
__attribute__((format(printf, 4, 5))) static void
say(struct box *b, enum ow_style style, int indent, const char *fmt, ...)
{
	char text[1024], line[TEXT_MAX];
	const char *at = text;
	va_list ap;
	int left = 0, len, fit;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	do {
		fit = (int)ow_text_fit(at, b->width - left);
		len = fit;
		while (at[fit] != '\0' && len > 1 && at[len] != ' ')
			len--;
		if (len <= 1)
			len = fit;
		snprintf(line, sizeof(line), "%*s%.*s", left, "", len, at);
		add(b, style, line, left + len);
		at += len;
		at += strspn(at, " ");
		left = indent;
	} while (*at != '\0');
}

/* ---- contents ---- */

static void fill_help(const struct ow_console *c, struct box *b)
{
	static const struct {
		const char *keys, *text;
	} actions[] = {
#define X(name, keys, text) { keys, text },
		OW_ACTIONS(X)
#undef X
	};
	const struct ow_screen *s = c->grid[c->now].screen;
	size_t i;

	b->title = " Help ";
	say(b, OW_STYLE_BOX_KEY, 0, "%s: %s", s->title, s->about);
	for (i = 0; i < s->n_columns; i++)
		say(b, OW_STYLE_BOX, 14, "%-13s %s", s->columns[i].title,
		    s->columns[i].about);
	add(b, OW_STYLE_BOX, "", 0);
	say(b, OW_STYLE_BOX_KEY, 0, "Keys");
	for (i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		say(b, OW_STYLE_BOX, 14, "%-13s %s", actions[i].keys,
		    actions[i].text);
	add(b, OW_STYLE_BOX, "", 0);
	say(b, OW_STYLE_BOX, 0, "The mouse selects rows, screens and the "
	    "column to sort by; a double click opens details. Yellow is worth "
	    "a look; red needs action.");
}

/* All columns, also those that did not fit. */
static void fill_card(const struct ow_console *c, struct box *b)
{
	const struct ow_grid *g = &c->grid[c->now];
	const struct ow_row *row = ow_grid_selected(g);
	char text[32];
	int i;

	b->title = " All columns ";
	if (row == NULL) {
		say(b, OW_STYLE_BOX, 0, "nothing is selected");
		return;
	}
	for (i = 0; i < g->screen->n_columns; i++) {
		const struct ow_column *col = &g->screen->columns[i];

		if (col->format == OW_FMT_SPARK)
			continue;
		if (col->format == OW_FMT_TEXT) {
			say(b, OW_STYLE_BOX, 14, "%-13s %s", col->title,
			    ow_column_text(col, row));
			continue;
		}
		ow_cell_number(col->format, ow_column_number(col, row), 12,
			       text, sizeof(text));
		say(b, OW_STYLE_BOX, 23, "%-13s %-8s %s", col->title, text,
		    col->about);
	}
}

static void fill_alarms(const struct ow_console *c, struct box *b)
{
	size_t i;

	b->title = " Problems ";
	if (c->n_alarms == 0)
		say(b, OW_STYLE_BOX, 0, "nothing is wrong");
	for (i = 0; i < c->n_alarms; i++)
		say(b, c->alarms[i].grade == OW_GRADE_BAD ? OW_STYLE_BAD
							  : OW_STYLE_BOX_LOOK,
		    2, "%s", c->alarms[i].text);
}

static void fill_output(const struct ow_console *c, struct box *b)
{
	const char *at = c->order.text;
	size_t len;

	b->title = " The last command ";
	if (c->order.srvid == 0) {
		say(b, OW_STYLE_BOX, 0, "no command was given");
		return;
	}
	say(b, OW_STYLE_BOX_KEY, 0, "%s of server %u: %s",
	    ow_ctl_verb_word(c->order.verb), c->order.srvid,
	    c->order.pid != 0	? "in progress"
	    : c->order.failed ? "failed"
			      : "done");
	for (; *at != '\0'; at += len + (at[len] == '\n')) {
		len = strcspn(at, "\n");
		say(b, OW_STYLE_BOX, 2, "%.*s", (int)len, at);
	}
}

static void fill_question(const struct ow_console *c, struct box *b)
{
	b->title = " Sure? ";
	b->foot = " y: yes   n, Esc: no ";
	add(b, OW_STYLE_BOX, "", 0);
	say(b, OW_STYLE_BOX, 0, "%s", c->ask_text);
	add(b, OW_STYLE_BOX, "", 0);
}

/* ---- drawing ---- */

static void frame(const struct box *b, int y, int x, int lines, bool utf8)
{
	static const char *const round[] = { "╭", "─", "╮", "│", "╰", "╯" };
	static const char *const plain[] = { "+", "-", "+", "|", "+", "+" };
	const char *const *f = utf8 ? round : plain;
	int i;

	ow_style_set(OW_STYLE_BOX, false);
	mvaddstr(y, x, f[0]);
	mvaddstr(y + lines + 1, x, f[4]);
	for (i = 0; i < b->width + 2; i++) {
		mvaddstr(y, x + 1 + i, f[1]);
		mvaddstr(y + lines + 1, x + 1 + i, f[1]);
	}
	mvaddstr(y, x + b->width + 3, f[2]);
	mvaddstr(y + lines + 1, x + b->width + 3, f[5]);
	for (i = 1; i <= lines; i++) {
		mvaddstr(y + i, x, f[3]);
		mvhline(y + i, x + 1, ' ', b->width + 2);
		mvaddstr(y + i, x + b->width + 3, f[3]);
	}
	ow_paint_text(y, x + 2, OW_STYLE_TAB_ON, b->title);
	if (b->foot != NULL)
		ow_paint_text(y + lines + 1,
			      x + b->width + 2 - (int)strlen(b->foot),
			      OW_STYLE_TAB_ON, b->foot);
}

static void draw(struct ow_console *c, struct box *b)
{
	int lines = b->n < LINES - 4 ? b->n : LINES - 4;
	int y = (LINES - lines - 2) / 2, x = (COLS - b->width - 4) / 2, i;

	if (c->popup_top > b->n - lines)
		c->popup_top = b->n - lines;
	if (c->popup_top < 0)
		c->popup_top = 0;
	if (b->foot == NULL)
		b->foot = lines < b->n ? " PgUp PgDn: more   Esc: close "
				       : " Esc: close ";
	frame(b, y, x, lines, c->utf8);
	for (i = 0; i < lines; i++)
		ow_paint_text(y + 1 + i, x + 2,
			      b->line[c->popup_top + i].style,
			      b->line[c->popup_top + i].text);
}

void ow_paint_popup(struct ow_console *c)
{
	static void (*const fillers[])(const struct ow_console *,
				       struct box *) = {
		[OW_MODE_CONFIRM] = fill_question,
		[OW_MODE_HELP] = fill_help,
		[OW_MODE_CARD] = fill_card,
		[OW_MODE_ALARMS] = fill_alarms,
		[OW_MODE_OUTPUT] = fill_output,
	};
	struct box *b;

	if (c->mode == OW_MODE_PLAIN || c->mode == OW_MODE_FILTER)
		return;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return;
	b->width = COLS - 8 < 76 ? COLS - 8 : 76;
	b->utf8 = c->utf8;
	fillers[c->mode](c, b);
	draw(c, b);
	free(b);
}
