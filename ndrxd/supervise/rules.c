/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - who may call, post and subscribe: from the configuration to the
 * domain
 *
 * Names of users and groups become numbers here, once. A name that this machine
 * does not have is nobody: it is said, and the others of its list count.
 */
#include "ndrxd/supervise/rules.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi_defs.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/gate.h"
#include "libatmi/door/rules.h"
#include "libatmi/log/log.h"
#include "ndrxd/model/ndrxd.h"

/* Where a list stands, for messages. */
struct place {
	const char *file, *attr;
	unsigned int line;
};

static int find_user(const char *name, uint32_t *ret)
{
	struct passwd pw, *found = NULL;
	char room[4096], *end;
	unsigned long n = strtoul(name, &end, 10);

	if (*name >= '0' && *name <= '9' && *end == '\0' && n < (uid_t)-1) {
		*ret = (uint32_t)n;
		return 0;
	}
	if (getpwnam_r(name, &pw, room, sizeof(room), &found) != 0 ||
	    found == NULL)
		return -ENOENT;
	*ret = pw.pw_uid;
	return 0;
}

/* 0; 1: the word names nobody, and says so; -ENOENT. */
static int read_word(const char *word, struct ow_who *ret)
{
	const char *name = strchr(word, ':');
	gid_t gid = 0;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (strcmp(word, "none") == 0)
		return 1;
	if (name == NULL) {
		ret->kind = OW_WHO_ANY;
		return 0;
	}
	name++;
	if (word[0] == 'l') {
		ret->kind = OW_WHO_LOGIN;
		snprintf(ret->login, sizeof(ret->login), "%.31s", name);
		return 0;
	}
	if (word[0] == 'n') {
		ret->kind = OW_WHO_NODE;
		ret->id = (uint32_t)strtoul(name, NULL, 10);
		name += strcspn(name, "/");
		snprintf(ret->login, sizeof(ret->login), "%.31s",
			 *name == '/' ? name + 1 : "");
		return 0;
	}
	if (word[0] == 'u') {
		ret->kind = OW_WHO_USER;
		return find_user(name, &ret->id);
	}
	ret->kind = OW_WHO_GROUP;
	r = ow_guest_group_find(name, &gid);
	ret->id = gid;
	return r;
}

static void put_list(FILE *out, const char *acl, const struct place *at)
{
	char words[1024], *rest = words, *word;
	struct ow_who who;
	int r;

	snprintf(words, sizeof(words), "%s", acl);
	while ((word = strsep(&rest, " ")) != NULL) {
		if (*word == '\0')
			continue;
		r = read_word(word, &who);
		if (r == 0)
			ow_rules_put_who(out, &who);
		else if (r < 0)
			log_error("%s:%u: %s: %s: not on this machine: it is "
				  "nobody", at->file, at->line, at->attr,
				  word);
	}
}

/* Services under several entries: the last one counts. */
static bool is_last(const struct ow_config *c, size_t i)
{
	for (size_t k = i + 1; k < c->n_services; k++)
		if (strcmp(c->services[k].name, c->services[i].name) == 0)
			return false;
	return true;
}

static uint32_t put_services(FILE *out, const struct ow_config *c)
{
	uint32_t guards = 0;

	for (size_t i = 0; i < c->n_services; i++) {
		const struct ow_config_service *s = &c->services[i];
		struct place at = { s->file, "acl", s->line };

		if (s->acl == NULL || !is_last(c, i))
			continue;
		guards = OW_GUARD_SERVICES;
		ow_rules_put_rule(out, OW_RULE_CALL, s->name);
		put_list(out, s->acl, &at);
	}
	return guards;
}

/* An event without a list of one kind is free in it, also if a later entry
 * matches: the first one counts. */
static void put_event(FILE *out, const struct ow_config_event *e,
		      enum ow_rule_kind kind, const char *acl)
{
	struct place at = { e->file, ow_rule_words[kind], e->line };

	ow_rules_put_rule(out, kind, e->name);
	put_list(out, acl != NULL ? acl : "any", &at);
}

static uint32_t put_events(FILE *out, const struct ow_config *c)
{
	for (size_t i = 0; i < c->n_events; i++) {
		put_event(out, &c->events[i], OW_RULE_POST, c->events[i].post);
		put_event(out, &c->events[i], OW_RULE_SUBSCRIBE,
			  c->events[i].subscribe);
	}
	return c->n_events > 0 ? OW_GUARD_EVENTS : 0;
}

static uint32_t put_all(FILE *out, const struct ow_config *c)
{
	const struct ow_config_security *s = &c->security;
	struct ow_rules_security all = {
		.passwords = s->passwords != NULL ? s->passwords : "",
		.authsvc = s->authsvc != NULL ? s->authsvc : "",
	};
	uint32_t guards;

	if (ow_config_wants_logins(c))
		all.auth = strcmp(s->auth, "APP") == 0 ? TPAPPAUTH : TPSYSAUTH;
	if (all.auth != TPAPPAUTH)
		all.authsvc = "";
	ow_rules_put_security(out, &all);
	guards = (uint32_t)all.auth;
	guards |= put_services(out, c);
	return guards | put_events(out, c);
}

void ow_rules_configure(struct ndrxd *d)
{
	char *text = NULL;
	size_t len = 0;
	uint32_t guards;
	FILE *out;
	int r;

	if (d->config == NULL || d->dom == NULL || d->ipc_gone)
		return;
	out = open_memstream(&text, &len);
	if (out == NULL) {
		log_error("rules of callers: no memory: those before stay");
		return;
	}
	guards = put_all(out, d->config);
	r = fclose(out) == 0 ? 0 : -ENOMEM;
	if (r == 0 && (guards != 0 || ow_rules_guards(d->dom) != 0))
		r = ow_rules_publish(d->dom, guards, text, len);
	if (r != 0)
		log_error("rules of callers: %s: until the next reload only "
			  "servers are served", strerror(-r));
	free(text);
}
