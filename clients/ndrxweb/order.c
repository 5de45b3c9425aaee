/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - what users may order, and the command of xadmin that does it
 */
#include "clients/ndrxweb/order.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS 11
#define WORD_LEN 96

struct ow_order {
	const char *verb;
	enum ow_role role;
	bool changes; /* one of these runs at a time */
	bool calls;   /* a service: nobody knows what that changes */
	bool json;
	/* Of xadmin. What is behind a @ is a word of the order (kinds below),
	 * also in the middle: "ndrx=@level". */
	const char *words[WORDS];
};

static const struct ow_order orders[] = {
	{ .verb = "start", .role = OW_ROLE_ADMIN, .changes = true,
	  .words = { "start", "-y", "-i", "@server" } },
	{ .verb = "stop", .role = OW_ROLE_ADMIN, .changes = true,
	  .words = { "stop", "-y", "-i", "@server" } },
	{ .verb = "restart", .role = OW_ROLE_ADMIN, .changes = true,
	  .words = { "restart", "-y", "-i", "@server" } },
	{ .verb = "sreload", .role = OW_ROLE_ADMIN, .changes = true,
	  .words = { "sreload", "-y", "-i", "@server" } },
	{ .verb = "suspend", .role = OW_ROLE_ADMIN, .changes = true,
	  .words = { "suspend", "-s", "@service" } },
	{ .verb = "resume", .role = OW_ROLE_ADMIN, .changes = true,
	  .words = { "resume", "-s", "@service" } },
	{ .verb = "log", .role = OW_ROLE_ADMIN, .changes = true,
	  .words = { "lcf", "logchg", "-a", "-A", "ndrx=@level" } },
	{ .verb = "log_process", .role = OW_ROLE_ADMIN, .changes = true,
	  .words = { "lcf", "logchg", "-p", "@pid", "-A",
		     "ndrx=@level tp=@level" } },
	{ .verb = "log_off", .role = OW_ROLE_ADMIN, .changes = true,
	  .words = { "lcf", "disable" } },
	{ .verb = "call", .role = OW_ROLE_OPERATE, .calls = true,
	  .json = true,
	  .words = { "call", "-m", "-u", "@user", "-t", "@seconds", "-b",
		     "@type", "@called" } },
	{ .verb = "fields", .role = OW_ROLE_OPERATE, .json = true,
	  .words = { "pubfdb", "-t", "--json" } },
	{ .verb = "services", .role = OW_ROLE_OPERATE, .json = true,
	  .words = { "psc", "--json" } },
	{ .verb = "queues", .role = OW_ROLE_LOOK, .json = true,
	  .words = { "mqlq", "--json" } },
	{ .verb = "messages", .role = OW_ROLE_LOOK, .json = true,
	  .words = { "mqlm", "-s", "@space", "-q", "@queue", "--json" } },
	{ .verb = "message", .role = OW_ROLE_LOOK, .json = true,
	  .words = { "mqdm", "-n", "@node", "-i", "@server", "-m", "@msgid",
		     "--json" } },
	{ .verb = "message_delete", .role = OW_ROLE_OPERATE, .changes = true,
	  .words = { "mqrm", "-n", "@node", "-i", "@server", "-m", "@msgid" } },
	{ .verb = "message_move", .role = OW_ROLE_OPERATE, .changes = true,
	  .words = { "mqmv", "-n", "@node", "-i", "@server", "-m", "@msgid",
		     "-s", "@space", "-q", "@queue" } },
	{ .verb = "messages_export", .role = OW_ROLE_OPERATE, .json = true,
	  .words = { "mqexport", "-m", "-s", "@space", "-q", "@queue" } },
	/* As an operator of another user sees it: without secrets. */
	{ .verb = "configuration", .role = OW_ROLE_LOOK, .json = true,
	  .words = { "--guest", "look", "80", "config", "--json" } },
	{ .verb = "logs", .role = OW_ROLE_LOOK, .json = true,
	  .words = { "--guest", "look", "80", "logs", "--json", "@trace" } },
	{ .verb = "check", .role = OW_ROLE_OPERATE, .words = { "testcfg" } },
	{ .verb = "reload", .role = OW_ROLE_ADMIN, .changes = true,
	  .words = { "reload", "-y" } },
};

/* ---- words ---- */

