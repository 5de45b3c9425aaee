/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.c - the text of one value parsed
 *
 * Numbers are parsed by hand: strtod follows the locale and accepts "inf" and
 * hexadecimal, neither of which is wanted in a configuration.
 */
#include "libndrx/config/value.h"

#include "libndrx/config/config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SHOWN = 48, SIGNAL_MAX = 64 };

struct decimal {
	uint64_t whole;
	uint64_t micros; /* of the fraction */
	const char *rest;
};

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit time_units[] = {
	{ "ms", 1 },	      { "s", 1000 },	     { "sec", 1000 },
	{ "m", 60 * 1000 },   { "min", 60 * 1000 },  { "h", 3600 * 1000 },
	{ "d", 86400 * 1000 },
};

static const struct unit size_units[] = {
	{ "", 1 },
	{ "K", UINT64_C(1) << 10 },
	{ "M", UINT64_C(1) << 20 },
	{ "G", UINT64_C(1) << 30 },
	{ "T", UINT64_C(1) << 40 },
};

const char *ow_value_quote(const char *text, char *buf, size_t size)
{
	size_t n = 0;

	buf[n++] = '"';
	for (; *text != '\0' && n + 5 < size; text++) {
		unsigned char c = (unsigned char)*text;

		buf[n++] = c < 0x20 || c == 0x7f ? '?' : (char)c;
	}
	if (*text != '\0') {
		memcpy(buf + n, "...", 3);
		n += 3;
	}
	buf[n++] = '"';
	buf[n] = '\0';
	return buf;
}

static int bad(char *why, const char *text, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int bad(char *why, const char *text, const char *fmt, ...)
{
	char shown[SHOWN];
	size_t n;
	va_list ap;

	ow_value_quote(text, shown, sizeof(shown));
	n = (size_t)snprintf(why, OW_VALUE_WHY, "%s ",
			     *text == '\0' ? "the value" : shown);
	va_start(ap, fmt);
	vsnprintf(why + n, OW_VALUE_WHY - n, fmt, ap);
	va_end(ap);
	return OW_VALUE_BAD;
}

static const char *not_a(const char *text, const char *otherwise)
{
	return *text == '\0' ? "is empty" : otherwise;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool parse_int(const char *text, int64_t *ret_value)
{
	bool negative = *text == '-';
	int64_t v = 0;

	if (*text == '-' || *text == '+')
		text++;
	if (!is_digit(*text))
		return false;
	for (; is_digit(*text); text++) {
		/* A number that would overflow is out of every range. */
		if (v < INT64_MAX / 16)
			v = v * 10 + (*text - '0');
	}
	*ret_value = negative ? -v : v;
	return *text == '\0';
}

int ow_value_int(const char *text, const struct ow_value_range *range,
		 char why[OW_VALUE_WHY], int64_t *ret_value)
{
	int64_t v;

	if (!parse_int(text, &v))
		return bad(why, text,
			   "%s; give an integer from %" PRId64 " to %" PRId64,
			   not_a(text, "is not a number"), range->lo,
			   range->hi);
	if (v < range->lo || v > range->hi)
		return bad(why, text,
			   "is out of range; give an integer from %" PRId64
			   " to %" PRId64,
			   range->lo, range->hi);
	*ret_value = v;
	return 0;
}

int ow_value_bool(const char *text, char why[OW_VALUE_WHY], bool *ret_value)
{
	static const char *const words[][2] = {
		{ "n", "y" }, { "no", "yes" }, { "false", "true" }
	};
	int64_t number;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (int v = 0; v < 2; v++) {
			if (strcasecmp(text, words[i][v]) == 0) {
				*ret_value = v != 0;
				return 0;
			}
		}
	}
	/* A number: 0 is no. */
	if (parse_int(text, &number)) {
		*ret_value = number != 0;
		return 0;
	}
	return bad(why, text, "%s; give Y or N",
		   not_a(text, "is neither yes nor no"));
}

int ow_value_share(const char *text, char why[OW_VALUE_WHY], int *ret_percent)
{
	int64_t number;

	if (strcasecmp(text, "always") == 0) {
		*ret_percent = OW_VALUE_ALWAYS;
		return 0;
	}
	if (!parse_int(text, &number) || number < 0 || number > 100)
		return bad(why, text, "%s; give a number from 0 to 100, or "
			   "always", not_a(text, "is no share of a CPU"));
	*ret_percent = (int)number;
	return 0;
}

static bool parse_decimal(const char *text, struct decimal *ret_decimal)
{
	struct decimal d = { 0 };
	uint64_t place = 100000;

	if (!is_digit(*text))
		return false;
	for (; is_digit(*text); text++) {
		if (d.whole < UINT64_C(1) << 56)
			d.whole = d.whole * 10 + (uint64_t)(*text - '0');
	}
	if (*text == '.') {
		if (!is_digit(*++text))
			return false;
		for (; is_digit(*text); text++) {
			d.micros += place * (uint64_t)(*text - '0');
			place /= 10;
		}
	}
	while (*text == ' ' || *text == '\t')
		text++;
	d.rest = text;
	*ret_decimal = d;
	return true;
}

/* Factors are below 2^41, so the fraction's product fits. */
static bool scale(const struct decimal *d, uint64_t factor,
		  uint64_t *ret_value)
{
	uint64_t v;

	if (__builtin_mul_overflow(d->whole, factor, &v))
		return false;
	return !__builtin_add_overflow(v, d->micros * factor / 1000000,
				       ret_value);
}

static const struct unit *find_unit(const struct unit *units, size_t n,
				    const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcasecmp(units[i].name, name) == 0)
			return &units[i];
	}
	return NULL;
}

