/* SPDX-License-Identifier: Apache-2.0 */
/*
 * when.c - a time as an operator types it
 */
#include "libndrx/blackbox/when.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"

#define DAY_S 86400

static bool take_ago(const char *text, uint64_t now_ns, uint64_t *ret)
{
	static const char units[] = "smhd";
	static const uint64_t seconds[] = { 1, 60, 3600, DAY_S };
	unsigned long n;
	const char *at;
	char unit;
	int end = 0;

	if (sscanf(text, "%lu%c%n", &n, &unit, &end) != 2 ||
	    text[end] != '\0' || n > 1000000)
		return false;
	at = strchr(units, unit);
	if (at == NULL || unit == '\0')
		return false;
	*ret = now_ns - n * seconds[at - units] * OW_NS_PER_SEC;
	return *ret < now_ns || n == 0;
}

/* Seconds of wall clock of local time `tm`; 0: there is no such time. */
static time_t seconds_of(struct tm tm)
{
	tm.tm_isdst = -1;
	return mktime(&tm);
}

static bool take_time(const char *text, struct tm *tm)
{
	int end = 0;

	tm->tm_sec = 0;
	if (sscanf(text, "%2d:%2d%n", &tm->tm_hour, &tm->tm_min, &end) != 2)
		return false;
	text += end;
	end = 0;
	if (*text == ':' && sscanf(text, ":%2d%n", &tm->tm_sec, &end) != 1)
		return false;
	return text[end] == '\0' && tm->tm_hour >= 0 && tm->tm_hour < 24 &&
	       tm->tm_min >= 0 && tm->tm_min < 60 && tm->tm_sec >= 0 &&
	       tm->tm_sec < 61;
}

bool ow_bb_when(const char *text, uint64_t now_ns, uint64_t *ret)
{
	time_t now = (time_t)(now_ns / OW_NS_PER_SEC), t;
	int year, month, day, end = 0;
	struct tm tm = { 0 };

	if (take_ago(text, now_ns, ret))
		return true;
	localtime_r(&now, &tm);
	if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &end) == 3 &&
	    (text[end] == 'T' || text[end] == ' ')) {
		tm.tm_year = year - 1900;
		tm.tm_mon = month - 1;
		tm.tm_mday = day;
		if (!take_time(text + end + 1, &tm))
			return false;
		t = seconds_of(tm);
	} else {
		if (!take_time(text, &tm))
			return false;
		t = seconds_of(tm);
		if (t > now) {
			tm.tm_mday--;
			t = seconds_of(tm);
		}
	}
	if (t <= 0)
		return false;
	*ret = (uint64_t)t * OW_NS_PER_SEC;
	return true;
}

const char *ow_bb_when_text(uint64_t real_ns, char buf[32])
{
	time_t t = (time_t)(real_ns / OW_NS_PER_SEC);
	struct tm tm = { 0 };

	localtime_r(&t, &tm);
	strftime(buf, 32, "%Y-%m-%d %H:%M:%S", &tm);
	return buf;
}

bool ow_bb_when_after(const char *text, uint64_t now_ns, uint64_t from_ns,
		      uint64_t *ret)
{
	return take_ago(text, now_ns, ret) ||
	       ow_bb_when(text, from_ns + DAY_S * OW_NS_PER_SEC, ret);
}
