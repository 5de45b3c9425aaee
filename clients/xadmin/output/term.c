/* SPDX-License-Identifier: Apache-2.0 */
/*
 * term.c - the terminal that reads standard output, if any
 */
#include "clients/xadmin/output/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "libubf/base/variable.h"

#define COLUMNS 80 /* of a terminal that does not tell its size */
#define ROWS	24

static bool wants_colour(void)
{
	const char *no = ow_variable("NO_COLOR"), *term = ow_variable("TERM");

	if (no != NULL && *no != '\0')
		return false;
	return term != NULL && *term != '\0' && strcmp(term, "dumb") != 0;
}

struct ow_term ow_term_ask(void)
{
	struct ow_term t = { .columns = 0 };
	struct winsize w;

	if (!isatty(STDOUT_FILENO))
		return t;
	t.columns = COLUMNS;
	t.rows = ROWS;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0) {
		t.columns = w.ws_col > 0 ? w.ws_col : COLUMNS;
		t.rows = w.ws_row > 0 ? w.ws_row : ROWS;
	}
	t.colour = wants_colour();
	return t;
}

const char *ow_term_colour(const struct ow_term *t, enum ow_colour colour)
{
	static const char *const sequences[OW_COLOUR_END] = {
		[OW_COLOUR_NONE] = "\033[0m",  [OW_COLOUR_GOOD] = "\033[32m",
		[OW_COLOUR_WARN] = "\033[33m", [OW_COLOUR_BAD] = "\033[31m",
		[OW_COLOUR_HEAD] = "\033[1m",
	};

	return t->colour ? sequences[colour] : "";
}
