/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter.c - does the filter of a subscription accept the data of an event?
 */
#include "servers/tpevsrv/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>
#include <userlog.h>
#include <xatmi.h>

#include "libubf/regex/regex.h"

#define KEPT 4096u /* compiled filters, each in the place of its id */

enum kind {
	NONE = 0,
	EXPRESSION,
	PATTERN,
	BROKEN, /* it does not compile: said once */
};

struct compiled {
	long id;
	enum kind kind;
	char *tree;
	struct ow_regex re;
};

static struct compiled kept[KEPT];

static void forget(struct compiled *c)
{
	if (c->kind == EXPRESSION)
		Btreefree(c->tree);
	if (c->kind == PATTERN)
		ow_regex_close(&c->re);
	c->kind = NONE;
}

static enum kind kind_of(char *data)
{
	char type[XATMI_TYPE_LEN + 1] = "", sub[XATMI_SUBTYPE_LEN + 1];

	if (data == NULL || tptypes(data, type, sub) < 0)
		return NONE;
	if (strncmp(type, "UBF", 3) == 0 || strncmp(type, "FML", 3) == 0)
		return EXPRESSION;
	if (strcmp(type, "STRING") == 0 || strcmp(type, "JSON") == 0)
		return PATTERN;
	return NONE;
}

static void compile(struct compiled *c, enum kind kind, const char *filter)
{
	char why[128] = "";

	if (kind == EXPRESSION) {
		c->tree = Bboolco((char *)filter);
		if (c->tree != NULL)
			c->kind = EXPRESSION;
		else
			snprintf(why, sizeof(why), "%s", Bstrerror(Berror));
	} else if (ow_regex_compile(&c->re, filter, why, sizeof(why)) == 0) {
		c->kind = PATTERN;
	}
	if (c->kind != NONE)
		return;
	userlog((char *)"tpevsrv: filter \"%s\": %s: it accepts no data of "
			"this type", filter, why);
	c->kind = BROKEN;
}

/* The data decide what the filter is; a subscriber may get both. */
static struct compiled *find(long id, enum kind kind, const char *filter)
{
	struct compiled *c = &kept[(unsigned long)(id * 2 +
						   (kind == PATTERN)) % KEPT];

	if (c->kind == NONE || c->id != id) {
		forget(c);
		c->id = id;
		compile(c, kind, filter);
	}
	return c;
}

bool filter_accepts(long id, const char *filter, char *data, long len)
{
	enum kind kind = kind_of(data);
	const struct compiled *c;

	(void)len;
	if (kind == NONE)
		return false;
	c = find(id, kind, filter);
	if (c->kind == EXPRESSION)
		return Bboolev((UBFH *)data, c->tree) == 1;
	return c->kind == PATTERN &&
	       ow_regex_run(&c->re, data, strlen(data)) == 1;
}

void filter_close(void)
{
	unsigned int i;

	for (i = 0; i < KEPT; i++)
		forget(&kept[i]);
}
