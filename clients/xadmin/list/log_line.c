/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_line.c - what stands in a line of a log
 *
 * The forms are those of libatmi/log/line.c and userlog.c. What is of none of
 * them is text.
 */
#include "clients/xadmin/list/log_line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#define FUNCTION 12 /* characters of the function, of the file */
#define FILE_LEN 8

static const char *level_word(int level)
{
	static const char *const words[] = { "none", "always", "error", "warn",
					     "info", "debug", "dump" };

	return level >= 0 && level <= 6 ? words[level] : "";
}

static void set_when(struct ow_log_parts *l, const char *day,
		     const char *clock)
{
	snprintf(l->when, sizeof(l->when), "%.8s%.12s%.*s", day, clock,
		 12 - (int)strlen(clock), "000000000000");
}

/* "[req=... trace=...] " */
static char *take_request(char *p, struct ow_log_parts *l)
{
	int n = 0;

	if (sscanf(p, "[req=%16[0-9a-f] trace=%*32[0-9a-f]] %n", l->request,
		   &n) == 1 && n > 0)
		return p + n;
	l->request[0] = '\0';
	return p;
}

/* L:MODU:lev:host:pid:tid:ctx:day:clock:function:file:line:text */
static bool read_debug(char *s, struct ow_log_parts *l)
{
	char day[9], clock[13];
	int level, n = 0;
	size_t behind;
	long pid;

	if (sscanf(s, "%*c:%*4[^:]:%d:%*8[0-9a-f]:%ld:%*[0-9a-f]:%*d:%8[0-9]:"
		   "%12[0-9]:%n", &level, &pid, day, clock, &n) != 4 ||
	    n == 0 || strlen(day) != 8 || strlen(clock) != 12)
		return false;
	s += n;
	if (strlen(s) < FUNCTION + FILE_LEN + 2 || s[FUNCTION] != ':' ||
	    s[FUNCTION + FILE_LEN + 1] != ':')
		return false;
	s += FUNCTION + FILE_LEN + 2;
	behind = strspn(s, "-0123456789");
	if (s[behind] != ':')
		return false;
	set_when(l, day, clock);
	l->pid = pid;
	snprintf(l->level, sizeof(l->level), "%s", level_word(level));
	l->text = take_request(s + behind + 1, l);
	return true;
}

/* pid:day:clock:program:text */
static bool read_ulog(char *s, struct ow_log_parts *l)
{
	char day[9], clock[9];
	long pid;
	int n = 0;

	if (sscanf(s, "%ld:%8[0-9]:%8[0-9]:%n", &pid, day, clock, &n) != 3 ||
	    n == 0 || strlen(day) != 8 || strlen(clock) != 8)
		return false;
	set_when(l, day, clock);
	l->pid = pid;
	l->text = s + n;
	return true;
}

static const char *member(yajl_val v, const char *name)
{
	const char *path[] = { name, NULL };
	yajl_val t = yajl_tree_get(v, path, yajl_t_string);

	return t != NULL ? YAJL_GET_STRING(t) : NULL;
}

/* 2026-11-28T01:02:03.123456+00:00 */
static void take_time(struct ow_log_parts *l, const char *text)
{
	char digits[21];
	size_t n = 0;

	for (; *text != '\0' && *text != '+' && n < sizeof(digits) - 1; text++)
		if (isdigit((unsigned char)*text))
			digits[n++] = *text;
	digits[n] = '\0';
	if (n == sizeof(digits) - 1)
		memcpy(l->when, digits, sizeof(digits));
}

static bool read_json(const char *s, struct ow_log_parts *l, char **ret_json)
{
	const char *pid[] = { "pid", NULL }, *text;
	yajl_val v, n;
	char why[64];

	if (s[0] != '{')
		return false;
	v = yajl_tree_parse(s, why, sizeof(why));
	text = v != NULL ? member(v, "message") : NULL;
	*ret_json = text != NULL ? strdup(text) : NULL;
	if (*ret_json != NULL) {
		l->text = *ret_json;
		take_time(l, member(v, "time") != NULL ? member(v, "time")
						       : "");
		n = yajl_tree_get(v, pid, yajl_t_number);
		if (n != NULL && YAJL_IS_INTEGER(n))
			l->pid = (long)YAJL_GET_INTEGER(n);
		text = member(v, "level");
		snprintf(l->level, sizeof(l->level), "%s",
			 text != NULL ? text : "");
		text = member(v, "request");
		snprintf(l->request, sizeof(l->request), "%s",
			 text != NULL ? text : "");
	}
	yajl_tree_free(v);
	return *ret_json != NULL;
}

void ow_log_parts_read(char *line, struct ow_log_parts *ret, char **ret_json)
{
	*ret_json = NULL;
	memset(ret, 0, sizeof(*ret));
	ret->text = line;
	if (read_json(line, ret, ret_json) || read_debug(line, ret) ||
	    read_ulog(line, ret))
		return;
	memset(ret, 0, sizeof(*ret));
	ret->text = line;
}
