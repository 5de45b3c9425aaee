/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - text escaped for a configuration file
 */
#include "libndrx/config/config.h"

#include <string.h>

void ow_config_text_put(FILE *out, const char *s, bool literal)
{
	for (; *s != '\0'; s++) {
		if (literal && strncmp(s, "${", 2) == 0)
			fputc('\\', out);
		switch (*s) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\t':
		case '\n':
		case '\r':
			fprintf(out, "&#%d;", *s);
			break;
		default:
			fputc(*s, out);
		}
	}
}
