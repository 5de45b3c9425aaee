/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - who may call, post and subscribe: the rules in force
 *
 * ndrxd makes them from <security>, <event> and the acl of <service>, and
 * writes them into a file of their own in the domain's folder, `rules,EPOCH`,
 * which never changes. Then it stores `guards` in the head of the tables:
 * the epoch, and which kinds of rules there are. Whoever serves compares the
 * guards with those whose rules it has read: one load and one comparison,
 * 0 == 0 where there are no rules. So rules are in force for every request
 * that is taken after the store, and nobody ever reads half of them.
 *
 * What a crash leaves. ndrxd is killed before the store: a file that nobody
 * names; the former rules stay. After it: the former file, which the next one
 * removes. A server that finds no file for the guards reads them again; if they
 * are the same, it serves nobody (-EIO): a door whose rules are lost is shut.
 */
#ifndef OW_RULES_H
#define OW_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libatmi/door/callers.h"

struct ow_domain;
struct ow_rules;

/* Bits of `guards`; the epoch lies above. */
#define OW_GUARD_AUTH	  3u /* TPNOAUTH, TPSYSAUTH, TPAPPAUTH */
#define OW_GUARD_SERVICES 4u /* a service has an acl */
#define OW_GUARD_EVENTS	  8u /* an event has one */
#define OW_GUARD_EPOCH	  4  /* shift */

enum ow_rule_kind {
	OW_RULE_CALL,	   /* name: of a service */
	OW_RULE_POST,	   /* name: an expression for names of events */
	OW_RULE_SUBSCRIBE, /* the same */
	OW_RULE_KINDS
};

/* How rules about one thing name who may. */
enum ow_who_kind {
	OW_WHO_USER,  /* Unix user, by number */
	OW_WHO_GROUP, /* member of a Unix group, by number */
	OW_WHO_LOGIN, /* who has logged in with this name */
	OW_WHO_ANY,
	OW_WHO_NODE, /* who calls from node `id`; `login` not "": logged in
			there with this name */
	OW_WHO_KINDS
};

struct ow_who {
	enum ow_who_kind kind;
	uint32_t id;
	char login[OW_LOGIN_NAME];
};

struct ow_rule {
	enum ow_rule_kind kind;
	const char *name;
	const struct ow_who *who;
	size_t n_who;
};

/* What <security> says. */
struct ow_rules_security {
	int auth;
	const char *passwords; /* "": no file */
	const char *authsvc;   /* "": no service */
};

extern const char *const ow_rule_words[OW_RULE_KINDS];
extern const char *const ow_who_words[OW_WHO_KINDS];

/* ---- ndrxd writes ---- */

void ow_rules_put_security(FILE *out, const struct ow_rules_security *s);
void ow_rules_put_rule(FILE *out, enum ow_rule_kind kind, const char *name);
/* One of those that the last rule lets in. */
void ow_rules_put_who(FILE *out, const struct ow_who *w);
/* Put the text in force; `guards`: its bits without the epoch. 0 also ends all
 * rules. 0, or a reason after which only servers are served: -errno. */
int ow_rules_publish(struct ow_domain *d, uint32_t guards, const char *text,
		     size_t len);

/* ---- others read ---- */

/* The guards in force; 0: there are no rules. */
uint32_t ow_rules_guards(const struct ow_domain *d);
/* Read the rules in force: 0 with *ret_guards, to be compared with those in
 * force; *ret is NULL where there are none. -EIO, -EBADMSG, -errno. */
int ow_rules_load(struct ow_domain *d, uint32_t *ret_guards,
		  struct ow_rules **ret);
struct ow_rules *ow_rules_free(struct ow_rules *r);
const struct ow_rules_security *ow_rules_security(const struct ow_rules *r);
/* The rule about a service, or the first one whose expression the name of the
 * event matches; NULL: none. */
const struct ow_rule *ow_rules_find(const struct ow_rules *r,
				    enum ow_rule_kind kind, const char *name);
/* Rule number `i`; NULL: no more. */
const struct ow_rule *ow_rules_at(const struct ow_rules *r, size_t i);
/* Does the rule let this caller in? */
bool ow_rule_authorizes(const struct ow_rule *rule, const struct ow_caller *c);
/* Does it name this caller from another node? ("any" names nobody.) */
bool ow_rule_names_remote(const struct ow_rule *rule, uint32_t node,
			  const char *login);
/* Does it let anybody in? */
bool ow_rule_is_open(const struct ow_rule *rule);

#endif
