/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.c - turn input into actions: keys, mouse
 */
#include "clients/ndrxtop/paint/keys.h"

#include <curses.h>
#include <signal.h>

#include "clients/ndrxtop/console/console.h"
#include "clients/ndrxtop/paint/paint.h"

#define KEY_ESC 27
#define CTRL(c) ((c) & 0x1f)

static const struct {
	int key;
	enum ow_action action;
} keys[] = {
	{ '1', OW_ACT_SERVICES },
	{ '2', OW_ACT_SERVERS },
	{ '3', OW_ACT_QUEUES },
	{ '4', OW_ACT_CLIENTS },
	{ '5', OW_ACT_EVENTS },
	{ '6', OW_ACT_WAKEUPS },
	{ '7', OW_ACT_TRANS },
	{ '8', OW_ACT_DURABLE },
	{ '9', OW_ACT_NODES },
	{ '0', OW_ACT_CALLS },
	{ 'H', OW_ACT_HTTP },
	{ '\t', OW_ACT_NEXT },
	{ KEY_BTAB, OW_ACT_PREVIOUS },
	{ KEY_UP, OW_ACT_UP },
	{ 'k', OW_ACT_UP },
	{ KEY_DOWN, OW_ACT_DOWN },
	{ 'j', OW_ACT_DOWN },
	{ KEY_PPAGE, OW_ACT_PAGE_UP },
	{ KEY_NPAGE, OW_ACT_PAGE_DOWN },
	{ KEY_HOME, OW_ACT_FIRST },
	{ 'g', OW_ACT_FIRST },
	{ KEY_END, OW_ACT_LAST },
	{ 'G', OW_ACT_LAST },
	{ '\n', OW_ACT_ENTER },
	{ '\r', OW_ACT_ENTER },
	{ KEY_ENTER, OW_ACT_ENTER },
	{ KEY_RIGHT, OW_ACT_LATER },
	{ KEY_ESC, OW_ACT_BACK },
	{ KEY_LEFT, OW_ACT_EARLIER },
	{ '[', OW_ACT_MINUTE_BACK },
	{ ']', OW_ACT_MINUTE_ON },
	{ KEY_BACKSPACE, OW_ACT_BACK },
	{ 127, OW_ACT_BACK },
	{ 'i', OW_ACT_CARD },
	{ 'e', OW_ACT_SERVER_EVENTS },
	{ '/', OW_ACT_FILTER },
	{ '<', OW_ACT_SORT_LEFT },
	{ ',', OW_ACT_SORT_LEFT },
	{ '>', OW_ACT_SORT_RIGHT },
	{ '.', OW_ACT_SORT_RIGHT },
	{ 'R', OW_ACT_REVERSE },
	{ ' ', OW_ACT_FREEZE },
	{ 'w', OW_ACT_WINDOW },
	{ '+', OW_ACT_FASTER },
	{ '-', OW_ACT_SLOWER },
	{ '!', OW_ACT_ALARMS },
	{ 's', OW_ACT_START },
	{ 'x', OW_ACT_STOP },
	{ 'r', OW_ACT_RESTART },
	{ 'o', OW_ACT_OUTPUT },
	{ 'a', OW_ACT_ASCII },
	{ CTRL('l'), OW_ACT_REDRAW },
	{ '?', OW_ACT_HELP },
	{ 'h', OW_ACT_HELP },
	{ KEY_F(1), OW_ACT_HELP },
	{ 'q', OW_ACT_QUIT },
	{ CTRL('c'), OW_ACT_QUIT },
};

void ow_keys_start(bool mouse)
{
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	if (mouse)
		mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED |
			      BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED |
			      BUTTON5_PRESSED,
			  NULL);
	mouseinterval(150);
}

/* ---- mouse ---- */

static void click_title(struct ow_console *c, const struct ow_layout *l, int x)
{
	int i;

	for (i = 0; i < l->n_places; i++)
		if (x >= l->places[i].x &&
		    x <= l->places[i].x + l->places[i].width)
			ow_grid_sort(&c->grid[c->now], l->places[i].column);
}

static void click_tab(struct ow_console *c, const struct ow_layout *l, int x)
{
	int i;

	for (i = 0; i < OW_SCREEN_OFFERS; i++)
		if (x >= l->tabs[i].x && x < l->tabs[i].x + l->tabs[i].width)
			ow_console_show(c, (enum ow_screen_id)i);
}

static void click_row(struct ow_console *c, const struct ow_layout *l, int y,
		      bool twice)
{
	struct ow_grid *g = &c->grid[c->now];
	size_t line = (size_t)(y - l->first_row);

	if (line >= l->rows || g->top + line >= g->n)
		return;
	ow_grid_select(g, g->top + line);
	if (twice)
		ow_console_act(c, OW_ACT_ENTER);
}

static void mouse_event(struct ow_console *c, const struct ow_layout *l)
{
	MEVENT e;

	if (getmouse(&e) != OK)
		return;
	if (e.bstate & BUTTON4_PRESSED)
		ow_console_act(c, OW_ACT_UP);
	else if (e.bstate & BUTTON5_PRESSED)
		ow_console_act(c, OW_ACT_DOWN);
	else if (c->mode != OW_MODE_PLAIN)
		c->mode = OW_MODE_PLAIN;
	else if (e.y == l->tab_line)
		click_tab(c, l, e.x);
	else if (e.y == l->head_line)
		click_title(c, l, e.x);
	else if (e.y >= l->first_row)
		click_row(c, l, e.y, e.bstate & BUTTON1_DOUBLE_CLICKED);
}

/* ---- keys ---- */

static void type(struct ow_console *c, int ch)
{
	if (ch == KEY_BACKSPACE || ch == 127 || ch == '\b')
		ow_console_type(c, '\b');
	else if (ch == '\r' || ch == '\n' || ch == KEY_ENTER)
		ow_console_type(c, '\n');
	else if (ch == KEY_ESC || ch == CTRL('c'))
		ow_console_type(c, KEY_ESC);
	else if (ch < 128)
		ow_console_type(c, ch);
}

static void press(struct ow_console *c, int ch)
{
	size_t i;

	if (ch == CTRL('z')) {
		if (!c->guest) /* the guest's shell would not know */
			raise(SIGTSTP); /* curses restores the terminal */
		return;
	}
	if (c->mode == OW_MODE_FILTER) {
		type(c, ch);
		return;
	}
	if (c->mode == OW_MODE_CONFIRM) {
		ow_console_answer(c, ch == 'y' || ch == 'Y');
		return;
	}
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (keys[i].key == ch) {
			ow_console_act(c, keys[i].action);
			return;
		}
	}
}

void ow_keys_read(struct ow_console *c, const struct ow_layout *l)
{
	int ch;

	while (!c->quit && (ch = getch()) != ERR) {
		if (ch == KEY_RESIZE)
			c->redraw = true;
		else if (ch == KEY_MOUSE)
			mouse_event(c, l);
		else
			press(c, ch);
	}
}