static const struct kind {
	const char *name;
	long least, most;  /* a number */
	size_t len;	   /* a name, with this many characters at most */
	const char *marks; /* that it may have beside letters and digits */
	const char *first; /* of these one that it may begin with */
} kinds[] = {
	{ .name = "server", .least = 1, .most = 65535 },
	{ .name = "pid", .least = 2, .most = INT32_MAX },
	{ .name = "level", .least = 0, .most = 6 },
	{ .name = "seconds", .least = 1, .most = 3600 },
	{ .name = "service", .len = 30, .marks = "_.@:>-", .first = "_.@:>" },
	/* Services of the runtime begin with . or @: by those a user would do
	 * what his role does not let him. */
	{ .name = "called", .len = 30, .marks = "_.@:>-", .first = "_" },
	{ .name = "node", .least = 1, .most = 32 },
	{ .name = "space", .len = 15, .marks = "_.@#-", .first = "_." },
	{ .name = "queue", .len = 15, .marks = "_.@#-", .first = "_.@#" },
	{ .name = "msgid", .len = 44, .marks = "_+=", .first = "_+" },
	{ .name = "trace", .len = 55, .marks = "-", .first = "" },
	{ .name = "type", .len = 40, .marks = "_:", .first = "" },
};

static bool is_number(const struct kind *k, const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	return isdigit((unsigned char)text[0]) && *end == '\0' &&
	       n >= k->least && n <= k->most;
}

static bool is_name(const struct kind *k, const char *text)
{
	size_t i, n = strlen(text);

	for (i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) &&
		    strchr(i == 0 ? k->first : k->marks, text[i]) == NULL)
			return false;
	return n > 0 && n <= k->len;
}

/* Who orders, and what the browser has sent. */
struct from {
	const char *user;
	ow_order_word *word;
	void *arg;
};

/* The value of a word, if it is of its kind; NULL, else. */
static const char *value_of(const char *name, const struct from *from)
{
	const char *text;
	size_t i;

	if (strcmp(name, "user") == 0)
		return from->user;
	text = from->word(from->arg, name);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			break;
	if (text == NULL || i == sizeof(kinds) / sizeof(*kinds))
		return NULL;
	return (kinds[i].len > 0 ? is_name : is_number)(&kinds[i], text)
		   ? text
		   : NULL;
}

/* One word of the command line, with values for what is behind each @. False:
 * one is missing or wrong. */
static bool fill_in(const char *form, const struct from *from, char *buf)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	size_t n = 0, len;
	const char *value;
	char name[16];

	buf[0] = '\0';
	while (*form != '\0') {
		len = strcspn(form, "@");
		n += (size_t)snprintf(buf + n, WORD_LEN - n, "%.*s", (int)len,
				      form);
		form += len;
		if (*form == '\0')
			break;
		len = strspn(++form, letters);
		snprintf(name, sizeof(name), "%.*s", (int)len, form);
		form += len;
		value = value_of(name, from);
		if (value == NULL || n + strlen(value) >= WORD_LEN)
			return false;
		n += (size_t)snprintf(buf + n, WORD_LEN - n, "%s", value);
	}
	return true;
}

/* The command line: its words in `room`. False: a word is missing or wrong. */
static bool make_line(const struct ow_order *o, const struct from *from,
		      char room[WORDS][WORD_LEN], char **argv)
{
	int i;

	for (i = 0; i < WORDS && o->words[i] != NULL; i++) {
		if (!fill_in(o->words[i], from, room[i]))
			return false;
		argv[i] = room[i];
	}
	argv[i] = NULL;
	return true;
}

/* ---- the order ---- */

const struct ow_order *ow_order_find(const char *verb)
{
	size_t i;

	for (i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		if (strcmp(orders[i].verb, verb) == 0)
			return &orders[i];
	return NULL;
}

enum ow_role ow_order_role(const struct ow_order *o)
{
	return o->role;
}

bool ow_order_is_json(const struct ow_order *o)
{
	return o->json;
}

bool ow_order_is_look(const struct ow_order *o)
{
	return !o->changes && !o->calls;
}

/* The xadmin beside this program. */
static void find_xadmin(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);
	char *slash;

	buf[n > 0 ? n : 0] = '\0';
	slash = strrchr(buf, '/');
	if (slash != NULL)
		snprintf(slash + 1, size - (size_t)(slash + 1 - buf), "xadmin");
}

int ow_order_begin(struct ow_runs *runs, const struct ow_order *o,
		   const char *user, ow_order_word *word, void *arg,
		   const char *text, void *waiter, struct ow_run **ret)
{
	char path[512], name[96], room[WORDS][WORD_LEN];
	char *argv[WORDS + 2] = { name };
	const struct from from = { user, word, arg };
	struct ow_run_begin b = { .path = path,
				  .argv = argv,
				  .input = text,
				  .input_size = text != NULL ? strlen(text) : 0,
				  .user = user,
				  .changes = o->changes,
				  .apart = o->json,
				  .waiter = waiter };

	if (!make_line(o, &from, room, argv + 1))
		return -EINVAL;
	find_xadmin(path, sizeof(path));
	snprintf(name, sizeof(name), "xadmin for %s, by ndrxweb:", user);
	return ow_run_begin(runs, &b, ret);
}
