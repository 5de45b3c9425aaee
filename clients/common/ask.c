/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - a line of the standard input, which a terminal does not show
 */
#include "clients/common/ask.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

int ow_ask_line(char *buf, size_t size)
{
	if (fgets(buf, (int)size + 1, stdin) == NULL)
		return -EINVAL;
	if (strcspn(buf, "\n") >= size)
		return -EINVAL;
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

int ow_ask_hidden(const char *question, char *buf, size_t size)
{
	struct termios before, quiet;
	int r;

	if (tcgetattr(STDIN_FILENO, &before) < 0)
		return -errno;
	quiet = before;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	fprintf(stderr, "%s: ", question);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	r = ow_ask_line(buf, size);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	fprintf(stderr, "\n");
	return r;
}
