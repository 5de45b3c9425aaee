/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - import the services of a UBBCONFIG, with their routing
 */
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/import/import.h"
#include "libatmi/route/ranges.h"

/* Routing and transactions. */
static void take_rest(struct ow_import *im, struct ow_ubb_entry *e)
{
	const char *routing = ow_ubb_value(e, "ROUTING");
	const char *autotran = ow_ubb_value(e, "AUTOTRAN");
	const char *trantime = ow_ubb_value(e, "TRANTIME");

	if (routing != NULL && *routing != '\0' && strlen(routing) <= 15) {
		ow_import_put_attribute(im, "routing", routing);
		ow_import_say(im, OW_IMPORT_TAKEN, e, "ROUTING=%s", routing);
	} else if (routing != NULL && *routing != '\0') {
		ow_import_say(im, OW_IMPORT_NONE, e, "ROUTING=%s: the name is "
			      "longer than 15 characters", routing);
	}
	if (trantime != NULL && atol(trantime) > 0)
		ow_import_put_attribute(im, "trantime", trantime);
	if (autotran == NULL || *autotran != 'Y')
		return;
	ow_import_put_attribute(im, "autotran", "Y");
	ow_import_say(im, OW_IMPORT_TAKEN, e, "AUTOTRAN=Y TRANTIME=%s",
		      trantime != NULL ? trantime : "30");
}

static void take_prio(struct ow_import *im, struct ow_ubb_entry *e)
{
	const char *prio = ow_ubb_value(e, "PRIO");

	if (prio == NULL || (atol(prio) >= 1 && atol(prio) <= 100)) {
		if (prio != NULL)
			ow_import_put_attribute(im, "prio", prio);
		ow_import_say(im, OW_IMPORT_TAKEN, e, "prio %s",
			      prio != NULL ? prio : "50");
		return;
	}
	ow_import_say(im, OW_IMPORT_LOOK, e, "PRIO=%s: is no number from 1 to "
		      "100; the default, 50, is used", prio);
}

static void take_service(struct ow_import *im, struct ow_ubb_entry *e)
{
	const char *group = ow_ubb_value(e, "SRVGRP");
	const char *limit = ow_ubb_value(e, "SVCTIMEOUT");

	if (group != NULL && *group != '\0')
		ow_import_say(im, OW_IMPORT_LOOK, e, "SRVGRP=%s: settings "
			      "apply to the service in all groups", group);
	if (strlen(e->name) > 30) {
		ow_import_say(im, OW_IMPORT_NONE, e, "the name is longer than "
			      "30 characters");
		ow_import_use_up(e);
		return;
	}
	fputs("\t\t<service", im->xml);
	ow_import_put_attribute(im, "svcnm", e->name);
	take_prio(im, e);
	if (limit != NULL && atol(limit) > 0) {
		ow_import_put_attribute(im, "svctimeout", limit);
		ow_import_say(im, OW_IMPORT_TAKEN, e, "SVCTIMEOUT=%s: a server "
			      "that takes longer is killed, if it does not "
			      "answer pings", limit);
	}
	take_rest(im, e);
	fputs("/>\n", im->xml);
}

/* Why the route cannot be had; NULL: it can. */
static const char *unfit(const struct ow_ubb_entry *e, const char *field,
			 const char *ranges, const char *buftype)
{
	struct ow_ranges *parsed = NULL;
	int r;

	if (strlen(e->name) > 15)
		return "the name is longer than 15 characters";
	if (field == NULL || ranges == NULL)
		return "FIELD or RANGES is missing";
	if (buftype != NULL && strstr(buftype, "FML") == NULL)
		return "only fields of FML buffers choose a group";
	r = ow_ranges_parse(ranges, &parsed);
	ow_ranges_free(parsed);
	return r == 0 ? NULL : "RANGES cannot be read; a group has at most "
			       "15 characters";
}

static bool is_group(const struct ow_import *im, const char *name)
{
	const struct ow_ubb_entry *e;

	for (e = im->ubb.entries; e != NULL; e = e->next)
		if (strcmp(e->section, "GROUPS") == 0 &&
		    strcmp(e->name, name) == 0)
			return true;
	return false;
}

/* Look at the group of each range, the word behind its last colon: can all of them
 * be reached? */