int ow_value_time(const char *text, uint64_t unit_ms, char why[OW_VALUE_WHY],
		  uint64_t *ret_ms)
{
	struct unit plain = { "", unit_ms };
	const struct unit *u = &plain;
	struct decimal d;
	uint64_t ms;

	if (!parse_decimal(text, &d))
		return bad(why, text,
			   "%s; give a number such as 5, or a time such as "
			   "250ms or 1.5s",
			   not_a(text, "is not a time"));
	if (*d.rest != '\0')
		u = find_unit(time_units,
			      sizeof(time_units) / sizeof(time_units[0]),
			      d.rest);
	if (u == NULL)
		return bad(why, text,
			   "has an unknown unit; give none, or ms, s, m, h, d");
	if (!scale(&d, u->factor, &ms) || ms > OW_VALUE_MS_MAX)
		return bad(why, text, "is too long; give at most 365 days");
	/* 0 often means "never", so a tiny time is not rounded to it. */
	if (ms == 0 && (d.whole > 0 || d.micros > 0))
		ms = 1;
	*ret_ms = ms;
	return 0;
}

int ow_value_size(const char *text, char why[OW_VALUE_WHY],
		  int64_t *ret_bytes)
{
	const struct unit *u;
	struct decimal d;
	uint64_t v;

	if (strcmp(text, "-1") == 0) {
		*ret_bytes = -1;
		return 0;
	}
	if (!parse_decimal(text, &d))
		return bad(why, text,
			   "%s; give bytes such as 512M or 1.5G, or -1 for "
			   "no limit",
			   not_a(text, "is not a size"));
	u = find_unit(size_units, sizeof(size_units) / sizeof(size_units[0]),
		      d.rest);
	if (u == NULL)
		return bad(why, text,
			   "has an unknown suffix; give none, or K, M, G, T");
	if (!scale(&d, u->factor, &v) || v > INT64_MAX)
		return bad(why, text, "is too large; give -1 for no limit");
	*ret_bytes = v == 0 ? -1 : (int64_t)v;
	return 0;
}

static bool is_separator(char c)
{
	return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int ow_value_killseq(const char *text, char why[OW_VALUE_WHY],
		     int ret_signals[3])
{
	const char *p = text;
	int signals[3] = { 0 };
	int n = 0;

	for (;;) {
		int v = 0;

		while (is_separator(*p))
			p++;
		if (*p == '\0')
			break;
		for (; is_digit(*p) && v <= SIGNAL_MAX; p++)
			v = v * 10 + (*p - '0');
		if (v < 1 || v > SIGNAL_MAX ||
		    (*p != '\0' && !is_separator(*p)))
			return bad(why, text,
				   "has something that is no signal; give "
				   "numbers from 1 to %d such as 2,15,9",
				   SIGNAL_MAX);
		if (n == 3)
			return bad(why, text,
				   "has too many signals; give at most 3");
		signals[n++] = v;
	}
	if (n == 0)
		return bad(why, text, "%s; give signal numbers such as 2,15,9",
			   not_a(text, "names no signal"));
	memcpy(ret_signals, signals, sizeof(signals));
	return 0;
}

/* One `key=TIME` of an <autoscale>. */
static int scale_item(const char *text, const char *item, char *why,
		      struct ow_config_scale *s)
{
	const char *eq = strchr(item, '=');
	struct {
		const char *key;
		uint64_t *ms;
	} keys[] = {
		{ "wait", &s->wait_ms },
		{ "after", &s->after_ms },
		{ "calm", &s->calm_ms },
	};
	size_t i, n = eq == NULL ? 0 : (size_t)(eq - item);

	for (i = 0; i < 3; i++)
		if (n == strlen(keys[i].key) &&
		    strncmp(keys[i].key, item, n) == 0)
			break;
	if (i == 3)
		return bad(why, text,
			   "is not understood; give N, or wait=50ms after=1s "
			   "calm=30s");
	return ow_value_time(eq + 1, 1000, why, keys[i].ms);
}

int ow_value_scale(const char *text, char why[OW_VALUE_WHY],
		   struct ow_config_scale *ret)
{
	struct ow_config_scale s = { .after_ms = 1000, .calm_ms = 30000 };
	char item[64];
	const char *p = text;
	bool off = false;
	size_t n;
	int r = 0;

	if (ow_value_bool(text, why, &off) == 0 && !off) {
		memset(ret, 0, sizeof(*ret));
		return 0;
	}
	while (r == 0 && *(p += strspn(p, ", \t\r\n")) != '\0') {
		n = strcspn(p, ", \t\r\n");
		if (n >= sizeof(item))
			return bad(why, text, "has an item that is too long");
		memcpy(item, p, n);
		item[n] = '\0';
		r = scale_item(text, item, why, &s);
		p += n;
	}
	if (r == 0 && s.wait_ms == 0)
		r = bad(why, text,
			"names no wait greater than 0; give N, or wait=50ms "
			"after=1s calm=30s");
	if (r == 0)
		*ret = s;
	return r;
}
