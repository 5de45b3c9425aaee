/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - <http>: the gate for HTTP, its routes, and what it calls
 *
 * The values are checked here and kept as text. The gate reads them of the
 * configuration in force (ndrxd writes it), so a reload needs no restart.
 */
#include "libndrx/config/sections.h"

#include <string.h>

#include "libndrx/config/expand.h"
#include "libndrx/config/say.h"
#include "libndrx/config/setter.h"

static const struct {
	const char *name;
	const struct ow_field_table *table;
} elements[] = {
	{ "http", &ow_config_http_table },
	{ "auth", &ow_config_http_auth_table },
	{ "route", &ow_config_http_route_table },
	{ "outgoing", &ow_config_http_outgoing_table },
	{ "host", &ow_config_http_host_table },
};

static const struct ow_field_table *table_of(const char *name)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		if (strcmp(elements[i].name, name) == 0)
			return elements[i].table;
	return NULL;
}

const char *ow_config_http_value(const struct ow_config_http *h,
				 const char *name)
{
	for (size_t i = 0; i < h->n; i++)
		if (strcmp(h->pairs[i].name, name) == 0)
			return h->pairs[i].value;
	return NULL;
}

/* The next of the words in *text, which moves behind it: its length, 0: none. */
static size_t next_word(const char **text, const char **ret_word)
{
	static const char between[] = ", \t\r\n";
	size_t n;

	*text += strspn(*text, between);
	*ret_word = *text;
	n = strcspn(*text, between);
	*text += n;
	return n;
}

/* Who may use the route is said, or nothing is: a list that lets everybody in,
 * or scopes of nobody, would be an open route that looks closed. */
static int check_door(struct ow_config_check *check,
		      const struct ow_config_node *node,
		      const struct ow_config_http *h, const char *path)
{
	const char *auth = ow_config_http_value(h, "auth"), *rest = auth, *word;
	size_t n = auth == NULL ? 0 : next_word(&rest, &word);
	bool open = n == 0 || strcmp(auth, "none") == 0;

	if (auth != NULL && n == 0)
		return ow_config_fail(check, node, "route %.200s: auth: give "
				      "names of <auth>, or none", path);
	if (open && ow_config_http_value(h, "scopes") != NULL)
		return ow_config_fail(check, node, "route %.200s: scopes are "
				      "those of a caller: give auth, too",
				      path);
	return 0;
}

/* The first answer of a key can be kept where there is one, and it is whole. */
static bool keeps_answers(const struct ow_config_http *h)
{
	const char *keep = ow_config_http_value(h, "idempotency");
	const char *method = ow_config_http_value(h, "method");

	if (keep == NULL || strcmp(keep, "0") == 0)
		return true;
	if (ow_config_http_value(h, "queue") != NULL)
		return method == NULL || strcmp(method, "GET") != 0;
	return ow_config_http_value(h, "events") == NULL &&
	       ow_config_http_value(h, "conversation") == NULL &&
	       ow_config_http_value(h, "staticdir") == NULL;
}

static bool is_yes(const char *value)
{
	return value != NULL && strchr("YyTt1", value[0]) != NULL;
}

/* What goes in pieces is a conversation of its own. */
static bool can_stream(const struct ow_config_http *h)
{
	static const char *const others[] = {
		"async", "idempotency", "finman", "foutman",
	};
	const char *conv = ow_config_http_value(h, "conv");

	if (!is_yes(ow_config_http_value(h, "stream")))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (ow_config_http_value(h, others[i]) != NULL)
			return false;
	return ow_config_http_value(h, "svc") != NULL && conv != NULL &&
	       strcmp(conv, "raw") == 0;
}

/* A route goes to one thing. */
static int check_route(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_config_http *h)
{
	static const char *const targets[] = {
		"svc", "queue", "events", "conversation", "staticdir", "echo",
		"transaction_handler",
	};
	const char *path = ow_config_http_value(h, "path");
	int n = 0;

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		n += ow_config_http_value(h, targets[i]) != NULL;
	if (path == NULL || path[0] != '/')
		return ow_config_fail(check, node, "attribute path: give a "
				      "path that begins with /");
	if (n != 1)
		return ow_config_fail(check, node, "route %.200s: give one of "
				      "svc, queue, events, conversation, "
				      "staticdir, echo and "
				      "transaction_handler", path);
	if (!keeps_answers(h))
		return ow_config_fail(check, node, "route %.200s: idempotency "
				      "is for svc and POST of a queue; leave "
				      "it out", path);
	if (!can_stream(h))
		return ow_config_fail(check, node, "route %.200s: stream is "
				      "for svc and conv raw, without async, "
				      "idempotency, finman and foutman", path);
	return check_door(check, node, h, path);
}