static bool check_groups(struct ow_import *im, struct ow_ubb_entry *e,
			 const char *ranges)
{
	const struct ow_import_group *g;
	const char *end;
	bool all = true;
	char name[32];

	for (end = strchr(ranges, ':'); end != NULL; end = strchr(end, ':')) {
		end += 1 + strspn(end + 1, " ");
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(end, " ,:"),
			 end);
		if (end[strcspn(end, ",:")] == ':' || strcmp(name, "*") == 0)
			continue; /* within a text, or any group */
		g = ow_import_group(im, name);
		if (!is_group(im, name))
			ow_import_refuse(im, e, "RANGES: GROUPS has no group %s",
					 name);
		if (g == NULL || !g->remote)
			continue;
		all = all && im->chosen;
		ow_import_say(im, OW_IMPORT_LOOK, e, "RANGES: group %s is on "
			      "another machine: %s", name,
			      im->chosen ? "its node must run"
					 : "requests for it fail with TPENOENT; "
					   "--machine makes both machines nodes "
					   "of a cluster");
	}
	return all;
}

static void take_route(struct ow_import *im, struct ow_ubb_entry *e)
{
	const char *buftype = ow_ubb_value(e, "BUFTYPE");
	const char *type = ow_ubb_value(e, "FIELDTYPE");
	const char *ranges = ow_ubb_value(e, "RANGES");
	const char *field = ow_ubb_value(e, "FIELD");
	const char *why = unfit(e, field, ranges, buftype);
	bool all;

	if (why != NULL) {
		ow_import_say(im, OW_IMPORT_NONE, e, "%s", why);
		return;
	}
	all = check_groups(im, e, ranges);
	fputs("\t\t<route", im->xml);
	ow_import_put_attribute(im, "routing", e->name);
	fputs(">\n", im->xml);
	ow_import_put_element(im, "field", field);
	ow_import_put_element(im, "ranges", ranges);
	ow_import_put_element(im, "buftype", "UBF");
	if (type != NULL && strstr("SHORT CHAR LONG FLOAT DOUBLE STRING",
				   type) != NULL)
		ow_import_put_element(im, "fieldtype", type);
	fputs("\t\t</route>\n", im->xml);
	ow_import_say(im, all ? OW_IMPORT_TAKEN : OW_IMPORT_LOOK, e,
		      "FIELD=%s RANGES=%s", field, ranges);
	if (buftype != NULL && strpbrk(buftype, ";,") != NULL)
		ow_import_say(im, OW_IMPORT_LOOK, e, "BUFTYPE=%s: FML buffers "
			      "alone are routed, other requests fail with "
			      "TPESYSTEM", buftype);
}

/* Is `group` the group of a range in `ranges`? */
static bool names_group(const char *ranges, const char *group)
{
	size_t n = strlen(group);
	const char *p = ranges;

	while ((p = strstr(p, group)) != NULL) {
		const char *before = p - 1;

		while (before > ranges && *before == ' ')
			before--;
		if (p > ranges && *before == ':' &&
		    strchr(" ,", p[n]) != NULL)
			return true;
		p++;
	}
	return false;
}

bool ow_import_is_routed(const struct ow_import *im, const char *group)
{
	struct ow_ubb_entry *e;
	const char *ranges;

	for (e = im->ubb.entries; e != NULL; e = e->next) {
		if (strcmp(e->section, "ROUTING") != 0)
			continue;
		ranges = ow_ubb_value(e, "RANGES");
		if (ranges != NULL && names_group(ranges, group))
			return true;
	}
	return false;
}

static void take_section(struct ow_import *im, const char *section,
			 const char *element,
			 void (*take)(struct ow_import *,
				      struct ow_ubb_entry *))
{
	struct ow_ubb_entry *e;
	bool open = false;

	for (e = im->ubb.entries; e != NULL; e = e->next) {
		if (strcmp(e->section, section) != 0)
			continue;
		if (!open)
			fprintf(im->xml, "\t<%s>\n", element);
		open = true;
		take(im, e);
	}
	if (open)
		fprintf(im->xml, "\t</%s>\n", element);
}

void ow_import_services(struct ow_import *im)
{
	take_section(im, "SERVICES", "services", take_service);
	take_section(im, "ROUTING", "routing", take_route);
}
