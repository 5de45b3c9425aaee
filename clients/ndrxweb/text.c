/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - strings and numbers of JSON, words of a form
 */
#include "clients/ndrxweb/text.h"

#include <math.h>
#include <string.h>

#include "libubf/base/jsonchar.h"

void ow_web_string(FILE *out, const char *text)
{
	size_t n = strlen(text), used, len;
	char c[OW_JSONCHAR_MAX];

	fputc('"', out);
	while (n > 0) {
		len = ow_jsonchar(text, n,
				  OW_JSONCHAR_REPLACE | OW_JSONCHAR_DEL, c,
				  &used);
		fwrite(c, 1, len, out);
		text += used;
		n -= used;
	}
	fputc('"', out);
}

void ow_web_number(FILE *out, double n)
{
	if (!isfinite(n))
		fputs("null", out);
	else if (n == floor(n) && fabs(n) < 1e15)
		fprintf(out, "%.0f", n);
	else
		fprintf(out, "%.5g", n);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* From `from` to the next & or the end. */
static bool decode(const char *from, char *buf, size_t size)
{
	size_t n = 0;

	for (; *from != '\0' && *from != '&'; from++) {
		char c = *from;

		if (c == '+') {
			c = ' ';
		} else if (c == '%') {
			if (digit(from[1]) < 0 || digit(from[2]) < 0)
				return false;
			c = (char)(digit(from[1]) << 4 | digit(from[2]));
			from += 2;
		}
		if (n + 1 >= size || c == '\0')
			return false;
		buf[n++] = c;
	}
	buf[n] = '\0';
	return true;
}

bool ow_web_form(const char *form, const char *name, char *buf, size_t size)
{
	size_t n = strlen(name);

	while (form != NULL && *form != '\0') {
		if (strncmp(form, name, n) == 0 && form[n] == '=')
			return decode(form + n + 1, buf, size);
		form = strchr(form, '&');
		form = form != NULL ? form + 1 : NULL;
	}
	return false;
}
