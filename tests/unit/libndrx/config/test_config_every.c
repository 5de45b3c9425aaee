/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_config_every.c - a wrong value is refused by name, wherever it stands
 *
 * For each element and attribute of the grammar, in each of its places, a
 * document with a wrong value is made and loaded; the message has to begin with
 * file and line, and to name the element or attribute. A new element without a
 * row in the table below fails here.
 */
#include "libndrx/config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "libndrx/config/grammar.h"
#include "tests/unit/libatmi/scratch.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PATHS	     512
#define PATH	     128
#define XML	     1024

#define OPEN	"${A" /* wrong for fields that take any text */
#define OPEN_IS "write ${NAME}"
#define TEXT	"the text \"junk\""

struct wrong {
	const char *what; /* the end of a path, "@": an attribute */
	const char *value;
	const char *message; /* a part of it */
};

/* If two rows fit a path, the longer one is used. */
static const struct wrong wrong[] = {
	{ "appconfig", "junk", TEXT },
	{ "sanity", "0", "greater than 0" },
	{ "checkpm", "x", "not a time" },
	{ "brrefresh", "x", "not a time" },
	{ "restart_min", "x", "not a time" },
	{ "restart_step", "x", "not a time" },
	{ "restart_max", "x", "not a time" },
	{ "restart_to_check", "x", "not a time" },
	{ "gather_pq_stats", "x", "give Y or N" },
	{ "rqaddrttl", "x", "not a time" },
	{ "ddrreload", "x", "not a time" },
	{ "transport", "pigeon", "give one of: auto posix shm" },
	{ "mask", OPEN, OPEN_IS },
	{ "wake", "loudly", "give one of: bell exclusive herd" },
	{ "spin", "101", "give a number from 0 to 100, or always" },

	{ "defaults", "junk", TEXT },
	{ "servers", "junk", TEXT },
	{ "server", "junk", TEXT },
	{ "server@name", "a/b", "no program name" },
	{ "srvid", "0", "out of range" },
	{ "min", "-1", "from 0 to 65535" },
	{ "max", "0", "from 1 to 65535" },
	{ "mindispatchthreads", "0", "from 1" },
	{ "maxdispatchthreads", "x", "not a number" },
	{ "threadstacksize", "-2", "from -1" },
	{ "autokill", "maybe", "give Y or N" },
	{ "respawn", "2x", "give Y or N" },
	{ "env", OPEN, OPEN_IS },
	{ "env@name", "A=B", "no name of a variable" },
	{ "env@unset", "x", "attribute unset: \"x\" is neither" },
	{ "envs", "junk", TEXT },
	{ "envs@group", "", "group \"\" is empty" },
	{ "usegroup", "NONE", "there is no group \"NONE\"" },
	{ "start_max", "0", "greater than 0" },
	{ "pingtime", "-1", "not a time" },
	{ "ping_max", "soon", "not a time" },
	{ "svctimeout", "x", "not a time" },
	{ "end_max", "1x", "unknown unit" },
	{ "killtime", "400d", "at most 365 days" },
	{ "killseq", "2,99", "no signal" },
	{ "restart_tries", "-1", "integer from 0" },
	{ "autoscale", "wait=x", "not a time" },
	{ "sleep_after", "1..2", "not a time" },
	{ "srvstartwait", "a", "not a time" },
	{ "srvstopwait", "", "is empty" },
	{ "sysopt", "-e 'x", "quote that is not closed" },
	{ "appopt", "x\\", "ends in a backslash" },
	{ "clopt", "-A -- 'x", "quote that is not closed" },
	{ "fullpath", OPEN, OPEN_IS },
	{ "cmdline", "\"x", "quote that is not closed" },
	{ "exportsvcs", OPEN, OPEN_IS },
	{ "blacklistsvcs", OPEN, OPEN_IS },
	{ "cctag", OPEN, OPEN_IS },
	{ "compat", "tuxedo", "give one of: strict-tuxedo strict-enduro" },
	{ "protected", "x", "give Y or N" },
	{ "reloadonchange", "x", "give Y or N" },
	{ "rssmax", "10X", "unknown suffix" },
	{ "vszmax", "big", "not a size" },
	{ "rqaddr", "0123456789012345678901234567890", "at most 30" },
	{ "procgrp", "NONE", "there is no group \"NONE\"" },
	{ "procgrp_lp", "NONE", "there is no group \"NONE\"" },

	{ "procgroups", "junk", TEXT },
	{ "procgroup", "junk", TEXT },
	{ "procgroup@name", "a-b", "has other characters" },
	{ "procgroup@grpno", "0", "out of range" },
	{ "procgroup@lockfile", OPEN, OPEN_IS },
	{ "@noorder", "x", "\"x\" is neither" },
	{ "@singleton", "x", "\"x\" is neither" },
	{ "@sg_nodes", "x", "give node numbers" },
	{ "@sg_nodes_verify", "x", "\"x\" is neither" },
	{ "@lastresource", "x", "\"x\" is neither" },

	{ "access", "junk", TEXT },
	{ "access@group", "a b", "give a Unix group" },
	{ "access@look", "x", "give Y or N" },
	{ "access@clients", "x", "give Y or N" },
	{ "access@admin", "x", "give Y or N" },

	{ "security", "junk", TEXT },
	{ "security@auth", "x", "give one of: NONE SYS APP" },
	{ "security@passwords", "a", "give a full path" },
	{ "security@authsvc", "0123456789012345678901234567890", "at most 30" },
	{ "cluster", "junk", TEXT },
	{ "cluster@name", "a.b", "give letters" },
	{ "cluster@urls", OPEN, OPEN_IS },
	{ "cluster@node", "256", "from 1 to 255" },
	{ "cluster@user", "x", "go together" },
	{ "cluster@password_file", "x", "go together" },
	{ "cluster@importsvcs", "x", "give NODE:SERVICE" },
	{ "cluster@credentials", OPEN, OPEN_IS },
	{ "cluster@ca", OPEN, OPEN_IS },
	{ "cluster@certificate", "x", "go together" },
	{ "cluster@key", "x", "go together" },
	{ "event", "junk", TEXT },
	{ "event@name", "a(", "attribute name" },
	{ "event@post", "anna", "give words such as" },
	{ "event@subscribe", "user:", "give words such as" },
	{ "@acl", "login:a,b group", "give words such as" },

	{ "clients", "junk", TEXT },
	{ "client", "junk", TEXT },
	{ "exec", "junk", TEXT },
	{ "exec@tag", "a/b", "without \"/\"" },
	{ "exec@subsect", "%", "without \"/\"" },
	{ "@cmdline", "'", "has a quote" },
	{ "@log", OPEN, OPEN_IS },
	{ "@stdout", OPEN, OPEN_IS },
	{ "@stderr", OPEN, OPEN_IS },
	{ "@env", OPEN, OPEN_IS },
	{ "@cctag", OPEN, OPEN_IS },
	{ "@compat", "tuxedo", "give one of: strict-tuxedo strict-enduro" },
	{ "@wd", OPEN, OPEN_IS },
	{ "@klevel", "3", "out of range" },
	{ "@autostart", "x", "\"x\"" },
	{ "@rssmax", "x", "not a size" },
	{ "@vszmax", "x", "not a size" },
	{ "@subsectfrom", "x", "not a number" },
	{ "@subsectto", "x", "not a number" },
	{ "@procgrp", "NONE", "there is no group \"NONE\"" },

	{ "services", "junk", TEXT },
	{ "service", "junk", TEXT },
	{ "@svcnm", "0123456789012345678901234567890", "at most 30" },
	{ "@prio", "101", "from 1 to 100" },
	{ "@svctimeout", "-1", "not a time" },
	{ "@routing", "0123456789012345", "at most 15" },
	{ "@queuehigh", "1000001", "from 0 to 1000000" },
	{ "@queuelow", "-1", "from 0 to 1000000" },
	{ "@cache", "key=A", "ttl=TIME is missing" },
	{ "@autotran", "maybe", "give Y or N" },
	{ "@durable", "maybe", "give Y or N" },
	{ "@trantime", "x", "not a time" },
	{ "@restart", "wait", "give one of: keep refuse" },
	{ "routing", "junk", TEXT },
	{ "route", "junk", TEXT },
	{ "field", "T AMOUNT", "\"T AMOUNT\"" },
	{ "ranges", "1-5", "\"1-5\"" },
	{ "buftype", "STRING", "give one of: UBF VIEW" },
	{ "fieldtype", "STRNG", "give one of: SHORT CHAR" },

	{ "http", "junk", TEXT },
	{ "http@name", OPEN, OPEN_IS },
	{ "http@ip", OPEN, OPEN_IS },
	{ "http@port", "x", "number" },
	{ "http@tls_cert_file", OPEN, OPEN_IS },
	{ "http@tls_key_file", OPEN, OPEN_IS },
	{ "http@tls_ca_file", OPEN, OPEN_IS },
	{ "http@header_max", "x", "not a size" },
	{ "http@body_max", "x", "not a size" },
	{ "http@header_time", "x", "not a time" },
	{ "http@body_time", "x", "not a time" },
	{ "http@idle_time", "x", "not a time" },
	{ "http@connections", "x", "number" },
	{ "http@connections_per_peer", "x", "number" },
	{ "http@json_depth", "x", "number" },
	{ "http@json_keys", "x", "number" },
	{ "http@json_digits", "x", "number" },
	{ "http@drain_time", "x", "not a time" },
	{ "http@access_log", OPEN, OPEN_IS },
	{ "http@gzip", "x", "give Y or N" },
	{ "http@cors_origins", OPEN, OPEN_IS },
	{ "http@cors_max_age", "x", "not a time" },
	{ "http@openapi", "x", "give Y or N" },
	{ "http@schema", "x", "give Y or N" },
	{ "http@docs", "x", "give Y or N" },
	{ "http@idempotency_dir", OPEN, OPEN_IS },
	{ "http@restin", OPEN, OPEN_IS },
	{ "http@restout", OPEN, OPEN_IS },
	{ "http/route", "junk", TEXT },
	{ "http/route@method", "x", "give one of" },
	{ "http/route@path", "a", "begins with /" },
	{ "http/route@svc", OPEN, OPEN_IS },
	{ "http/route@queue", OPEN, OPEN_IS },
	{ "http/route@events", OPEN, OPEN_IS },
	{ "http/route@staticdir", OPEN, OPEN_IS },
	{ "http/route@conv", "x", "give one of" },
	{ "http/route@errors", "x", "give one of" },
	{ "http/route@unknown", "x", "give one of" },
	{ "http/route@fields", OPEN, OPEN_IS },
	{ "http/route@status", OPEN, OPEN_IS },
	{ "http/route@async", "x", "give Y or N" },
	{ "http/route@echo", "x", "give Y or N" },
	{ "http/route@conversation", OPEN, OPEN_IS },
	{ "http/route@stream", "x", "give Y or N" },
	{ "http/route@notime", "x", "give Y or N" },
	{ "http/route@transaction_handler", "x", "give Y or N" },
	{ "http/route@parseheaders", "x", "give Y or N" },
	{ "http/route@finman", OPEN, OPEN_IS },
	{ "http/route@foutman", OPEN, OPEN_IS },
	{ "http/route@timeout", "x", "not a time" },
	{ "http/route@timeout_max", "x", "not a time" },
	{ "http/route@body_max", "x", "not a size" },
	{ "http/route@concurrency", "x", "number" },
	{ "http/route@queue_max", "x", "number" },
	{ "http/route@auth", OPEN, OPEN_IS },
	{ "http/route@scopes", OPEN, OPEN_IS },
	{ "http/route@rate", "x", "number" },
	{ "http/route@idempotency", "x", "not a time" },
	{ "http/route@summary", OPEN, OPEN_IS },
	{ "http/auth", "junk", TEXT },
	{ "http/auth@name", OPEN, OPEN_IS },
	{ "http/auth@kind", "x", "give one of" },
	{ "http/auth@file", OPEN, OPEN_IS },
	{ "http/auth@header", OPEN, OPEN_IS },
	{ "http/auth@jwks", OPEN, OPEN_IS },
	{ "http/auth@issuer", OPEN, OPEN_IS },
	{ "http/auth@audience", OPEN, OPEN_IS },
	{ "http/auth@identity", OPEN, OPEN_IS },
	{ "http/auth@logins", OPEN, OPEN_IS },
	{ "http/outgoing", "junk", TEXT },
	{ "http/outgoing@svc", OPEN, OPEN_IS },
	{ "http/outgoing@url", OPEN, OPEN_IS },
	{ "http/outgoing@host", OPEN, OPEN_IS },
	{ "http/outgoing@method", "x", "give one of" },
	{ "http/outgoing@conv", "x", "give one of" },
	{ "http/outgoing@errors", "x", "give one of" },
	{ "http/outgoing@status", OPEN, OPEN_IS },
	{ "http/outgoing@timeout", "x", "not a time" },
	{ "http/outgoing@parseonerror", "x", "give Y or N" },
	{ "http/outgoing@retries", "x", "number" },
	{ "http/host", "junk", TEXT },
	{ "http/host@name", OPEN, OPEN_IS },
	{ "http/host@base", "ftp://h", "https://" },
	{ "http/host@connections", "x", "number" },
	{ "http/host@breaker", "x", "number" },
	{ "http/host@breaker_time", "x", "not a time" },
	{ "http/host@retry_budget", "x", "number" },
	{ "http/host@ca_file", OPEN, OPEN_IS },
	{ "http/host@cert_file", OPEN, OPEN_IS },
	{ "http/host@key_file", OPEN, OPEN_IS },
	{ "http/host@sslinsecure", "x", "give Y or N" },
	{ "http/host@token_url", OPEN, OPEN_IS },
	{ "http/host@client_id", OPEN, OPEN_IS },
	{ "http/host@client_secret_file", OPEN, OPEN_IS },
	{ "http/host@scope", OPEN, OPEN_IS },
};

