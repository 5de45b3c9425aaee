/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules in force: written by ndrxd, read by who serves
 *
 * Text, a line for each fact, words parted by tabs:
 *	security LEVEL PASSWORDS AUTHSVC
 *	rule KIND NAME
 *	user UID / group GID / login NAME / any - / node NUMBER NAME
 *						of the rule before
 */
#include "libatmi/door/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libubf/base/cleanup.h"
#include "libubf/regex/regex.h"

#define LINE_MAX_LEN 1024

const char *const ow_rule_words[OW_RULE_KINDS] = {
	[OW_RULE_CALL] = "call",
	[OW_RULE_POST] = "post",
	[OW_RULE_SUBSCRIBE] = "subscribe",
};
const char *const ow_who_words[OW_WHO_KINDS] = {
	[OW_WHO_USER] = "user",
	[OW_WHO_GROUP] = "group",
	[OW_WHO_LOGIN] = "login",
	[OW_WHO_ANY] = "any",
	[OW_WHO_NODE] = "node",
};

struct ow_rules {
	struct ow_rules_security security;
	char *passwords, *authsvc;
	struct ow_rule *rules;
	struct ow_regex *expr; /* of each rule about events */
	size_t n, cap;
	struct ow_who *who; /* of all rules, in order */
	size_t *first; /* of each rule in `who` */
	size_t n_who, cap_who;
};

/* ---- written ---- */

void ow_rules_put_security(FILE *out, const struct ow_rules_security *s)
{
	fprintf(out, "security\t%d\t%s\t%s\n", s->auth, s->passwords,
		s->authsvc);
}

void ow_rules_put_rule(FILE *out, enum ow_rule_kind kind, const char *name)
{
	fprintf(out, "rule\t%s\t%s\n", ow_rule_words[kind], name);
}

void ow_rules_put_who(FILE *out, const struct ow_who *w)
{
	if (w->kind == OW_WHO_LOGIN)
		fprintf(out, "login\t%s\n", w->login);
	else if (w->kind == OW_WHO_NODE)
		fprintf(out, "node\t%u\t%s\n", w->id, w->login);
	else
		fprintf(out, "%s\t%u\n", ow_who_words[w->kind], w->id);
}

static void path_of(const struct ow_domain *d, uint32_t guards, char *buf,
		    size_t size)
{
	char kind[32];

	snprintf(kind, sizeof(kind), "rules,%u", guards >> OW_GUARD_EPOCH);
	ow_domain_shm_path(d, kind, buf, size);
}

