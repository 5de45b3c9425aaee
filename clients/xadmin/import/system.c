/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.c - import servers that come with Tuxedo
 *
 * TMUSREVT and TMSYSEVT become a tpevsrv, TMQUEUE a tmqueue, TMQFORWARD definitions
 * of automatic queues. The others have no counterpart.
 */
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/import/import.h"

/* Servers that come with Tuxedo, with what they are for. */
static const struct {
	const char *name; /* a * at the end: any further characters */
	const char *why;
} of_tuxedo[] = {
	{ "WSL", "there are no workstation clients" },
	{ "WSH", "there are no workstation clients" },
	{ "JSL", "there are no Jolt clients" },
	{ "JSH", "there are no Jolt clients" },
	{ "JREPSVR", "there are no Jolt clients" },
	{ "ISL", "there is no CORBA" },
	{ "ISH", "there is no CORBA" },
	{ "TMIFSRVR", "there is no CORBA" },
	{ "TMFFNAME", "there is no CORBA" },
	{ "AUTHSVR", "<security> asks the file of `xadmin passwd`" },
	{ "TMS", "TMSNAME of a group makes a tmsrv" },
	{ "TMS_*", "TMSNAME of a group makes a tmsrv" },
	{ "DMADM", "dmloadcf makes links of a DMCONFIG" },
	{ "GWADM", "dmloadcf makes links of a DMCONFIG" },
	{ "GWTDOMAIN", "dmloadcf makes links of a DMCONFIG" },
	{ "GWWS", "there is no gateway to web services" },
	{ "TMMETADATA", "there is no repository of services" },
	{ "LMS", "there are no licences to watch" },
};

static const char *why_of_tuxedo(const char *name)
{
	const char *slash = strrchr(name, '/'), *pattern;
	size_t i, n;

	name = slash != NULL ? slash + 1 : name;
	for (i = 0; i < sizeof(of_tuxedo) / sizeof(of_tuxedo[0]); i++) {
		pattern = of_tuxedo[i].name;
		n = strcspn(pattern, "*");
		if (strncmp(name, pattern, n) == 0 &&
		    (pattern[n] == '*' || name[n] == '\0'))
			return of_tuxedo[i].why;
	}
	return NULL;
}

/* Options behind "--" of the servers that come with Tuxedo, but those that the import
 * reads itself. */
static const struct known_option {
	const char *server;
	const char *option; /* a letter, with : where a value follows */
	enum ow_import_grade grade;
	const char *why;
} known_options[] = {
	{ "TMUSREVT", "f:", OW_IMPORT_LOOK, "its subscriptions are not read: "
					     "programs subscribe (tpsubscribe)" },
	{ "TMSYSEVT", "f:", OW_IMPORT_LOOK, "its subscriptions are not read: "
					     "programs subscribe (tpsubscribe)" },
	{ "TMQUEUE", "t:", OW_IMPORT_NONE, "each message is on disk without a "
					    "transaction" },
	{ "TMQFORWARD", "d", OW_IMPORT_LOOK, "a message that failed goes to "
					      "errorq, or @FAILED, after its "
					      "tries" },
	{ "TMQFORWARD", "e", OW_IMPORT_NONE, "tmqueue waits for messages" },
	{ "TMQFORWARD", "i:", OW_IMPORT_NONE, "messages are forwarded at once" },
	{ "TMQFORWARD", "f:", OW_IMPORT_NONE, "waitretry of the queue is the "
					       "pause between tries" },
	{ "TMQFORWARD", "b:", OW_IMPORT_NONE, "time-outs: txtout of the queue" },
};

/* The value of an option behind "--"; "": it is given, and has none; NULL: it is
 * not given. */
static char *option_value(struct ow_import *im, const char *clopt, char letter)
{
	const char *at = clopt != NULL ? strstr(clopt, "--") : NULL;

	for (at = at != NULL ? at + 2 : NULL; at != NULL && *at != '\0'; at++) {
		if (at[0] != '-' || at[1] != letter || (at[-1] != ' ' &&
							at[-1] != '-'))
			continue;
		at += 2 + strspn(at + 2, " \t");
		return ow_arena_strndup(&im->ubb.arena, at, strcspn(at, " \t"));
	}
	return NULL;
}