/* Attributes and elements that the document needs besides; keys as above. */
static const struct {
	const char *what;
	const char *attrs[2][2];
	const char *child, *inner;
} needs[] = {
	{ "server", { { "name", "s" } }, "srvid", "<srvid>1</srvid>" },
	{ "envs/env", { { "name", "E" } }, NULL, "" },
	{ "server/env@unset", { { "name", "E" } }, NULL, "" },
	{ "defaults/env@unset", { { "name", "E" } }, NULL, "" },
	{ "procgroup", { { "name", "G" }, { "grpno", "1" } }, NULL, "" },
	{ "access", { { "group", "G" } }, NULL, "" },
	{ "cluster", { { "name", "C" } }, NULL, "" },
	{ "event", { { "name", "E" } }, NULL, "" },
	{ "clients/envs", { { "group", "E" } }, NULL, "" },
	{ "client", { { "cmdline", "p" } }, "exec", "<exec tag=\"T\"/>" },
	{ "exec", { { "tag", "E" }, { "cmdline", "p" } }, NULL, "" },
	{ "@subsectfrom", { { "subsectto", "2" } }, NULL, "" },
	{ "@subsectto", { { "subsectfrom", "1" } }, NULL, "" },
	{ "service", { { "svcnm", "S" } }, NULL, "" },
	{ "routing/route", { { "routing", "R" } }, NULL, "" },
	{ "http", { { "port", "1" } }, NULL, "" },
	{ "http/auth", { { "name", "a" }, { "kind", "basic" } }, NULL, "" },
	{ "http/route", { { "path", "/a" }, { "svc", "A" } }, NULL, "" },
	{ "http/outgoing", { { "svc", "S" }, { "url", "/" } }, NULL, "" },
	{ "http/host", { { "name", "h" }, { "base", "http://h" } }, NULL, "" },
};

