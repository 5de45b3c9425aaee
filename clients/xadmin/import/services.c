/* SPDX-License-Identifier: Apache-2.0 */
/*
 * services.c - import the services of a UBBCONFIG, with their routing
 */
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/import/import.h"

#define NOT_ROUTED "requests are not routed by their content yet"

/* The file has the keyword, and nothing obeys it. */
static void say_inert(struct ow_import *im, const struct ow_ubb_entry *e,
		      const char *key, const char *value, const char *why)
{
	if (value != NULL && *value != '\0')
		ow_import_say(im, OW_IMPORT_NONE, e, "%s=%s: no effect: %s",
			      key, value, why);
}

static void put_inert(struct ow_import *im, struct ow_ubb_entry *e)
{
	const char *routing = ow_ubb_value(e, "ROUTING");
	const char *autotran = ow_ubb_value(e, "AUTOTRAN");
	const char *trantime = ow_ubb_value(e, "TRANTIME");
	const char *why = "transactions are not built yet";

	if (routing != NULL && *routing != '\0' && strlen(routing) <= 15)
		ow_import_put_attribute(im, "routing", routing);
	if (autotran != NULL)
		ow_import_put_attribute(im, "autotran",
					*autotran == 'Y' ? "Y" : "N");
	if (trantime != NULL && atol(trantime) > 0)
		ow_import_put_attribute(im, "trantime", trantime);
	say_inert(im, e, "ROUTING", routing, NOT_ROUTED);
	say_inert(im, e, "AUTOTRAN", autotran, why);
	say_inert(im, e, "TRANTIME", trantime, why);
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
		return;
	}
	fputs("\t\t<service", im->xml);
	ow_import_put_attribute(im, "svcnm", e->name);
	take_prio(im, e);
	if (limit != NULL && atol(limit) > 0)
		ow_import_put_attribute(im, "svctimeout", limit);
	put_inert(im, e);
	fputs("/>\n", im->xml);
}

static void take_route(struct ow_import *im, struct ow_ubb_entry *e)
{
	const char *buftype = ow_ubb_value(e, "BUFTYPE");
	const char *type = ow_ubb_value(e, "FIELDTYPE");
	const char *ranges = ow_ubb_value(e, "RANGES");
	const char *field = ow_ubb_value(e, "FIELD");

	if (strlen(e->name) > 15) {
		ow_import_say(im, OW_IMPORT_NONE, e, "the name is longer than "
			      "15 characters");
		return;
	}
	fputs("\t\t<route", im->xml);
	ow_import_put_attribute(im, "routing", e->name);
	fputs(">\n", im->xml);
	if (field != NULL)
		ow_import_put_element(im, "field", field);
	if (ranges != NULL)
		ow_import_put_element(im, "ranges", ranges);
	ow_import_put_element(im, "buftype", "UBF");
	if (type != NULL && strstr("SHORT CHAR LONG FLOAT DOUBLE STRING",
				   type) != NULL)
		ow_import_put_element(im, "fieldtype", type);
	fputs("\t\t</route>\n", im->xml);
	ow_import_say(im, OW_IMPORT_NONE, e, "BUFTYPE=%s RANGES=%s: no effect: "
		      NOT_ROUTED, buftype != NULL ? buftype : "",
		      ranges != NULL ? ranges : "");
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
