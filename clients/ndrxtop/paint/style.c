/* SPDX-License-Identifier: Apache-2.0 */
/*
 * style.c - colours and attributes, by meaning
 */
#include "clients/ndrxtop/paint/style.h"

#include <curses.h>

#define DEFAULT (-1)
#define SELECT_256 237
#define SELECT_8 COLOR_BLUE

struct look {
	short fg, bg;	/* of 256 colours */
	short fg8, bg8; /* of 8 */
	attr_t attr;	/* with colours */
	attr_t mono;	/* without */
};

static const struct look looks[OW_STYLE_END] = {
	[OW_STYLE_PLAIN] = { DEFAULT, DEFAULT, DEFAULT, DEFAULT, A_NORMAL,
			     A_NORMAL },
	[OW_STYLE_FAINT] = { 243, DEFAULT, DEFAULT, DEFAULT, A_NORMAL,
			     A_NORMAL },
	[OW_STYLE_STRONG] = { 231, DEFAULT, COLOR_WHITE, DEFAULT, A_BOLD,
			      A_BOLD },
	[OW_STYLE_BAR] = { 250, 236, COLOR_WHITE, COLOR_BLUE, A_NORMAL,
			   A_REVERSE },
	[OW_STYLE_BAR_STRONG] = { 231, 236, COLOR_WHITE, COLOR_BLUE, A_BOLD,
				  A_REVERSE | A_BOLD },
	[OW_STYLE_TAB] = { 250, DEFAULT, DEFAULT, DEFAULT, A_NORMAL,
			   A_NORMAL },
	[OW_STYLE_TAB_ON] = { 16, 80, COLOR_BLACK, COLOR_CYAN, A_BOLD,
			      A_REVERSE | A_BOLD },
	[OW_STYLE_HEAD] = { 80, DEFAULT, COLOR_CYAN, DEFAULT, A_NORMAL,
			    A_UNDERLINE },
	[OW_STYLE_HEAD_SORT] = { 231, DEFAULT, COLOR_WHITE, DEFAULT, A_BOLD,
				 A_UNDERLINE | A_BOLD },
	[OW_STYLE_GOOD] = { 114, DEFAULT, COLOR_GREEN, DEFAULT, A_NORMAL,
			    A_NORMAL },
	[OW_STYLE_LOOK] = { 221, DEFAULT, COLOR_YELLOW, DEFAULT, A_NORMAL,
			    A_BOLD },
	[OW_STYLE_BAD] = { 231, 160, COLOR_WHITE, COLOR_RED, A_BOLD,
			   A_REVERSE | A_BOLD },
	[OW_STYLE_SPARK] = { 74, DEFAULT, COLOR_CYAN, DEFAULT, A_NORMAL,
			     A_NORMAL },
	[OW_STYLE_KEY] = { 80, DEFAULT, COLOR_CYAN, DEFAULT, A_NORMAL,
			   A_BOLD },
	[OW_STYLE_BOX] = { 252, 235, COLOR_WHITE, COLOR_BLUE, A_NORMAL,
			   A_NORMAL },
	[OW_STYLE_BOX_KEY] = { 80, 235, COLOR_CYAN, COLOR_BLUE, A_BOLD,
			       A_BOLD },
	[OW_STYLE_BOX_LOOK] = { 221, 235, COLOR_YELLOW, COLOR_BLUE, A_NORMAL,
				A_BOLD },
};

static short pair_of(enum ow_style style, bool selected)
{
	return (short)(1 + 2 * (int)style + selected);
}

void ow_style_start(bool colour)
{
	bool many;
	int i, s;

	if (!colour || !has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	many = COLORS >= 256;
	for (i = 0; i < OW_STYLE_END; i++) {
		for (s = 0; s < 2; s++) {
			const struct look *l = &looks[i];
			short bg = many ? l->bg : l->bg8;

			if (s == 1 && bg == DEFAULT)
				bg = many ? SELECT_256 : SELECT_8;
			init_pair(pair_of((enum ow_style)i, s),
				  many ? l->fg : l->fg8, bg);
		}
	}
}

/* Without start_color() there are no pairs. */
void ow_style_set(enum ow_style style, bool selected)
{
	if (COLOR_PAIRS <= pair_of(OW_STYLE_END, false))
		attr_set(looks[style].mono | (selected ? A_REVERSE : A_NORMAL),
			 0, NULL);
	else
		attr_set(looks[style].attr, pair_of(style, selected), NULL);
}
