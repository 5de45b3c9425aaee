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

#include "libatmi/base/words.h"
#include "libubf/base/variable.h"

const char *ow_env_str(const char *name, const char *def)
{
	const char *value = ow_variable(name);

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

/* Items of configuration strings; a key ends at '=' too. */
#define ITEM_ENDS " \t,\n\r"
static const struct ow_words value_words = {
	.separators = ITEM_ENDS,
	.outside = OW_WORDS_ESCAPE,
	.in_single = OW_WORDS_ESCAPE,
	.in_double = OW_WORDS_ESCAPE,
};
static const struct ow_words key_words = {
	.separators = ITEM_ENDS "=",
	.outside = OW_WORDS_ESCAPE,
	.in_single = OW_WORDS_ESCAPE,
	.in_double = OW_WORDS_ESCAPE,
};

/* Failures of the words as -errno. */
static int take_word(const struct ow_words *w, const char **pos, char *buf,
		     size_t size)
{
	int r = ow_words_take(w, pos, buf, size);

	return r > 0 ? -EINVAL : r;
}

int ow_env_next_item(const char **pos, char *buf, size_t size, char **ret_key,
		     char **ret_value)
{
	const char *p = *pos;
	char *value;
	int r;

	if (!ow_words_skip(&value_words, &p))
		return OW_ENV_END;
	r = take_word(&key_words, &p, buf, size);
	if (r < 0)
		return r;
	value = buf + strlen(buf);
	if (*p == '=') {
		p++;
		value++;
		r = take_word(&value_words, &p, value,
			      size - (size_t)(value - buf));
		if (r < 0)
			return r;
	}
	*pos = p;
	*ret_key = buf;
	*ret_value = value;
	return 0;
}