/* Tell what becomes of options. */
static void say_options(struct ow_import *im, struct ow_ubb_entry *e,
			const char *server)
{
	const char *clopt = ow_ubb_value(e, "CLOPT"), *value;
	const struct known_option *o;
	size_t i;

	for (i = 0; i < sizeof(known_options) / sizeof(known_options[0]); i++) {
		o = &known_options[i];
		value = strcmp(o->server, server) == 0
			    ? option_value(im, clopt, o->option[0]) : NULL;
		if (value == NULL)
			continue;
		if (o->option[1] != ':')
			value = "";
		ow_import_say(im, o->grade, e, "CLOPT -%c%s%s: %s",
			      o->option[0], *value != '\0' ? " " : "", value,
			      o->why);
	}
}

static void take_events(struct ow_import *im, struct ow_ubb_entry *e,
			struct ow_import_system *ret)
{
	if (im->has_events) {
		ow_import_say(im, OW_IMPORT_TAKEN, e, "the tpevsrv above does "
			      "its work, too");
		return;
	}
	im->has_events = true;
	ret->program = "tpevsrv";
	ow_import_say(im, OW_IMPORT_TAKEN, e, "tpevsrv; ndrxd posts events of "
		      "the system");
}

static void take_queue_server(struct ow_import *im, struct ow_ubb_entry *e,
			      struct ow_import_system *ret)
{
	struct ow_import_space *s = ow_import_space(im, e);
	char *options;

	if (s == NULL)
		return;
	if (s->served) {
		ow_import_say(im, OW_IMPORT_TAKEN, e, "the tmqueue above does "
			      "its work, too");
		return;
	}
	options = ow_arena_alloc(&im->ubb.arena, 128);
	if (options == NULL)
		return;
	snprintf(options, 128, "-m %s -q ${NDRX_APPHOME}/conf/%s.queues", s->name,
		 s->name);
	s->served = true;
	ret->program = "tmqueue";
	ret->appopt = options;
	ow_import_say(im, OW_IMPORT_LOOK, e, "tmqueue of the queue space %s, "
		      "which begins empty; conf/%s.queues has its queues",
		      s->name, s->name);
}

static void take_forwarder(struct ow_import *im, struct ow_ubb_entry *e)
{
	const struct ow_import_group *g =
	    ow_import_group(im, ow_ubb_value(e, "SRVGRP"));
	const char *clopt = ow_ubb_value(e, "CLOPT");
	struct ow_import_space *s = ow_import_space(im, e);
	char *queues = option_value(im, clopt, 'q'), *name, *rest;
	char *limit = option_value(im, clopt, 't');
	bool outside = option_value(im, clopt, 'n') != NULL;

	if (s == NULL)
		return;
	if (queues == NULL) {
		ow_import_say(im, OW_IMPORT_LOOK, e, "CLOPT has no -q QUEUE: "
			      "left out");
		return;
	}
	for (name = strtok_r(queues, ",", &rest); name != NULL;
	     name = strtok_r(NULL, ",", &rest)) {
		fprintf(s->queues, "%s,svcnm=%s,autoq=%s", name, name,
			ow_import_has_manager(g) && !outside ? "T" : "y");
		if (limit != NULL && atol(limit) > 0)
			fprintf(s->queues, ",txtout=%ld", atol(limit));
		fputc('\n', s->queues);
		ow_import_say(im, OW_IMPORT_TAKEN, e, "tmqueue calls the service "
			      "%s for each message of the queue", name);
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

bool ow_import_system(struct ow_import *im, struct ow_ubb_entry *e,
		      struct ow_import_system *ret)
{
	const char *name = base_name(e->name), *why = why_of_tuxedo(name);

	*ret = (struct ow_import_system){ NULL, NULL };
	if (strcmp(name, "TMUSREVT") == 0 || strcmp(name, "TMSYSEVT") == 0)
		take_events(im, e, ret);
	else if (strcmp(name, "TMQUEUE") == 0)
		take_queue_server(im, e, ret);
	else if (strcmp(name, "TMQFORWARD") == 0)
		take_forwarder(im, e);
	else if (why == NULL)
		return false;
	else
		ow_import_say(im, OW_IMPORT_NONE, e, "a server of Tuxedo itself, "
			      "left out: %s", why);
	say_options(im, e, name);
	ow_import_use_up(e);
	return true;
}
