/* SPDX-License-Identifier: Apache-2.0 */
/*
 * security.c - <security>, <event> and lists of those who may
 *
 * Only the form of a list is checked here: which users and groups there are is
 * a matter of the machine (ndrxd/supervise/rules.c).
 */
#include "libndrx/config/sections.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/door/callers.h"
#include "libubf/regex/regex.h"
#include "libndrx/config/say.h"
#include "libndrx/config/setter.h"

/* ---- who may ---- */

/* node:NUMBER, or node:NUMBER/NAME. */
static bool node_ok(const char *word, size_t n)
{
	size_t i = strlen("node:");
	unsigned int number = 0;

	if (n <= i || strncmp(word, "node:", i) != 0)
		return false;
	for (; i < n && word[i] >= '0' && word[i] <= '9' && number < 1000; i++)
		number = number * 10 + (unsigned int)(word[i] - '0');
	if (number < 1 || number > 255)
		return false;
	return i == n || (word[i] == '/' && n - i > 1 &&
			  n - i - 1 < OW_LOGIN_NAME &&
			  memchr(word + i, ':', n - i) == NULL);
}

static bool word_ok(const char *word, size_t n)
{
	static const char *const kinds[] = { "user:", "group:", "login:" };
	size_t i, k;

	if ((n == 3 && strncmp(word, "any", n) == 0) ||
	    (n == 4 && strncmp(word, "none", n) == 0))
		return true;
	if (node_ok(word, n))
		return true;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		k = strlen(kinds[i]);
		if (n > k && strncmp(word, kinds[i], k) == 0)
			return n - k < (kinds[i][0] == 'l' ? OW_LOGIN_NAME
							   : 65) &&
			       memchr(word + k, ':', n - k) == NULL;
	}
	return false;
}

int ow_config_acl_check(struct ow_config_check *check,
			const struct ow_config_node *node, const char *name,
			const char *acl)
{
	const char *word = acl;
	size_t n;

	for (; word != NULL && *word != '\0'; word += n) {
		n = strspn(word, " ");
		if (n > 0)
			continue;
		n = strcspn(word, " ");
		if (!word_ok(word, n) || memchr(word, '\t', n) != NULL ||
		    memchr(word, '\n', n) != NULL)
			return ow_config_fail(check, node, "attribute %s: "
					      "\"%.*s\" names nobody; give "
					      "words such as user:NAME, "
					      "group:NAME, login:NAME, "
					      "node:NUMBER, node:NUMBER/NAME, "
					      "any or none", name, (int)(n > 40 ? 40
									 : n),
					      word);
	}
	return 0;
}

/* ---- <security> ---- */

bool ow_config_wants_logins(const struct ow_config *c)
{
	return c->security.file != NULL && c->security.auth != NULL &&
	       strcmp(c->security.auth, "NONE") != 0;
}

/* Both become words of a line. */
static bool has_control(const char *s)
{
	for (; s != NULL && *s != '\0'; s++)
		if ((unsigned char)*s < ' ' || *s == 127)
			return true;
	return false;
}

static int check_security(struct ow_config_check *check,
			  const struct ow_config_node *node,
			  const struct ow_config_security *s)
{
	bool app = strcmp(s->auth, "APP") == 0;

	if (has_control(s->passwords) || has_control(s->authsvc))
		return ow_config_fail(check, node, "control characters; leave "
						   "them out");
	if (s->passwords != NULL && s->passwords[0] != '/')
		return ow_config_fail(check, node, "attribute passwords: give "
				      "a full path, such as "
				      "${NDRX_APPHOME}/conf/passwords");
	if (strcmp(s->auth, "SYS") == 0 && s->passwords == NULL)
		return ow_config_fail(check, node, "auth=\"SYS\" needs a file; "
				      "give passwords=\"PATH\"");
	if (app && s->authsvc == NULL && s->passwords == NULL)
		return ow_config_fail(check, node, "auth=\"APP\" needs a "
				      "service or a file; give authsvc=\"NAME\" "
				      "or passwords=\"PATH\"");
	return 0;
}

int ow_config_security(struct ow_config_check *check,
		       const struct ow_config_node *node)
{
	struct ow_config *c = check->config;
	struct ow_config_security s = { 0 };
	int r;

	if (c->security.file != NULL)
		return ow_config_fail(check, node, "is there twice, also at "
				      "line %u; give one", c->security.line);
	ow_config_set_initial(check, &ow_config_security_table, false, &s);
	r = ow_config_attrs_set(check, &ow_config_security_table, node, &s);
	if (r != 0)
		return r;
	if (s.auth == NULL)
		s.auth = "NONE";
	r = check_security(check, node, &s);
	if (r != 0)
		return r;
	s.file = ow_arena_strdup(c->arena, node->file);
	s.line = node->line;
	if (s.file == NULL)
		return ow_config_no_memory(check);
	c->security = s;
	return 0;
}

/* ---- <event> ---- */

static int check_event(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_config_event *e)
{
	struct ow_regex re;
	char why[128] = "";
	int r;

	if (e->name == NULL || has_control(e->name))
		return ow_config_fail(check, node, "attribute name: give an "
				      "expression for names of events");
	if (ow_regex_compile(&re, e->name, why, sizeof(why)) != 0)
		return ow_config_fail(check, node, "attribute name: \"%.40s\" "
				      "is no regular expression: %s; give one",
				      e->name, why);
	ow_regex_close(&re);
	r = ow_config_acl_check(check, node, "post", e->post);
	return r != 0 ? r : ow_config_acl_check(check, node, "subscribe",
						e->subscribe);
}

int ow_config_event(struct ow_config_check *check,
		    const struct ow_config_node *node)
{
	struct ow_config *c = check->config;
	struct ow_config_event e = { 0 }, *all;
	int r;

	ow_config_set_initial(check, &ow_config_event_table, false, &e);
	r = ow_config_attrs_set(check, &ow_config_event_table, node, &e);
	if (r == 0)
		r = check_event(check, node, &e);
	if (r != 0)
		return r;
	e.file = ow_arena_strdup(c->arena, node->file);
	e.line = node->line;
	all = ow_arena_push(c->arena, check->events, c->n_events,
			    sizeof(*all));
	if (e.file == NULL || all == NULL)
		return ow_config_no_memory(check);
	all[c->n_events++] = e;
	check->events = all;
	c->events = all;
	return 0;
}
