/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_config_memory.c - lack of memory or a damaged file never crashes a load
 *
 * Linked with --wrap for the allocators, so that the n-th allocation of our
 * own code can be made to fail; libxml2 is given the same functions as hooks.
 */
#include "libndrx/config/config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>

#include "libndrx/config/cmdline.h"
#include "tests/unit/libndrx/config/load.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);

/* Allocations until the failure; 0: none is planned. */
static long countdown;
static int libxml_counts;

static int fails_now(void)
{
	return countdown > 0 && --countdown == 0;
}

static void *libxml_malloc(size_t size)
{
	return libxml_counts && fails_now() ? NULL : __real_malloc(size);
}

static void *libxml_realloc(void *p, size_t size)
{
	return libxml_counts && fails_now() ? NULL : __real_realloc(p, size);
}

static char *libxml_strdup(const char *s)
{
	return libxml_counts && fails_now() ? NULL : __real_strdup(s);
}

static void say_nothing(void *ctx, const char *fmt, ...)
{
}

void *__wrap_malloc(size_t size)
{
	return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails_now() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
	return fails_now() ? NULL : __real_strdup(s);
}

static const char valid[] =
    "<?xml version=\"1.0\"?>\n"
    "<!DOCTYPE endurox [<!ENTITY o \"-e ${HOME}/x\">]>\n"
    "<endurox><appconfig><sanity>5</sanity><brrefresh>6</brrefresh>"
    "<transport>shm</transport></appconfig>\n"
    "<defaults><min>1</min><killseq>2,15</killseq><rssmax>1.5G</rssmax>"
    "<envs group=\"G\"><env name=\"A\">1</env></envs></defaults>\n"
    "<servers><server name=\"a\"><srvid>1</srvid><sysopt>&o; -r</sysopt>"
    "<envs><usegroup>G</usegroup><env name=\"B\" unset=\"Y\"/></envs>"
    "</server>\n<server name=\"b\"><srvid>10</srvid><max>5</max>"
    "<clopt>-r -- 'x y' \"z\" ${OW_NOT_SET_HERE}</clopt></server></servers>\n"
    "<procgroups><procgroup name=\"P\" grpno=\"1\" lockfile=\"/l\"/>"
    "<procgroup name=\"Q\" grpno=\"2\" singleton=\"Y\"/></procgroups>"
    "<clients><client cmdline=\"c\"><envs><env name=\"X\">1</env></envs>"
    "<exec tag=\"T\" procgrp=\"P\"/>"
    "<exec tag=\"U\" subsectfrom=\"1\" subsectto=\"3\"/>"
    "</client></clients>"
    "</endurox>";

static void load_reports_every_failed_allocation(void **state)
{
	int r = -ENOMEM;
	long n = 0;

	while (r != 0) {
		struct ow_config_error err = { "" };
		struct ow_config *config = NULL;

		countdown = ++n;
		r = ow_config_load_mem("t.xml", valid, sizeof(valid) - 1, &err,
				       &config);
		countdown = 0;
		if (r != 0) {
			assert_int_equal(r, -ENOMEM);
			assert_null(config);
			assert_true(err.text[0] != '\0');
		}
		ow_config_free(config);
	}
	assert_true(n > 10);
}

/* libxml2 may continue after a failed allocation; then the load is complete. */
static void load_is_complete_or_refused_after_a_failure_in_libxml2(void **state)
{
	char *whole = NULL;

	libxml_counts = 1;
	for (long n = 0; n == 0 || whole != NULL; n++) {
		struct ow_config_error err = { "" };
		struct ow_config *config = NULL;
		long left;
		char *text;
		int r;

		countdown = n;
		r = ow_config_load_mem("t.xml", valid, sizeof(valid) - 1, &err,
				       &config);
		left = countdown;
		countdown = 0;
		if (r != 0) {
			assert_null(config);
			assert_true(err.text[0] != '\0');
			continue;
		}
		text = print(config);
		ow_config_free(config);
		if (whole == NULL)
			whole = text;
		else
			assert_string_equal(text, whole);
		if (text != whole)
			free(text);
		if (left > 0)
			break;
	}
	libxml_counts = 0;
	free(whole);
}

static void split_reports_every_failed_allocation(void **state)
{
	int r = -ENOMEM;

	for (long n = 1; r != 0; n++) {
		struct ow_cmdline cmd = { 0 };

		countdown = n;
		r = ow_cmdline_split(&cmd, "a b c d e f g h i j k l m n o p q");
		countdown = 0;
		assert_true(r == 0 || r == -ENOMEM);
		assert_int_equal(cmd.argc, r == 0 ? 17 : 0);
		ow_cmdline_clear(&cmd);
	}
}

/* Deterministic, so that a failure can be repeated. */
static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static size_t mutate(char *buf, size_t len, size_t cap, uint32_t *seed)
{
	static const char *const bits[] = {
		"<", ">", "</", "/>", "&", ";", "\"", "${", "}", "&o;", "-1",
		"99999999999", "<server name=\"x\">", "</server>", "]]>", "\\",
	};
	size_t at = next_random(seed) % len;
	size_t n = 1 + next_random(seed) % 8;
	const char *bit = bits[next_random(seed) % 16];

	switch (next_random(seed) % 4) {
	case 0:
		buf[at] = (char)next_random(seed);
		return len;
	case 1:
		if (at + n >= len)
			return len;
		memmove(buf + at, buf + at + n, len - at - n);
		return len - n;
	case 2:
		n = strlen(bit);
		if (len + n > cap)
			return len;
		memmove(buf + at + n, buf + at, len - at);
		memcpy(buf + at, bit, n);
		return len + n;
	default:
		n = strlen(bit) < len - at ? strlen(bit) : len - at;
		memcpy(buf + at, bit, n);
		return len;
	}
}

static void damaged_files_load_or_say_why_not(void **state)
{
	uint32_t seed = 20240229;
	int loaded = 0;

	for (int i = 0; i < 5000; i++) {
		char buf[sizeof(valid) + 512];
		size_t len = sizeof(valid) - 1;
		struct ow_config_error err = { "" };
		struct ow_config *config = NULL;
		uint32_t changes = 1 + next_random(&seed) % 4;
		int r;

		memcpy(buf, valid, len);
		for (uint32_t k = 0; k < changes; k++)
			len = mutate(buf, len, sizeof(buf), &seed);
		r = ow_config_load_mem(NULL, buf, len, &err, &config);
		assert_true(r == 0 || r == OW_CONFIG_BAD);
		assert_true((r == 0) == (err.text[0] == '\0'));
		loaded += r == 0;
		ow_config_free(config);
	}
	assert_true(loaded > 0 && loaded < 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(load_reports_every_failed_allocation),
		cmocka_unit_test(
		    load_is_complete_or_refused_after_a_failure_in_libxml2),
		cmocka_unit_test(split_reports_every_failed_allocation),
		cmocka_unit_test(damaged_files_load_or_say_why_not),
	};

	xmlMemSetup(free, libxml_malloc, libxml_realloc, libxml_strdup);
	xmlSetGenericErrorFunc(NULL, say_nothing);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
