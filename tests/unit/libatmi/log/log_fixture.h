/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_fixture.h - a fresh log file for each test of the debug log
 */
#ifndef OW_TEST_LOG_FIXTURE_H
#define OW_TEST_LOG_FIXTURE_H

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "libatmi/log/log.h"
#include "tests/unit/libatmi/scratch.h"

#define ALL (LOG_FACILITY_NDRX | LOG_FACILITY_UBF | LOG_FACILITY_TP)

static char log_path[256];

/* Setup of a test: log everything to an empty file. */
static inline int fresh(void **state)
{
	snprintf(log_path, sizeof(log_path), "%s", scratch_path("test.log"));
	unlink(log_path);
	tplogclosereqfile();
	tplogclosethread();
	assert_int_equal(tplogconfig(ALL, 5, "iflags=''", "TEST",
				     "/dev/stderr"), 0);
	return tplogconfig(ALL, 5, NULL, NULL, log_path);
}

/* Lines of a file that match a regular expression. */
static inline int lines_in(const char *path, const char *pattern)
{
	char *text = scratch_read(path), *pos = text, *line;
	regex_t re;
	int n = 0;

	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	while ((line = strsep(&pos, "\n")) != NULL)
		n += regexec(&re, line, 0, NULL, 0) == 0;
	regfree(&re);
	free(text);
	return n;
}

/* The same of the log. */
static inline int lines_like(const char *pattern)
{
	return lines_in(log_path, pattern);
}

#endif
