/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.h - load a configuration that is correct, and print it
 */
#ifndef TEST_CONFIG_LOAD_H
#define TEST_CONFIG_LOAD_H

#include "libndrx/config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SERVER(name, inner) "<server name=\"" name "\">" inner "</server>"
#define SERVERS(inner)	    "<endurox><servers>" inner "</servers></endurox>"

/* The caller frees. */
static inline struct ow_config *load(const char *xml)
{
	struct ow_config_error err = { "" };
	struct ow_config *config = NULL;
	int r = ow_config_load_mem("t.xml", xml, strlen(xml), &err, &config);

	if (r != 0)
		fail_msg("%s\ngave %d: %s", xml, r, err.text);
	return config;
}

/* The caller frees. */
static inline char *print(const struct ow_config *config)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(ow_config_print(f, config), 0);
	fclose(f);
	return text;
}

#endif
