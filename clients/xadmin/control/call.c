/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - call: call a service with a request given as JSON
 *
 * In a context of its own, so that it may be for somebody who has logged in
 * elsewhere (-u): then it is his call, and lists of services hold for him.
 * Prints one object, also if the call fails.
 */
#include "clients/xadmin/control/control.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <atmi.h>
#include <tpbind.h>
#include <ubf.h>

#include "clients/xadmin/domain/masks.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/output/json.h"
#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libubf/json/parse.h"

#define REQUEST_MAX (16u << 20)

struct call {
	const char *svc, *type, *user;
	long seconds; /* 0: as configured */
	char *data;   /* request, then reply; NULL: none */
	long len;
	bool sent, unbegun; /* unbegun: no server has begun it, for sure */
	int err, urcode;
	char why[1024];
	uint64_t us;
};

/* What became of the work. A service can return any tperrno itself, so of an
 * error in a reply only its mark says that nothing was done. */
static const char *work_of(const struct call *c)
{
	if (!c->sent || c->unbegun)
		return "not done";
	return c->err == 0		 ? "done"
	       : c->err == TPESVCFAIL ? "refused"
				      : "unknown";
}

/* ---- the request ---- */

struct fields {
	int depth;
	char name[UBFFLDMAX + 1];
	char error[OW_JSON_ERROR_MAX];
};

