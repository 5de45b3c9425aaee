/* SPDX-License-Identifier: Apache-2.0 */
/*
 * userlog.c - the log for operators
 *
 * Lines are rare, so the file is opened for each line: a new day, a removed
 * file, a changed NDRX_ULOG and threads need no special care. One write(2)
 * with O_APPEND keeps the lines of all processes apart.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <tmenv.h>
#include <userlog.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/log/file.h"
#include "libatmi/log/log.h"
#include "libubf/base/uncancelled.h"
#include "libubf/base/variable.h"
#include "libatmi/base/localtime.h"

char *proc_name;

/* Programs print it, too. */
__attribute__((constructor)) static void name_program(void)
{
	if (proc_name == NULL)
		proc_name = program_invocation_short_name;
}

#define LINE_SIZE 4096
#define PATH_SIZE 1024

/* Append one line to the file of the day. False: the line is lost. */
static bool append(const char *path, const char *line, size_t len)
{
	int fd = ow_log_file_append(path, O_NONBLOCK);
	bool whole;

	if (fd < 0) {
		log_error("userlog: %s: %s", path, strerror(-fd));
		return false;
	}
	whole = write(fd, line, len) == (ssize_t)len;
	if (!whole)
		log_error("userlog: %s: %s", path, strerror(errno));
	close(fd);
	return whole;
}

/* The file of the day, with the name that Tuxedo gives it if ULOGPFX is set:
 * PREFIX.mmddyy. */
static void name_file(char path[PATH_SIZE], const struct tm *tm, long day)
{
	const char *prefix = ow_env_str("ULOGPFX", NULL);

	if (prefix != NULL)
		snprintf(path, PATH_SIZE, "%s.%02d%02d%02d", prefix,
			 tm->tm_mon + 1, tm->tm_mday, tm->tm_year % 100);
	else
		snprintf(path, PATH_SIZE, "%s/ULOG.%08ld",
			 ow_env_str("NDRX_ULOG", "."), day);
}

static int log_line(const char *text)
{
	OW_UNCANCELLED;
	uint64_t now = ow_clock_real_ns();
	time_t sec = (time_t)(now / OW_NS_PER_SEC);
	char line[LINE_SIZE], path[PATH_SIZE];
	size_t used, len = strlen(text);
	struct tm tm;
	long day;

	ow_localtime(sec, &tm);
	day = (tm.tm_year + 1900L) * 10000 + (tm.tm_mon + 1L) * 100 +
	      tm.tm_mday;
	name_file(path, &tm, day);
	used = (size_t)snprintf(
	    line, sizeof(line), "%05d:%08ld:%06ld%02d:%-12.12s:", (int)getpid(),
	    day, tm.tm_hour * 10000L + tm.tm_min * 100L + tm.tm_sec,
	    (int)(now % OW_NS_PER_SEC / (10 * OW_NS_PER_MS)),
	    proc_name != NULL && proc_name != program_invocation_short_name
		? proc_name : ow_log_progname());
	while (len > 0 && text[len - 1] == '\n')
		len--;
	if (len > sizeof(line) - used - 1)
		len = sizeof(line) - used - 1;
	memcpy(line + used, text, len);
	line[used + len] = '\n';
	/* Not into a file of the folder that its caller has chosen. */
	if (ow_variable_is_elevated())
		return write(STDERR_FILENO, line, used + len + 1) > 0 ? 0 : -1;
	return append(path, line, used + len + 1) ? 0 : -1;
}

int userlog_const(const char *msg)
{
	int saved = errno, r;

	r = log_line(msg != NULL ? msg : "(null)");
	errno = saved;
	return r;
}

int userlog(char *fmt, ...)
{
	int saved = errno, r;
	char text[LINE_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r = log_line(text);
	errno = saved;
	return r;
}