/* ---- paths to every element and attribute of the grammar ---- */

struct paths {
	char path[PATHS][PATH];
	size_t n;
	/* Fields among defaults that cannot have one. */
	char no_default[PATHS][PATH];
	size_t n_no_default;
};

static void add_fields(struct paths *p, const struct ow_element *e,
		       const struct ow_field_table *t, const char *path)
{
	for (size_t i = 0; t != NULL && i < t->n; i++) {
		const struct ow_field *f = &t->fields[i];
		bool refused = e->defaults_of != NULL &&
			       (f->flags & OW_FIELD_NO_DEFAULT) != 0;
		size_t *n = refused ? &p->n_no_default : &p->n;

		assert_true(*n < PATHS);
		snprintf(refused ? p->no_default[*n] : p->path[*n], PATH,
			 "%s%s%s", path, t == e->attrs ? "@" : "/", f->name);
		(*n)++;
	}
}

static void add_paths(struct paths *p, const struct ow_element *e,
		      const char *path)
{
	const struct ow_element *const *c = e->children;
	char inner[PATH];

	add_fields(p, e, e->attrs, path);
	add_fields(p, e, e->values, path);
	for (; c != NULL && *c != NULL; c++) {
		snprintf(inner, sizeof(inner), "%s/%s", path, (*c)->name);
		assert_true(p->n < PATHS);
		snprintf(p->path[p->n++], PATH, "%s", inner);
		add_paths(p, *c, inner);
	}
}

