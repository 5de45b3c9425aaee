/* SPDX-License-Identifier: Apache-2.0 */
/*
 * style.h - colours and attributes, by meaning
 *
 * A style is named by its meaning and shown as the terminal can: 256 colours,
 * 8 colours, or none (also with NO_COLOR). No fact is shown by colour alone.
 */
#ifndef OW_STYLE_H
#define OW_STYLE_H

#include <stdbool.h>

enum ow_style {
	OW_STYLE_PLAIN,
	OW_STYLE_FAINT, /* zeros, unknowns, explanations */
	OW_STYLE_STRONG,
	OW_STYLE_BAR,	/* the first line */
	OW_STYLE_BAR_STRONG,
	OW_STYLE_TAB,
	OW_STYLE_TAB_ON,
	OW_STYLE_HEAD,	    /* titles of columns */
	OW_STYLE_HEAD_SORT, /* title of the ordering column */
	OW_STYLE_GOOD,
	OW_STYLE_LOOK,
	OW_STYLE_BAD,
	OW_STYLE_SPARK,
	OW_STYLE_KEY,
	OW_STYLE_BOX, /* popups */
	OW_STYLE_BOX_KEY,
	OW_STYLE_BOX_LOOK,
	OW_STYLE_END
};

/* Call after newterm(). `colour` false: no colours. */
void ow_style_start(bool colour);
/* Draw in this style from now on; `selected`: on the selected row. */
void ow_style_set(enum ow_style style, bool selected);

#endif