static int write_file(const char *path, const char *text, size_t len)
{
	ssize_t n;
	int r = 0, fd;

	unlink(path); /* of an ndrxd that was killed */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	if (fd < 0)
		return -errno;
	while (r == 0 && len > 0) {
		n = write(fd, text, len);
		if (n < 0 && errno != EINTR)
			r = -errno;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	close(fd);
	if (r != 0)
		unlink(path);
	return r;
}

int ow_rules_publish(struct ow_domain *d, uint32_t guards, const char *text,
		     size_t len)
{
	_Atomic uint32_t *word = &d->tables->head->guards;
	uint32_t epoch = 0, was = atomic_load(word);
	char path[160];
	int r = 0;

	if (guards != 0) {
		r = ow_callers_next_epoch(d, &epoch);
		guards |= epoch << OW_GUARD_EPOCH;
		path_of(d, guards, path, sizeof(path));
		if (r == 0)
			r = write_file(path, text, len);
		else if (r > 0)
			r = -ENOSPC;
	}
	/* Without the file everybody but servers is refused. */
	atomic_store(word, guards);
	if (was != 0) {
		path_of(d, was, path, sizeof(path));
		unlink(path);
	}
	return r;
}

/* ---- read ---- */

uint32_t ow_rules_guards(const struct ow_domain *d)
{
	return atomic_load_explicit(&d->tables->head->guards,
				    memory_order_acquire);
}

struct ow_rules *ow_rules_free(struct ow_rules *r)
{
	size_t i;

	if (r == NULL)
		return NULL;
	for (i = 0; i < r->n; i++) {
		if (r->rules[i].kind != OW_RULE_CALL)
			ow_regex_close(&r->expr[i]);
		free((char *)r->rules[i].name);
	}
	free(r->passwords);
	free(r->authsvc);
	free(r->rules);
	free(r->expr);
	free(r->first);
	free(r->who);
	free(r);
	return NULL;
}

static void freep(struct ow_rules **r)
{
	*r = ow_rules_free(*r);
}

static int find_word(const char *const *words, int n, const char *word)
{
	int i;

	for (i = 0; i < n; i++)
		if (word != NULL && strcmp(words[i], word) == 0)
			return i;
	return -1;
}

static int take_security(struct ow_rules *r, char *rest)
{
	const char *level = strsep(&rest, "\t"), *file = strsep(&rest, "\t");

	if (file == NULL || rest == NULL || r->passwords != NULL)
		return -EBADMSG;
	r->passwords = strdup(file);
	r->authsvc = strdup(rest);
	if (r->passwords == NULL || r->authsvc == NULL)
		return -ENOMEM;
	r->security = (struct ow_rules_security){
		.auth = atoi(level),
		.passwords = r->passwords,
		.authsvc = r->authsvc,
	};
	return 0;
}

/* Room for one rule more. */
static int grow_rules(struct ow_rules *r)
{
	size_t cap = r->cap == 0 ? 16 : r->cap * 2;
	void *rules, *expr, *first;

	if (r->n < r->cap)
		return 0;
	rules = realloc(r->rules, cap * sizeof(*r->rules));
	if (rules != NULL)
		r->rules = rules;
	expr = realloc(r->expr, cap * sizeof(*r->expr));
	if (expr != NULL)
		r->expr = expr;
	first = realloc(r->first, cap * sizeof(*r->first));
	if (first != NULL)
		r->first = first;
	if (rules == NULL || expr == NULL || first == NULL)
		return -ENOMEM;
	r->cap = cap;
	return 0;
}

static int take_rule(struct ow_rules *r, char *rest)
{
	int kind = find_word(ow_rule_words, OW_RULE_KINDS,
			     strsep(&rest, "\t"));
	char why[128];

	if (kind < 0 || rest == NULL)
		return -EBADMSG;
	if (grow_rules(r) != 0)
		return -ENOMEM;
	r->rules[r->n] = (struct ow_rule){ .kind = (enum ow_rule_kind)kind,
					   .name = strdup(rest) };
	r->first[r->n] = r->n_who;
	if (r->rules[r->n].name == NULL)
		return -ENOMEM;
	if (kind != OW_RULE_CALL &&
	    ow_regex_compile(&r->expr[r->n], rest, why, sizeof(why)) != 0) {
		free((char *)r->rules[r->n].name);
		return -EBADMSG;
	}
	r->n++;
	return 0;
}

static int take_who(struct ow_rules *r, int kind, const char *rest)
{
	size_t cap = r->cap_who == 0 ? 64 : r->cap_who * 2;
	struct ow_who *who;

	if (r->n == 0 || rest == NULL)
		return -EBADMSG;
	if (r->n_who == r->cap_who) {
		who = realloc(r->who, cap * sizeof(*who));
		if (who == NULL)
			return -ENOMEM;
		r->who = who;
		r->cap_who = cap;
	}
	who = &r->who[r->n_who++];
	memset(who, 0, sizeof(*who));
	who->kind = (enum ow_who_kind)kind;
	if (kind != OW_WHO_LOGIN)
		who->id = (uint32_t)strtoul(rest, NULL, 10);
	if (kind == OW_WHO_NODE)
		rest += strcspn(rest, "\t") + (strchr(rest, '\t') != NULL);
	if (kind == OW_WHO_LOGIN || kind == OW_WHO_NODE)
		snprintf(who->login, sizeof(who->login), "%.31s", rest);
	r->rules[r->n - 1].n_who++;
	return 0;
}

static int take_line(struct ow_rules *r, char *line)
{
	const char *word = strsep(&line, "\t");
	int kind;

	if (strcmp(word, "security") == 0)
		return take_security(r, line);
	if (strcmp(word, "rule") == 0)
		return take_rule(r, line);
	kind = find_word(ow_who_words, OW_WHO_KINDS, word);
	return kind < 0 ? -EBADMSG : take_who(r, kind, line);
}

static void closep(FILE **f)
{
	if (*f != NULL)
		fclose(*f);
}

static int read_file(const char *path, struct ow_rules **ret)
{
	OW_CLEANUP(closep) FILE *f = NULL;
	OW_CLEANUP(freep) struct ow_rules *rules = NULL;
	char line[LINE_MAX_LEN];
	size_t i;
	int r = ow_owned_fopen(path, &f);

	if (r != 0)
		return r;
	rules = calloc(1, sizeof(*rules));
	if (rules == NULL)
		return -ENOMEM;
	while (r == 0 && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		r = take_line(rules, line);
	}
	if (r == 0 && rules->passwords == NULL)
		r = -EBADMSG; /* not even its first line */
	if (r != 0)
		return r;
	for (i = 0; i < rules->n; i++)
		rules->rules[i].who = rules->who + rules->first[i];
	*ret = rules;
	rules = NULL;
	return 0;
}

int ow_rules_load(struct ow_domain *d, uint32_t *ret_guards,
		  struct ow_rules **ret)
{
	uint32_t guards = ow_rules_guards(d), now;
	struct ow_rules *rules;
	char path[160];
	int r;

	for (;;) {
		rules = NULL;
		path_of(d, guards, path, sizeof(path));
		r = guards != 0 ? read_file(path, &rules) : 0;
		now = ow_rules_guards(d);
		if (now == guards)
			break;
		ow_rules_free(rules);
		guards = now;
	}
	if (r != 0)
		return r == -ENOENT ? -EIO : r;
	*ret_guards = guards;
	*ret = rules;
	return 0;
}

const struct ow_rules_security *ow_rules_security(const struct ow_rules *r)
{
	return &r->security;
}

static bool is_about(const struct ow_rules *r, size_t i,
		     enum ow_rule_kind kind, const char *name)
{
	if (r->rules[i].kind != kind)
		return false;
	return kind == OW_RULE_CALL
		   ? strcmp(r->rules[i].name, name) == 0
		   : ow_regex_run(&r->expr[i], name, strlen(name)) == 1;
}

const struct ow_rule *ow_rules_find(const struct ow_rules *r,
				    enum ow_rule_kind kind, const char *name)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (is_about(r, i, kind, name))
			return &r->rules[i];
	return NULL;
}