static bool is_url(const char *s)
{
	return s != NULL && (strncmp(s, "http://", 7) == 0 ||
			     strncmp(s, "https://", 8) == 0);
}

static int check_host(struct ow_config_check *check,
		      const struct ow_config_node *node,
		      const struct ow_config_http *h)
{
	if (is_url(ow_config_http_value(h, "base")))
		return 0;
	return ow_config_fail(check, node, "attribute base: give http:// or "
			      "https:// and the host");
}

static int check_files(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_config_http *h)
{
	if ((ow_config_http_value(h, "tls_cert_file") == NULL) !=
	    (ow_config_http_value(h, "tls_key_file") == NULL))
		return ow_config_fail(check, node, "a certificate and its key "
				      "go together; give both");
	return 0;
}

/* Keep what the element says. */
static int keep(struct ow_config_check *check,
		const struct ow_config_node *node, struct ow_config_http *h)
{
	struct ow_arena *arena = check->config->arena;
	size_t n = 0;
	int r = 0;

	for (const struct ow_config_attr *a = node->attrs; a != NULL; a = a->next)
		n++;
	h->pairs = ow_arena_alloc(arena, (n + 1) * sizeof(*h->pairs));
	h->element = ow_arena_strdup(arena, node->name);
	h->file = ow_arena_strdup(arena, node->file);
	h->line = node->line;
	if (h->pairs == NULL || h->element == NULL || h->file == NULL)
		return ow_config_no_memory(check);
	for (const struct ow_config_attr *a = node->attrs;
	     a != NULL && r == 0; a = a->next) {
		struct ow_config_http_pair *p = &h->pairs[h->n];

		p->name = ow_arena_strdup(arena, a->name);
		if (p->name == NULL)
			return ow_config_no_memory(check);
		r = ow_config_expand(check, node, a->value, false, &p->value);
		if (r == 0 && p->value[0] != '\0')
			h->n++;
	}
	return r;
}

static int add(struct ow_config_check *check, const struct ow_config_node *node)
{
	struct ow_config *c = check->config;
	const struct ow_field_table *table = table_of(node->name);
	struct ow_config_http h = { 0 }, *all;
	int r = ow_config_attrs_set(check, table, node, NULL);

	if (r == 0)
		r = keep(check, node, &h);
	if (r == 0 && table == &ow_config_http_route_table)
		r = check_route(check, node, &h);
	if (r == 0 && table == &ow_config_http_host_table)
		r = check_host(check, node, &h);
	if (r == 0 && table == &ow_config_http_table)
		r = check_files(check, node, &h);
	if (r != 0)
		return r;
	all = ow_arena_push(c->arena, check->http, c->n_http, sizeof(*all));
	if (all == NULL)
		return ow_config_no_memory(check);
	all[c->n_http++] = h;
	check->http = all;
	c->http = all;
	return 0;
}

/* Among the n elements of an <http>: is there an <auth> of this name? */
static bool has_auth(const struct ow_config_http *all, size_t n,
		     const char *word, size_t len)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = ow_config_http_value(&all[i], "name");

		if (strcmp(all[i].element, "auth") == 0 && name != NULL &&
		    strlen(name) == len && strncmp(name, word, len) == 0)
			return true;
	}
	return false;
}

/* An element and those before it: a route names what there is, of <auth> each
 * name is there once. `all` are the n elements, this is number i. */
static int check_names(struct ow_config_check *check,
		       const struct ow_config_node *node,
		       const struct ow_config_http *all, size_t n, size_t i)
{
	const char *name = ow_config_http_value(&all[i], "name"), *word;
	const char *rest = ow_config_http_value(&all[i], "auth");
	size_t len;

	if (strcmp(all[i].element, "auth") == 0 && name != NULL &&
	    strcmp(name, "none") == 0)
		return ow_config_fail(check, node, "auth none is the lack of "
				      "one; give another name");
	if (strcmp(all[i].element, "auth") == 0 && name != NULL &&
	    has_auth(all, i, name, strlen(name)))
		return ow_config_fail(check, node, "auth %.60s is there twice",
				      name);
	if (rest == NULL || strcmp(rest, "none") == 0)
		return 0;
	while ((len = next_word(&rest, &word)) > 0)
		if (!has_auth(all, n, word, len))
			return ow_config_fail(check, node, "auth: there is no "
					      "<auth name=\"%.*s\">",
					      (int)(len > 60 ? 60 : len), word);
	return 0;
}

int ow_config_http(struct ow_config_check *check,
		   const struct ow_config_node *section)
{
	size_t first = check->config->n_http, i = 0;
	int r = add(check, section);

	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next)
		r = add(check, n);
	for (const struct ow_config_node *n = section->children;
	     n != NULL && r == 0; n = n->next)
		r = check_names(check, n, check->http + first,
				check->config->n_http - first, ++i);
	return r;
}