static int make_paths(void **state)
{
	struct paths *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return -1;
	add_paths(p, &ow_config_root, "");
	*state = p;
	return 0;
}

static int free_paths(void **state)
{
	free(*state);
	return 0;
}

/* ---- documents with a mistake ---- */

/* Does `path` end in `what`, not in the middle of a name? */
static bool fits(const char *path, const char *what)
{
	size_t len = strlen(path), end = strlen(what);

	return end < len && strcmp(path + len - end, what) == 0 &&
	       (*what == '@' || path[len - end - 1] == '/');
}

static const struct wrong *find_wrong(const char *path)
{
	const struct wrong *best = NULL;

	for (size_t i = 0; i < COUNT(wrong); i++)
		if (fits(path, wrong[i].what) &&
		    (best == NULL ||
		     strlen(best->what) < strlen(wrong[i].what)))
			best = &wrong[i];
	return best;
}

/* The attributes that the end of `path` needs, except `attr`, which the caller
 * adds with its wrong value. */
static void put_attrs(char *xml, const char *path, const char *attr)
{
	for (size_t i = 0; i < COUNT(needs); i++) {
		if (!fits(path, needs[i].what))
			continue;
		for (size_t k = 0; k < COUNT(needs[i].attrs); k++) {
			const char *const *a = needs[i].attrs[k];

			if (a[0] != NULL && strcmp(a[0], attr) != 0)
				sprintf(xml + strlen(xml), " %s=\"%s\"", a[0],
					a[1]);
		}
	}
}

