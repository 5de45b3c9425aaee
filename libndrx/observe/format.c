/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.c - columns of a listing: numbers, times, names
 */
#include "libndrx/observe/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* `n` in units of `base`: up to three digits, one decimal below 100. */
static char *scale(uint64_t n, uint64_t base, char *buf, size_t size)
{
	static const char units[] = "KMGTPE";
	uint64_t unit = base;
	size_t i = 0;

	if (n < base) {
		snprintf(buf, size, "%" PRIu64, n);
		return buf;
	}
	while (i + 2 < sizeof(units) && n / unit >= base) {
		unit *= base;
		i++;
	}
	if (n / unit < 100)
		snprintf(buf, size, "%" PRIu64 ".%" PRIu64 "%c", n / unit,
			 n % unit / (unit / 10 > 0 ? unit / 10 : 1) % 10,
			 units[i]);
	else
		snprintf(buf, size, "%" PRIu64 "%c", n / unit, units[i]);
	return buf;
}

char *ow_format_count(uint64_t n, char *buf, size_t size)
{
	return scale(n, 1000, buf, size);
}

char *ow_format_bytes(uint64_t n, char *buf, size_t size)
{
	return scale(n, 1024, buf, size);
}

char *ow_format_us(uint64_t us, char *buf, size_t size)
{
	uint64_t s = us / 1000000;

	if (us < 1000)
		snprintf(buf, size, "%" PRIu64 "us", us);
	else if (us < 100000)
		snprintf(buf, size, "%" PRIu64 ".%" PRIu64 "ms", us / 1000,
			 us % 1000 / 100);
	else if (us < 1000000)
		snprintf(buf, size, "%" PRIu64 "ms", us / 1000);
	else if (s < 60)
		snprintf(buf, size, "%" PRIu64 ".%03" PRIu64 "s", s,
			 us % 1000000 / 1000);
	else if (s < 3600)
		snprintf(buf, size, "%" PRIu64 "m%02" PRIu64 "s", s / 60,
			 s % 60);
	else if (s < 86400)
		snprintf(buf, size, "%" PRIu64 "h%02" PRIu64 "m", s / 3600,
			 s % 3600 / 60);
	else if (s / 86400 < 10000)
		snprintf(buf, size, "%" PRIu64 "d%02" PRIu64 "h", s / 86400,
			 s % 86400 / 3600);
	else
		snprintf(buf, size, ">9999d");
	return buf;
}

char *ow_format_cycles(uint64_t ms, char *buf, size_t size)
{
	uint64_t s = ms / 1000;

	if (s < 10000)
		snprintf(buf, size, "%" PRIu64, s);
	else if (s < 1000000)
		snprintf(buf, size, "%" PRIu64 "K", s / 1000);
	else if (s < UINT64_C(1000000000))
		snprintf(buf, size, "%" PRIu64 "M", s / 1000000);
	else
		snprintf(buf, size, "999M");
	return buf;
}

char *ow_format_clip(const char *name, size_t width, char *buf, size_t size)
{
	if (width >= size)
		width = size - 1;
	if (strlen(name) <= width)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, "%.*s+", (int)width - 1, name);
	return buf;
}

void ow_format_header(const char *header, const int *widths)
{
	int i, k;

	fflush(stdout);
	fprintf(stderr, "%s\n", header);
	for (i = 0; widths[i] > 0; i++) {
		if (i > 0)
			putc(' ', stderr);
		for (k = 0; k < widths[i]; k++)
			putc('-', stderr);
	}
	putc('\n', stderr);
}
