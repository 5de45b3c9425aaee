/* SPDX-License-Identifier: Apache-2.0 */
/*
 * env.c - read text from the environment strictly
 */
#include "libatmi/base/env.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 128 /* of a variable in ${...} */

const char *ow_env_str(const char *name, const char *def)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? value : def;
}

/* Decimal digits at *pos; false: none, or more than fit. */
static bool take_digits(const char **pos, uint64_t *ret)
{
	const char *p = *pos;
	uint64_t n = 0;

	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++) {
		if (n > (UINT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (uint64_t)(*p - '0');
	}
	*pos = p;
	*ret = n;
	return true;
}

int ow_env_parse_ms(const char *text, uint64_t *ret_ms)
{
	const char *p = text;
	uint64_t whole, ms = 0, unit = 100;
	bool fraction = false;

	if (!take_digits(&p, &whole))
		return -EINVAL;
	if (*p == '.') {
		fraction = true;
		if (!isdigit((unsigned char)*++p))
			return -EINVAL;
		for (; isdigit((unsigned char)*p); p++, unit /= 10)
			ms += unit * (uint64_t)(*p - '0');
	}
	if (strcmp(p, "ms") == 0 && !fraction) {
		*ret_ms = whole;
		return 0;
	}
	if (*p != '\0' && strcmp(p, "s") != 0)
		return -EINVAL;
	if (whole > (UINT64_MAX - ms) / 1000)
		return -EINVAL;
	*ret_ms = whole * 1000 + ms;
	return 0;
}

int ow_env_parse_long(const char *text, long *ret_value)
{
	char *end;
	long value;
	int saved = errno;

	if (!isdigit((unsigned char)text[0]) && text[0] != '-')
		return -EINVAL;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno != 0 || *end != '\0' || end == text) {
		errno = saved;
		return -EINVAL;
	}
	errno = saved;
	*ret_value = value;
	return 0;
}

/* The value of the variable between `name` and `end`, or -errno. */
static int look_up(const char *name, const char *end, const char **ret)
{
	char buf[NAME_SIZE];
	size_t len = (size_t)(end - name);

	if (strncmp(name, "dec=", 4) == 0)
		return -ENOTSUP;
	if (len >= sizeof(buf))
		return -EINVAL;
	memcpy(buf, name, len);
	buf[len] = '\0';
	*ret = ow_env_str(buf, "");
	return 0;
}

int ow_env_expand(const char *in, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	while (*in != '\0') {
		const char *piece = in, *end;
		size_t len = 1;
		int r;

		if (strncmp(in, "\\${", 3) == 0) {
			piece = "${";
			len = 2;
			in += 3;
		} else if (strncmp(in, "${", 2) == 0) {
			end = strchr(in, '}');
			if (end == NULL)
				return -EINVAL;
			r = look_up(in + 2, end, &piece);
			if (r < 0)
				return r;
			len = strlen(piece);
			in = end + 1;
		} else {
			in++;
		}
		if (len >= size - used)
			return -E2BIG;
		memcpy(out + used, piece, len);
		used += len;
		out[used] = '\0';
	}
	return 0;
}

static bool separates(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == '\n' || c == '\r';
}

/*
 * Copy a word, its quotes and backslashes resolved, up to a separator or
 * `stop`. The characters copied, or -errno.
 */
static int take_word(const char **pos, char stop, char *buf, size_t size)
{
	const char *p = *pos;
	size_t used = 0;
	char quote = '\0';

	for (; *p != '\0'; p++) {
		if (quote == '\0' && (separates(*p) || *p == stop))
			break;
		if (quote == '\0' && (*p == '"' || *p == '\'')) {
			quote = *p;
			continue;
		}
		if (quote != '\0' && *p == quote) {
			quote = '\0';
			continue;
		}
		if (*p == '\\' && p[1] != '\0')
			p++;
		if (used + 1 >= size)
			return -E2BIG;
		buf[used++] = *p;
	}
	if (quote != '\0')
		return -EINVAL;
	buf[used] = '\0';
	*pos = p;
	return (int)used;
}

int ow_env_next_item(const char **pos, char *buf, size_t size, char **ret_key,
		     char **ret_value)
{
	const char *p = *pos;
	char *value;
	int len, r;

	while (separates(*p))
		p++;
	if (*p == '\0')
		return OW_ENV_END;
	len = take_word(&p, '=', buf, size);
	if (len < 0)
		return len;
	value = buf + len;
	if (*p == '=') {
		p++;
		value++;
		if ((size_t)len + 1 >= size)
			return -E2BIG;
		r = take_word(&p, '\0', value, size - (size_t)len - 1);
		if (r < 0)
			return r;
	}
	*pos = p;
	*ret_key = buf;
	*ret_value = value;
	return 0;
}