const struct ow_rule *ow_rules_at(const struct ow_rules *r, size_t i)
{
	return i < r->n ? &r->rules[i] : NULL;
}

static bool is_member(const struct ow_caller *c, uint32_t gid)
{
	uint32_t i;

	for (i = 0; i < c->n_groups; i++)
		if (c->groups[i] == gid)
			return true;
	return c->gid == gid;
}

static bool is_one(const struct ow_who *w, const struct ow_caller *c)
{
	switch (w->kind) {
	case OW_WHO_USER:
		return w->id == c->uid;
	case OW_WHO_GROUP:
		return is_member(c, w->id);
	case OW_WHO_LOGIN:
		return c->login[0] != '\0' && strcmp(w->login, c->login) == 0;
	case OW_WHO_ANY:
		return true;
	default:
		return false;
	}
}

bool ow_rule_authorizes(const struct ow_rule *rule, const struct ow_caller *c)
{
	size_t i;

	for (i = 0; i < rule->n_who; i++)
		if (is_one(&rule->who[i], c))
			return true;
	return false;
}

bool ow_rule_names_remote(const struct ow_rule *rule, uint32_t node,
			  const char *login)
{
	const struct ow_who *w;
	size_t i;

	for (i = 0; i < rule->n_who; i++) {
		w = &rule->who[i];
		if (w->kind == OW_WHO_NODE && w->id == node &&
		    (w->login[0] == '\0' || strcmp(w->login, login) == 0))
			return true;
	}
	return false;
}

bool ow_rule_is_open(const struct ow_rule *rule)
{
	size_t i;

	for (i = 0; i < rule->n_who; i++)
		if (rule->who[i].kind == OW_WHO_ANY)
			return true;
	return false;
}
