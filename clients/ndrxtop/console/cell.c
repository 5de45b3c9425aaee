/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cell.c - a field of a row as text of a fixed width
 */
#include "clients/ndrxtop/console/cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libndrx/model/time_text.h"
#include "libubf/base/printable.h"
#include "libubf/base/text_width.h"

/* n in units of `base`: 12, 1.2K, 123K. A decimal that does not fit is left
 * out. */
static void scaled(double n, double base, int width, char *buf, size_t size)
{
	static const char units[] = " KMGTPE";
	int unit = 0, len;

	while (n >= 999.5 && units[unit + 1] != '\0') {
		n /= base;
		unit++;
	}
	if (unit == 0) {
		snprintf(buf, size, "%.0f", n);
		return;
	}
	len = snprintf(buf, size, "%.*f%c", n < 99.95 ? 1 : 0, n, units[unit]);
	if (len > width)
		snprintf(buf, size, "%.0f%c", n, units[unit]);
}

static void rate(double n, int width, char *buf, size_t size)
{
	if (n == 0)
		snprintf(buf, size, "0");
	else if (n < 0.05)
		snprintf(buf, size, "<.1");
	else if (n < 9.95)
		snprintf(buf, size, "%.1f", n);
	else
		scaled(n, 1000, width, buf, size);
}

static void percent(double n, char *buf, size_t size)
{
	if (n > 0 && n < 0.05)
		snprintf(buf, size, "<.1");
	else
		snprintf(buf, size, "%.*f", n > 0 && n < 9.95 ? 1 : 0, n);
}

void ow_cell_number(enum ow_format format, double n, int width, char *buf,
		    size_t size)
{
	if (isnan(n)) {
		snprintf(buf, size, "-");
		return;
	}
	if (n < 0 && format == OW_FMT_TIME && size > 1) {
		buf[0] = '-'; /* it is over for so long */
		ow_time_text(-n, buf + 1, size - 1);
		return;
	}
	if (n < 0)
		n = 0;
	switch (format) {
	case OW_FMT_RATE:
		rate(n, width, buf, size);
		break;
	case OW_FMT_ID:
		if (snprintf(buf, size, "%.0f", n) > width)
			scaled(n, 1000, width, buf, size);
		break;
	case OW_FMT_TIME:
		ow_time_text(n, buf, size);
		break;
	case OW_FMT_BYTES:
		scaled(n, 1024, width, buf, size);
		break;
	case OW_FMT_PERCENT:
		percent(n, buf, size);
		break;
	default:
		scaled(n, 1000, width, buf, size);
	}
}

/* The same text as ASCII. */
static void put_ascii(char *buf)
{
	for (; *buf != '\0'; buf++)
		if (*buf < 0x20 || *buf > 0x7e)
			*buf = '?';
}

void ow_cell_text(const char *text, int width, bool utf8, char *buf,
		  size_t size)
{
	int columns, most = (int)size / 4 - 1;
	char copy[OW_CELL_MAX];
	size_t n;

	if (width > most)
		width = most;
	if (width <= 0) {
		buf[0] = '\0';
		return;
	}
	snprintf(copy, sizeof(copy), "%s", text);
	if (utf8)
		ow_printable(copy);
	else
		put_ascii(copy);
	columns = ow_text_columns(copy);
	n = ow_text_fit(copy, columns > width ? width - 1 : width);
	copy[n] = '\0';
	snprintf(buf, size, "%s%*s%s", copy, columns > width
			? width - 1 - ow_text_columns(copy)
			: width - columns, "", columns > width ? "+" : "");
}

/* The scale goes to this depth at least: a short queue is drawn low. */
#define SPARK_TOP 7

/* Seven heights, so that rows stay apart; the largest depth of the last minute
 * has the highest one. */
void ow_cell_spark(const struct ow_service_row *row, int width, bool utf8,
		   char *buf, size_t size)
{
	static const char *const block[] = { "▁", "▂", "▃", "▄",
					     "▅", "▆", "▇" };
	static const char ascii[] = ".:-=+*#";
	double top = row->depth_max > SPARK_TOP ? row->depth_max : SPARK_TOP;
	size_t used = 0;
	int i, level;

	buf[0] = '\0';
	for (i = width - 1; i >= 0 && used + 4 < size; i--) {
		unsigned int at = i < OW_SPARK
				      ? row->depths[(row->depth_at + OW_SPARK -
						     (uint32_t)i) % OW_SPARK]
				      : 0;

		level = (int)ceil(SPARK_TOP * (double)at / top) - 1;
		if (level >= SPARK_TOP)
			level = SPARK_TOP - 1;
		if (level < 0)
			used += (size_t)snprintf(buf + used, size - used, " ");
		else if (utf8)
			used += (size_t)snprintf(buf + used, size - used, "%s",
						 block[level]);
		else
			used += (size_t)snprintf(buf + used, size - used, "%c",
						 ascii[level]);
	}
}

void ow_cell_write(const struct ow_column *c, const struct ow_row *row,
		   int width, bool utf8, char *buf, size_t size)
{
	char number[32];
	int pad;

	if (c->format == OW_FMT_TEXT) {
		ow_cell_text(ow_column_text(c, row), width, utf8, buf, size);
		return;
	}
	if (c->format == OW_FMT_SPARK) {
		ow_cell_spark((const struct ow_service_row *)row, width, utf8,
			      buf, size);
		return;
	}
	ow_cell_number(c->format, ow_column_number(c, row), width, number,
		       sizeof(number));
	pad = width - (int)strlen(number);
	if (pad < 0)
		snprintf(buf, size, "%.*s", width, "**********");
	else
		snprintf(buf, size, "%*s%s", pad, "", number);
}

bool ow_cell_is_faint(const struct ow_column *c, const struct ow_row *row)
{
	double n = ow_column_number(c, row);

	if (c->format == OW_FMT_TEXT || c->format == OW_FMT_SPARK)
		return false;
	return isnan(n) || n == 0;
}
