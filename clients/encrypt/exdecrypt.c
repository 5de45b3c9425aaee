/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exdecrypt.c - exdecrypt: decrypt a value of a configuration
 */
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "clients/encrypt/text.h"

static const struct text_program program = {
	.name = "exdecrypt",
	.help = "usage: exdecrypt [text]\n"
		"Print what exencrypt made the text of; without an argument (or "
		"with -) it is the\nfirst line of the standard input.\n",
	.question = "Encrypted text",
};

int main(int argc, char **argv)
{
	char text[TEXT_ENCRYPTED + 1], out[TEXT_ENCRYPTED + 1];
	int status = text_read(&program, argc, argv, text);
	long n = sizeof(out);

	if (status >= 0)
		return status;
	if (tpdecrypt(text, 0, out, &n, TPEX_STRING) != 0)
		return text_fail(&program);
	status = text_print(&program, out);
	explicit_bzero(out, sizeof(out));
	return status;
}
