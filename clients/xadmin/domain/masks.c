/* SPDX-License-Identifier: Apache-2.0 */
/*
 * masks.c - fields whose values are not shown
 */
#include "clients/xadmin/domain/masks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/xadmin/command/command.h"
#include "libatmi/base/masked.h"
#include "libatmi/domain/domain.h"
#include "libndrx/config/config.h"
#include "libndrx/observe/calls_filter.h"
#include "libubf/base/variable.h"
#include "libubf/json/parse.h"

#define KEY_LEN 256

/* The configuration in force, or the file that ndrxd would read. */
int ow_masks_read(struct ow_args *a, const struct ow_domain *d,
		  struct ow_masks *ret)
{
	char path[OW_IN_FORCE_PATH];
	const char *file = path;
	struct ow_config_error err;

	*ret = (struct ow_masks){ .config = NULL };
	ow_domain_in_force(d, path);
	if (access(path, F_OK) != 0)
		file = ow_variable("NDRX_CONFIG");
	if (file == NULL || access(file, F_OK) != 0)
		return OW_EXIT_OK; /* a domain without one */
	if (ow_config_load(file, &err, &ret->config) != 0)
		return ow_cmd_fail(a, "contents are not shown: what <mask> "
				   "names is not known: %s", err.text);
	ret->names = ret->config->app.mask;
	return OW_EXIT_OK;
}

void ow_masks_end(struct ow_masks *m)
{
	ow_config_freep(&m->config);
	m->names = NULL;
}

/* ---- JSON ---- */

struct copy {
	const struct ow_masks *masks;
	const char *text;
	FILE *out;
	size_t from; /* what is behind it has not been copied */
	int depth, masked; /* depth of the value that is left out; 0: none */
};

/* Members of JSON buffers and of views have longer names than fields; one that
 * is too long to be looked at may be a secret's. */
static bool is_masked_key(const struct copy *c, const struct ow_json_event *ev)
{
	char name[KEY_LEN];

	return ow_json_name(ev, name, sizeof(name)) != 0 ||
	       ow_calls_is_masked(c->masks->names, name);
}

static int on_event(void *arg, const struct ow_json_event *ev)
{
	struct copy *c = arg;

	if (ev->kind == OW_JSON_OBJECT || ev->kind == OW_JSON_ARRAY)
		c->depth++;
	else if (ev->kind == OW_JSON_OBJECT_END || ev->kind == OW_JSON_ARRAY_END)
		c->depth--;
	if (c->masked == 0 && ev->kind == OW_JSON_KEY && is_masked_key(c, ev)) {
		fwrite(c->text + c->from, 1, ev->end - c->from, c->out);
		fputs(":\"" OW_MASKED "\"", c->out);
		c->masked = c->depth;
	} else if (c->masked != 0 && c->depth == c->masked &&
		   ev->kind != OW_JSON_KEY) { /* the value is over */
		c->from = ev->end;
		c->masked = 0;
	}
	return 0;
}

char *ow_masks_json(const struct ow_masks *m, const char *json)
{
	struct copy c = { .masks = m, .text = json };
	char error[OW_JSON_ERROR_MAX], *copy = NULL;
	size_t size = 0;
	int r;

	c.out = open_memstream(&copy, &size);
	if (c.out == NULL)
		return NULL;
	r = ow_json_parse(json, strlen(json), on_event, &c, error);
	if (r == 0)
		fputs(json + c.from, c.out);
	if (fclose(c.out) == 0 && r == 0)
		return copy;
	free(copy);
	return NULL;
}