/* Standard input, malloc'ed; NULL with *ret_why. */
static char *read_input(const char **ret_why)
{
	char *text = malloc(REQUEST_MAX + 1);
	size_t n;

	*ret_why = "no memory";
	if (text == NULL)
		return NULL;
	n = fread(text, 1, REQUEST_MAX + 1, stdin);
	*ret_why = ferror(stdin)	   ? strerror(errno)
		   : n > REQUEST_MAX	   ? "more than 16 MiB"
		   : memchr(text, 0, n) != NULL ? "a NUL in it"
						: NULL;
	if (*ret_why != NULL) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

static bool is_type(const char *type)
{
	for (; *type != '\0'; type++)
		if (!isalnum((unsigned char)*type) && strchr("_:", *type) == NULL)
			return false;
	return true;
}

/* The text in the form of tpimport(); malloc'ed. VIEW:NAME has a subtype. */
static char *import_text(const char *type, const char *data)
{
	const char *colon = strchr(type, ':');
	int n = (int)(colon != NULL ? (size_t)(colon - type) : strlen(type));
	char *text = NULL;

	if (asprintf(&text, "{\"buftype\":\"%.*s\",%s%s%s\"version\":1,"
		     "\"data\":%s}", n, type,
		     colon != NULL ? "\"subtype\":\"" : "",
		     colon != NULL ? colon + 1 : "",
		     colon != NULL ? "\"," : "", data) < 0)
		return NULL;
	return text;
}

/* tpimport() passes over a field that no table has; here it is a typing error. */
static int check_field(void *arg, const struct ow_json_event *ev)
{
	struct fields *f = arg;

	if (ev->kind == OW_JSON_OBJECT || ev->kind == OW_JSON_ARRAY)
		f->depth++;
	else if (ev->kind == OW_JSON_OBJECT_END || ev->kind == OW_JSON_ARRAY_END)
		f->depth--;
	if (ev->kind != OW_JSON_KEY || f->depth != 1)
		return 0;
	if (ow_json_name(ev, f->name, sizeof(f->name)) == 0 &&
	    Bfldid(f->name) != BBADFLDID)
		return 0;
	snprintf(f->error, sizeof(f->error), "no field table has %.*s",
		 (int)ev->len, ev->text);
	return -EINVAL;
}

/* Fill in c->data: 0, or an exit code. Blank input is a request without
 * data. */
static int make_request(struct ow_args *a, struct call *c)
{
	const char *why;
	char *input = read_input(&why), *text;
	struct fields f = { .depth = 0 };
	int r = OW_EXIT_OK;

	if (input == NULL)
		return ow_cmd_fail(a, "the request on standard input: %s", why);
	if (input[strspn(input, " \t\r\n")] == '\0') {
		free(input);
		return OW_EXIT_OK;
	}
	text = import_text(c->type, input);
	if (text == NULL)
		r = ow_cmd_fail(a, "no memory");
	else if (strcmp(c->type, "UBF") == 0 &&
		 ow_json_parse(input, strlen(input), check_field, &f,
			       f.error) != 0)
		r = ow_cmd_fail(a, "the request is no UBF: %s", f.error);
	else if (tpimport(text, (long)strlen(text), &c->data, &c->len, 0) != 0)
		r = ow_cmd_fail(a, "the request is no %s: %s", c->type,
				tpstrerror(tperrno));
	free(text);
	free(input);
	return r;
}

/* ---- the call ---- */

static void note_error(struct call *c)
{
	c->err = tperrno;
	snprintf(c->why, sizeof(c->why), "%s", tpstrerror(c->err));
}

/* The reply takes the place of the request; without one nothing does. */
static void ask(struct call *c)
{
	char *reply = NULL;
	uint64_t begun = ow_clock_mono_ns();
	long len = 0;
	int cd;

	if (c->seconds > 0)
		(void)tpsblktime((int)c->seconds, TPBLK_ALL);
	cd = tpacall((char *)(uintptr_t)c->svc, c->data, c->len, TPNOTRAN);
	/* That of a guest may have gone out, and its gate has died. */
	c->sent = cd != -1 || tperrno == TPETIME || tperrno == TPESYSTEM;
	if (cd == -1 || tpgetrply(&cd, &reply, &len, 0) == -1)
		note_error(c);
	c->us = (ow_clock_mono_ns() - begun) / 1000;
	c->unbegun = c->err != 0 && c->err != TPESVCFAIL &&
		     tpurcode == LONG_MIN;
	c->urcode = (int)tpurcode;
	if (c->data != NULL)
		tpfree(c->data);
	c->data = reply;
	c->len = len;
	if ((c->err != 0 && c->err != TPESVCFAIL) || reply == NULL) {
		if (reply != NULL)
			tpfree(reply);
		c->data = NULL;
	}
}

/* The reply as tpexport() writes it, malloc'ed; NULL: none. */
static char *reply_text(const struct call *c)
{
	long size = c->len * 8 + 65536;
	char *text = c->data != NULL ? malloc((size_t)size) : NULL;

	if (text == NULL || tpexport(c->data, c->len, text, &size, 0) == 0)
		return text;
	free(text);
	return NULL;
}

static int print(struct ow_args *a, const struct call *c,
		 const struct ow_masks *masks)
{
	struct ow_json j = { .out = stdout };
	char *text = reply_text(c), *shown = NULL;
	const char *name = c->err == 0 ? "" : tpecodestr(c->err);
	const char *why = c->why;

	if (text != NULL && ow_args_has(a, 'm')) {
		shown = ow_masks_json(masks, text);
		free(text);
		text = shown;
	}
	if (c->data != NULL && text == NULL)
		why = "there is a reply; it has no form in JSON";
	ow_json_row_begin(&j);
	ow_json_str(&j, "service", c->svc);
	ow_json_str(&j, "work", work_of(c));
	ow_json_str(&j, "error", name);
	ow_json_str(&j, "why", why);
	ow_json_int(&j, "urcode", c->urcode);
	ow_json_uint(&j, "us", c->us);
	printf(",\n\"reply\":%s", text != NULL ? text : "null");
	ow_json_row_end(&j);
	free(text);
	return c->err == 0 ? OW_EXIT_OK : OW_EXIT_FAILED;
}

static int call_as(struct ow_args *a, struct call *c,
		   const struct ow_masks *masks)
{
	TPCONTEXT_T mine = NULL, its = tpnewctxt(0, 0);
	int r;

	if (its == NULL || tpgetctxt(&mine, 0) == -1 ||
	    tpsetctxt(its, 0) == -1)
		return ow_cmd_fail(a, "%s", tpstrerror(tperrno));
	r = make_request(a, c);
	if (r == OW_EXIT_OK && c->user != NULL &&
	    tpsetcaller(c->user, 0) == -1)
		note_error(c);
	if (r == OW_EXIT_OK && c->err == 0)
		ask(c);
	if (r == OW_EXIT_OK)
		r = print(a, c, masks);
	if (c->data != NULL)
		tpfree(c->data);
	tpterm();
	(void)tpsetctxt(mine, 0);
	tpfreectxt(its);
	return r;
}

int ow_control_call(struct ow_args *a)
{
	const char *seconds = ow_args_value(a, 't');
	struct call c = { .type = ow_args_value(a, 'b'),
			  .user = ow_args_value(a, 'u') };
	struct ow_masks masks = { .config = NULL };
	struct ow_domain d;
	int r;

	if (a->n_rest != 1)
		return ow_cmd_misused(a, "which service?");
	c.svc = a->rest[0];
	if (c.type == NULL)
		c.type = "UBF";
	if (!is_type(c.type))
		return ow_cmd_misused(a, "-b %s: no type of buffers", c.type);
	if (seconds != NULL && (ow_env_parse_long(seconds, &c.seconds) < 0 ||
				c.seconds < 1 || c.seconds > 86400))
		return ow_cmd_misused(a, "-t %s: seconds, 1 to 86400", seconds);
	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	r = ow_args_has(a, 'm') ? ow_masks_read(a, &d, &masks) : OW_EXIT_OK;
	if (r == OW_EXIT_OK)
		r = call_as(a, &c, &masks);
	ow_masks_end(&masks);
	return r;
}
