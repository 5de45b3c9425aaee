/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.c - the console of a domain of another user, who lets us look
 */
#include "clients/ndrxtop/guest.h"

#include <curses.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "libndrx/observe/as_owner.h"
#include "libatmi/domain/domain.h"
#include "libatmi/member/join.h"
#include "libubf/base/variable.h"

#define LETTERS                      \
	"abcdefghijklmnopqrstuvwxyz" \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+._"

/* ---- the guest's side ---- */

/* Until the other ndrxtop has ended; then the terminal is as it was. */
static int lend(struct ow_as_owner *a, const struct ow_domain *d)
{
	struct termios before;
	bool known = a->terminal >= 0 && tcgetattr(a->terminal, &before) == 0;
	int code = 1, r = ow_as_owner(a, d, &code);

	if (known)
		tcsetattr(a->terminal, TCSADRAIN, &before);
	if (r != 0)
		fprintf(stderr, "ndrxtop: %s\n", a->why);
	return r == 0 ? code : 1;
}

int ow_top_as_guest(int n, char **words, bool batch)
{
	struct ow_as_owner a = { .program = "ndrxtop",
				 .words = words,
				 .n_words = n,
				 .terminal = -1,
				 .write = ow_as_owner_write };
	const char *term = ow_variable("TERM");
	struct ow_domain d;
	char why[512];
	int r;

	if (ow_domain_read_env(&d, why, sizeof(why)) != 0) {
		fprintf(stderr, "ndrxtop: %s\n", why);
		return 1;
	}
	if (!batch)
		a.terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (!batch && a.terminal < 0) {
		fputs("ndrxtop: this is not a terminal; -b prints text\n",
		      stderr);
		return 1;
	}
	words[0] = (char *)(term != NULL && *term != '\0' ? term : "dumb");
	r = lend(&a, &d);
	if (a.terminal >= 0)
		close(a.terminal);
	return r;
}

/* ---- the side of the domain's user ---- */

bool ow_top_for_guest(int *argc, char **argv)
{
	if (ow_as_owner_begin(argc, argv, 0) == OW_GUEST_NOBODY)
		return false;
	if (*argc > 1) {
		/* No path: the guest does not choose which file is read. */
		if (argv[1][strspn(argv[1], LETTERS)] == '\0')
			setenv("TERM", argv[1], 1);
		memmove(argv + 1, argv + 2,
			(size_t)(*argc - 1) * sizeof(*argv));
		(*argc)--;
	}
	if (isatty(STDOUT_FILENO))
		dup2(STDOUT_FILENO, STDIN_FILENO);
	return true;
}

bool ow_top_new_size(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || w.ws_row == 0 ||
	    w.ws_col == 0 || (w.ws_row == LINES && w.ws_col == COLS))
		return false;
	resizeterm(w.ws_row, w.ws_col);
	return true;
}
