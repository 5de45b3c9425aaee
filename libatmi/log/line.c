/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - format one line of the debug log, as text or as JSON
 */
#include "libatmi/log/line.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libubf/base/crc32.h"
#include "libubf/base/jsonchar.h"
#include "libubf/base/printable.h"
#include "libatmi/base/localtime.h"

#define HOST_SIZE 65
/* How JSON strings of a log line are escaped. */
#define ESCAPES (OW_JSONCHAR_DEL | OW_JSONCHAR_LONG | OW_JSONCHAR_REPLACE)

/* ---- what both shapes need ---- */

/* This machine, looked up with a thread's first line. */
struct host {
	char name[HOST_SIZE];
	uint32_t crc;
};

static const struct host *this_host(void)
{
	static __thread struct host t_host;

	if (t_host.crc == 0) {
		if (gethostname(t_host.name, sizeof(t_host.name) - 1) < 0)
			t_host.name[0] = '\0';
		t_host.crc = ow_crc32(t_host.name, strlen(t_host.name));
	}
	return &t_host;
}

/* Time of day; localtime is costly and takes a lock: once a second. */
static void local_time(time_t sec, struct tm *ret_tm)
{
	static __thread time_t t_sec = -1;
	static __thread struct tm t_tm;

	if (sec != t_sec) {
		ow_localtime(sec, &t_tm);
		t_sec = sec;
	}
	*ret_tm = t_tm;
}

/* The last `max` characters. */
static const char *tail(const char *text, size_t max)
{
	size_t len = strlen(text);

	return len > max ? text + (len - max) : text;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

bool ow_log_id_set(const uint8_t *id, size_t len)
{
	for (size_t i = 0; id != NULL && i < len; i++)
		if (id[i] != 0)
			return true;
	return false;
}

char *ow_log_id_hex(const uint8_t *id, size_t len, char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		hex[2 * i] = digits[id[i] >> 4];
		hex[2 * i + 1] = digits[id[i] & 15];
	}
	hex[2 * len] = '\0';
	return hex;
}

/* ---- text ---- */

static size_t add_request(const struct ow_log_line *l, char *buf, size_t size)
{
	char span[2 * OW_LOG_SPAN + 1], trace[2 * OW_LOG_TRACE + 1];

	if (!ow_log_id_set(l->span, OW_LOG_SPAN))
		return 0;
	return (size_t)snprintf(buf, size, "[req=%s trace=%s] ",
				ow_log_id_hex(l->span, OW_LOG_SPAN, span),
				ow_log_id_hex(l->trace, OW_LOG_TRACE, trace));
}

/* Is it a line of the runtime, not of the application? */
static bool is_runtimes(char letter)
{
	return strchr("Nnm", letter) != NULL;
}

size_t ow_log_line_text(const struct ow_log_line *l, char *buf, size_t size)
{
	size_t used, len = strlen(l->text);
	struct tm tm;

	local_time((time_t)(l->real_ns / OW_NS_PER_SEC), &tm);
	used = (size_t)snprintf(
	    buf, size,
	    "%c:%.4s:%d:%08x:%05d:%08llx:%03ld:%08ld:%06ld%06d:%-12.12s:"
	    "%-8.8s:%04ld:",
	    l->letter, l->module, l->lev, (unsigned int)this_host()->crc,
	    (int)getpid(), (unsigned long long)syscall(SYS_gettid), l->context,
	    (tm.tm_year + 1900L) * 10000 + (tm.tm_mon + 1L) * 100 + tm.tm_mday,
	    tm.tm_hour * 10000L + tm.tm_min * 100L + tm.tm_sec,
	    (int)(l->real_ns % OW_NS_PER_SEC / OW_NS_PER_US),
	    tail(l->func, 12), tail(base_name(l->file), 8), l->line);
	used += add_request(l, buf + used, size - used);
	if (len > size - used - 1)
		len = size - used - 1;
	memcpy(buf + used, l->text, len);
	/* Names in the runtime's own lines come from others. */
	buf[used + len] = '\0';
	if (is_runtimes(l->letter))
		ow_printable_line(buf + used);
	buf[used + len] = '\n';
	return used + len + 1;
}

/* ---- JSON ---- */

/* Where the object is written to; what has no room is left out. */
struct sink {
	char *buf;
	size_t used, size;
};

static bool put(struct sink *s, const char *bytes, size_t len)
{
	if (len > s->size - s->used)
		return false;
	memcpy(s->buf + s->used, bytes, len);
	s->used += len;
	return true;
}

static void put_string(struct sink *s, const char *key, const char *value)
{
	size_t left = strlen(value), used, n;
	char text[OW_JSONCHAR_MAX];

	put(s, ",\"", 2);
	put(s, key, strlen(key));
	put(s, "\":\"", 3);
	s->size--; /* for the quote at the end */
	for (; left > 0; left -= used, value += used) {
		used = n = 1;
		text[0] = *value;
		if (!ow_jsonchar_plain((unsigned char)*value))
			n = ow_jsonchar(value, left, ESCAPES, text, &used);
		if (!put(s, text, n))
			break;
	}
	s->size++;
	put(s, "\"", 1);
}

static const char *level_word(int lev)
{
	static const char *const words[] = { "none", "always", "error", "warn",
					     "info", "debug", "dump" };

	return words[lev < 0 ? 0 : lev > 6 ? 6 : lev];
}

static const char *facility_word(char letter)
{
	return is_runtimes(letter) ? "NDRX"
	       : strchr("Uuv", letter) != NULL ? "UBF" : "TP";
}

static void put_head(struct sink *s, const struct ow_log_line *l)
{
	char at[48], zone[8];
	struct tm tm;

	local_time((time_t)(l->real_ns / OW_NS_PER_SEC), &tm);
	strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	s->used = (size_t)snprintf(
	    s->buf, s->size,
	    "{\"time\":\"%s.%06d%.3s:%.2s\",\"level\":\"%s\",\"facility\":"
	    "\"%s\",\"pid\":%d,\"tid\":%ld,\"context\":%ld,\"line\":%ld",
	    at, (int)(l->real_ns % OW_NS_PER_SEC / OW_NS_PER_US), zone,
	    zone + 3, level_word(l->lev), facility_word(l->letter),
	    (int)getpid(), syscall(SYS_gettid), l->context, l->line);
}

size_t ow_log_line_json(const struct ow_log_line *l, char *buf, size_t size)
{
	struct sink s = { .buf = buf, .size = size - 3 }; /* `"}\n` */
	char hex[2 * OW_LOG_TRACE + 1];

	put_head(&s, l);
	put_string(&s, "host", this_host()->name);
	put_string(&s, "program", l->program);
	put_string(&s, "module", l->module);
	put_string(&s, "function", l->func);
	put_string(&s, "file", base_name(l->file));
	if (ow_log_id_set(l->span, OW_LOG_SPAN)) {
		put_string(&s, "request",
			   ow_log_id_hex(l->span, OW_LOG_SPAN, hex));
		put_string(&s, "trace",
			   ow_log_id_hex(l->trace, OW_LOG_TRACE, hex));
	}
	put_string(&s, "message", l->text);
	memcpy(buf + s.used, "}\n", 2);
	return s.used + 2;
}