static void put_inner(char *xml, const char *path, const char *child)
{
	for (size_t i = 0; i < COUNT(needs); i++)
		if (fits(path, needs[i].what) &&
		    (needs[i].child == NULL ||
		     strcmp(needs[i].child, child) != 0))
			strcat(xml, needs[i].inner);
}

/* `from`: where in the path the element's name begins. */
static void put(char *xml, const char *path, size_t from, const char *value)
{
	size_t to = from + strcspn(path + from, "/@");
	const char *rest = path + to, *attr = *rest == '@' ? rest + 1 : "";
	char here[PATH];

	snprintf(here, sizeof(here), "%.*s", (int)to, path);
	sprintf(xml + strlen(xml), "<%s", here + from);
	put_attrs(xml, here, attr);
	if (*attr != '\0') {
		put_attrs(xml, path, attr);
		sprintf(xml + strlen(xml), " %s=\"%s\"", attr, value);
	}
	strcat(xml, ">\n");
	put_inner(xml, here, *rest == '/' ? rest + 1 : "");
	if (*rest == '/')
		put(xml, path, to + 1, value);
	else if (*attr == '\0')
		strcat(xml, value);
	sprintf(xml + strlen(xml), "</%s>", here + from);
}

static void load(const char *xml, struct ow_config_error *err)
{
	const char *path = scratch_path("ndrxconfig.xml");
	struct ow_config *c = NULL;
	int r;

	scratch_write(path, xml);
	r = ow_config_load(path, err, &c);
	ow_config_free(c);
	if (r != OW_CONFIG_BAD)
		fail_msg("%s\nis no error (%d)", xml, r);
	if (strncmp(err->text, path, strlen(path)) != 0 ||
	    err->text[strlen(path)] != ':')
		fail_msg("%s\nis refused without a place: %s", xml, err->text);
}

/* The last name of a path: "<min>", or " klevel" of an attribute. */
static void name_of(const char *path, char ret[PATH])
{
	const char *attr = strchr(path, '@');

	if (attr != NULL)
		snprintf(ret, PATH, "%s", attr + 1);
	else
		snprintf(ret, PATH, "<%s", strrchr(path, '/') + 1);
}

/* A document with `value` at the end of the path is refused with `message`. */
static void expect_refused(const char *path, const char *value,
			   const char *message)
{
	struct ow_config_error err = { "" };
	char xml[XML] = "<endurox>\n", name[PATH];

	put(xml, path, 1, value);
	strcat(xml, "</endurox>\n");
	load(xml, &err);
	name_of(path, name);
	if (strstr(err.text, name) == NULL ||
	    strstr(err.text, message) == NULL)
		fail_msg("%s\ngave %s\ninstead of: %s, %s", xml, err.text,
			 name, message);
}

static void a_wrong_value_anywhere_is_named(void **state)
{
	const struct paths *p = *state;

	assert_true(p->n > 150);
	for (size_t i = 0; i < p->n; i++) {
		const struct wrong *w = find_wrong(p->path[i]);

		if (w == NULL)
			fail_msg("no wrong value is known for %s: add a row",
				 p->path[i]);
		expect_refused(p->path[i], w->value, w->message);
	}
}

static void fields_without_default_are_refused_in_defaults(void **state)
{
	const struct paths *p = *state;

	assert_true(p->n_no_default >= 9);
	for (size_t i = 0; i < p->n_no_default; i++)
		expect_refused(p->no_default[i], "1",
			       "cannot have a default; give it in each <");
}

static void every_row_fits_a_path(void **state)
{
	const struct paths *p = *state;

	for (size_t i = 0; i < COUNT(wrong); i++) {
		bool used = false;

		for (size_t k = 0; k < p->n && !used; k++)
			used = find_wrong(p->path[k]) == &wrong[i];
		if (!used)
			fail_msg("%s is not in the grammar", wrong[i].what);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_value_anywhere_is_named),
		cmocka_unit_test(
		    fields_without_default_are_refused_in_defaults),
		cmocka_unit_test(every_row_fits_a_path),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, make_paths, free_paths);
}
