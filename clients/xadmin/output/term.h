/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term.h - the terminal that reads standard output, if any
 *
 * Colours are for terminals only, and not when NO_COLOR is set or TERM is
 * "dumb". watch.c redirects standard output, so it asks before and passes the
 * result on.
 */
#ifndef OW_TERM_H
#define OW_TERM_H

#include <stdbool.h>

struct ow_term {
	int columns; /* 0: no terminal, lines may have any length */
	int rows;
	bool colour;
};

enum ow_colour {
	OW_COLOUR_NONE = 0,
	OW_COLOUR_GOOD,
	OW_COLOUR_WARN,
	OW_COLOUR_BAD,
	OW_COLOUR_HEAD,
	OW_COLOUR_END,
};

/* The terminal of standard output now. */
struct ow_term ow_term_ask(void);

/* The escape sequence that begins a colour (NONE: ends it); "" without
 * colours. */
const char *ow_term_colour(const struct ow_term *t, enum ow_colour colour);

#endif
