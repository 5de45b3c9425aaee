/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exencrypt.c - exencrypt: encrypt a value of a configuration
 *
 * The standard input is better than an argument, which other users can read.
 */
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "clients/encrypt/text.h"

static const struct text_program program = {
	.name = "exencrypt",
	.help = "usage: exencrypt [text]\n"
		"Print the text encrypted, for ${dec=...} in a configuration; "
		"without an argument (or\nwith -) the text is the first line of "
		"the standard input.\n",
	.question = "Text",
	.again = "Once more",
};

int main(int argc, char **argv)
{
	char text[TEXT_ENCRYPTED + 1], out[TEXT_ENCRYPTED + 1];
	int r, status = text_read(&program, argc, argv, text);
	long n = sizeof(out);

	if (status >= 0)
		return status;
	if (strlen(text) >= TEXT_SIZE || text[0] == '\0') {
		fprintf(stderr, "exencrypt: give a text of 1 to %d bytes\n",
			TEXT_SIZE - 1);
		r = 1;
	} else {
		r = tpencrypt(text, 0, out, &n, TPEX_STRING) == 0
			? 0 : text_fail(&program);
	}
	explicit_bzero(text, sizeof(text));
	return r == 0 ? text_print(&program, out) : r;
}
