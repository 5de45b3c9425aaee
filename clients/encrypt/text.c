/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - what exencrypt and exdecrypt have in common: their text
 */
#include "clients/encrypt/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xatmi.h>

#include "clients/common/ask.h"
#include "libubf/base/about.h"

static int wrong(const struct text_program *p, const char *what, int status)
{
	fprintf(stderr, "%s: %s\n", p->name, what);
	return status;
}

/* Two answers, if that is wanted, that are the same. */
static int ask(const struct text_program *p, char *buf)
{
	char again[TEXT_ENCRYPTED + 1];
	int r = ow_ask_hidden(p->question, buf, TEXT_ENCRYPTED);
	bool same;

	if (r != 0)
		return wrong(p, ow_ask_strerror(r), 1);
	if (p->again == NULL)
		return -1;
	same = ow_ask_hidden(p->again, again, TEXT_ENCRYPTED) == 0 &&
	       strcmp(buf, again) == 0;
	explicit_bzero(again, sizeof(again));
	return same ? -1 : wrong(p, "these were not the same", 1);
}

int text_read(const struct text_program *p, int argc, char **argv, char *buf)
{
	int r;

	if (ow_about_text(argc, argv, p->name, p->help))
		return 0;
	if (argc > 2 || (argc == 2 && argv[1][0] == '-' && argv[1][1] != '\0')) {
		fputs(p->help, stderr);
		return 2;
	}
	if (argc == 2 && strcmp(argv[1], "-") != 0) {
		if (strlen(argv[1]) >= TEXT_ENCRYPTED)
			return wrong(p, "the text is too long", 1);
		strcpy(buf, argv[1]);
		return -1;
	}
	if (isatty(STDIN_FILENO))
		return ask(p, buf);
	r = ow_ask_line(buf, TEXT_ENCRYPTED);
	return r == 0 ? -1 : wrong(p, ow_ask_strerror(r), 1);
}

int text_print(const struct text_program *p, const char *text)
{
	if (puts(text) >= 0 && fflush(stdout) == 0)
		return 0;
	fprintf(stderr, "%s: standard output: not all of it was written: %s\n",
		p->name, strerror(errno));
	return 1;
}

int text_fail(const struct text_program *p)
{
	return wrong(p, tpstrerror(tperrno), 1);
}
