/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remotes.c - import a DMCONFIG: other domains, and the links to them
 *
 * Each remote domain with an address is a link by TCP (ndrxbridge(8)). Domains are
 * numbered by the order of their DOMAINID, and the side with the smaller number
 * listens: so both sides of two domains come to the same. What this domain exports
 * is <exportsvcs> of each link, what it imports from one is the list of what that
 * node may offer.
 */
#include "clients/xadmin/import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libndrx/config/config.h"
#include "libubf/base/printable.h"

#define LIST 4000 /* of services: as much as importsvcs takes */

struct ow_remotes {
	struct ow_import im; /* the file and the report; nothing else */
	struct ow_ubb_entry *domains[OW_REMOTES_MOST]; /* by their DOMAINID */
	size_t n;
	size_t own; /* which one is this domain */
	char *links, *report; /* texts */
	char exported[LIST];
	char imported[OW_REMOTES_MOST][LIST]; /* from each */
};

static bool is_of(const struct ow_ubb_entry *e, const char *name,
		  const char *old_name)
{
	return strcmp(e->section, name) == 0 ||
	       strcmp(e->section, old_name) == 0;
}

static bool is_local(const struct ow_ubb_entry *e)
{
	return is_of(e, "DM_LOCAL", "DM_LOCAL_DOMAINS");
}

static bool is_remote(const struct ow_ubb_entry *e)
{
	return is_of(e, "DM_REMOTE", "DM_REMOTE_DOMAINS");
}

/* A value that has a new and an old keyword. */
static const char *value_of(struct ow_ubb_entry *e, const char *key,
			    const char *old_key)
{
	const char *value = ow_ubb_value(e, key);

	return value != NULL ? value : ow_ubb_value(e, old_key);
}

static const char *id_of(struct ow_ubb_entry *e)
{
	const char *id = value_of(e, "ACCESSPOINTID", "DOMAINID");

	return id != NULL ? id : e->name;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(id_of(*(struct ow_ubb_entry *const *)a),
		      id_of(*(struct ow_ubb_entry *const *)b));
}

/* ---- services ---- */

static void add_name(struct ow_remotes *r, struct ow_ubb_entry *e,
		     char list[LIST], const char *name)
{
	size_t len = strlen(list);

	if (len + strlen(name) + 2 > LIST)
		ow_import_refuse(&r->im, e, "the list of services is longer than "
				 "%d characters", LIST - 1);
	else
		snprintf(list + len, LIST - len, "%s%s", len > 0 ? "," : "",
			 name);
}

static void take_export(struct ow_remotes *r, struct ow_ubb_entry *e)
{
	const char *alias = ow_ubb_value(e, "RNAME");
	const char *by = value_of(e, "LACCESSPOINT", "LDOM");

	add_name(r, e, r->exported, e->name);
	if (alias != NULL && strcmp(alias, e->name) != 0)
		ow_import_say(&r->im, OW_IMPORT_LOOK, e, "<exportsvcs>; others "
			      "find it as %s, not as RNAME=%s: let its server "
			      "offer that name, too (-s %s:FUNCTION), and "
			      "export it", e->name, alias, alias);
	else
		ow_import_say(&r->im, OW_IMPORT_TAKEN, e, "<exportsvcs>");
	if (by != NULL && strcmp(by, r->domains[r->own]->name) != 0)
		ow_import_say(&r->im, OW_IMPORT_LOOK, e, "LACCESSPOINT=%s: all "
			      "links offer it; a domain has one name here", by);
}

/* A service of the domains in the list RACCESSPOINT; without one, of any. */
static void take_import(struct ow_remotes *r, struct ow_ubb_entry *e)
{
	const char *from = value_of(e, "RACCESSPOINT", "RDOM"), *at;
	const char *alias = ow_ubb_value(e, "RNAME");
	const char *name = alias != NULL ? alias : e->name;
	size_t i, n, found = 0;

	for (i = 0; i < r->n; i++) {
		n = strlen(r->domains[i]->name);
		for (at = from; at != NULL && *at != '\0';
		     at += strcspn(at, ", \t"), at += strspn(at, ", \t"))
			if (strcspn(at, ", \t") == n &&
			    strncmp(at, r->domains[i]->name, n) == 0)
				break;
		if (i == r->own || !is_remote(r->domains[i]) ||
		    (from != NULL && *at == '\0'))
			continue;
		add_name(r, e, r->imported[i], name);
		found++;
	}
	if (found == 0)
		ow_import_refuse(&r->im, e, "%s: no entry of DM_REMOTE has that "
				 "name", from != NULL ? from : e->name);
	if (strcmp(name, e->name) != 0)
		ow_import_say(&r->im, OW_IMPORT_LOOK, e, "importsvcs; programs "
			      "call %s: a service has the same name everywhere",
			      name);
	else
		ow_import_say(&r->im, OW_IMPORT_TAKEN, e, "importsvcs");
	if (found > 1)
		ow_import_say(&r->im, OW_IMPORT_LOOK, e, "its %zu domains share "
			      "the calls, none is only for when another fails",
			      found);
}

static void take_services(struct ow_remotes *r)
{
	struct ow_ubb_entry *e;

	for (e = r->im.ubb.entries; e != NULL; e = e->next)
		if (is_of(e, "DM_EXPORT", "DM_LOCAL_SERVICES"))
			take_export(r, e);
		else if (is_of(e, "DM_IMPORT", "DM_REMOTE_SERVICES"))
			take_import(r, e);
}

/* ---- links ---- */

/* HOST and PORT of NWADDR="//HOST:PORT" of the domain: 0, or -1. */
static int find_address(const struct ow_remotes *r, const char *name,
			char host[256], char port[16])
{
	struct ow_ubb_entry *e;
	const char *text = NULL;
	size_t n;

	for (e = r->im.ubb.entries; e != NULL && text == NULL; e = e->next)
		if (strcmp(e->section, "DM_TDOMAIN") == 0 &&
		    strcmp(e->name, name) == 0)
			text = ow_ubb_value(e, "NWADDR");
	if (text == NULL || strncmp(text, "//", 2) != 0)
		return -1;
	n = strcspn(text + 2, ":");
	if (n == 0 || text[2 + n] != ':')
		return -1;
	snprintf(host, 256, "%.*s", (int)n, text + 2);
	snprintf(port, 16, "%s", text + 3 + n);
	return 0;
}

static void put_link(struct ow_remotes *r, size_t other)
{
	struct ow_ubb_entry *e = r->domains[other];
	bool listens = r->own < other;
	const char *at = r->domains[listens ? r->own : other]->name;
	char host[256], port[16], options[512];

	if (find_address(r, at, host, port) != 0) {
		ow_import_say(&r->im, OW_IMPORT_LOOK, e, "no entry of DM_TDOMAIN "
			      "has NWADDR=\"//HOST:PORT\" for %s: write the entry "
			      "of tpbridge by hand (`man ndrxbridge`)", at);
		return;
	}
	fprintf(r->im.xml, "\t\t<server name=\"tpbridge\">\n"
			   "\t\t\t<srvid>%zu</srvid>\n\t\t\t<min>1</min>\n"
			   "\t\t\t<max>1</max>\n", OW_REMOTES_ID + other);
	if (r->exported[0] != '\0')
		ow_import_put_element(&r->im, "exportsvcs", r->exported);
	snprintf(options, sizeof(options), "-n %zu -r -t %c -i %s -p %s", other + 1,
		 listens ? 'P' : 'A', host, port);
	ow_import_put_element(&r->im, "appopt", options);
	fprintf(r->im.xml, "\t\t\t<envs>\n\t\t\t\t<env "
			   "name=\"NDRX_CLUSTER_IMPORTSVCS\">%zu:", other + 1);
	ow_config_text_put(r->im.xml, r->imported[other], true);
	fputs("</env>\n\t\t\t</envs>\n\t\t</server>\n", r->im.xml);
	ow_import_say(&r->im, OW_IMPORT_TAKEN, e, "%s is node %zu; this side %s",
		      id_of(e), other + 1, listens ? "listens" : "connects");
	if (r->imported[other][0] == '\0')
		ow_import_say(&r->im, OW_IMPORT_LOOK, e, "DM_IMPORT has no "
			      "service of it: it offers nothing here");
}

static void put_links(struct ow_remotes *r)
{
	const char *id = id_of(r->domains[r->own]);
	size_t i, node = ow_remotes_node(r);

	ow_import_say(&r->im, OW_IMPORT_LOOK, r->domains[r->own], "%s is node "
		      "%zu: NDRX_NODEID=%zu in its environment%s", id, node, node,
		      r->n > 2 ? "; of three domains or more, the numbers must be "
				 "the same everywhere: change them where they are "
				 "not, or join a cluster" : "");
	for (i = 0; i < r->n; i++)
		if (i != r->own && is_remote(r->domains[i]))
			put_link(r, i);
		else if (i != r->own)
			ow_import_say(&r->im, OW_IMPORT_NONE, r->domains[i], "a "
				      "domain has one name here: %s", id);
}

/* ---- the file ---- */

/* Number the domains. */
static void collect(struct ow_remotes *r)
{
	struct ow_ubb_entry *e;
	size_t i;

	for (e = r->im.ubb.entries; e != NULL; e = e->next) {
		if (!is_local(e) && !is_remote(e))
			continue;
		if (r->n == OW_REMOTES_MOST)
			ow_import_refuse(&r->im, e, "more than %d domains",
					 OW_REMOTES_MOST);
		else
			r->domains[r->n++] = e;
	}
	qsort(r->domains, r->n, sizeof(r->domains[0]), by_id);
	for (i = r->n; i-- > 0;)
		if (is_local(r->domains[i]))
			r->own = i;
	if (r->n == 0 || !is_local(r->domains[r->own]))
		snprintf(r->im.fault, sizeof(r->im.fault), "1: DM_LOCAL has no "
			 "domain");
}

static void translate(struct ow_remotes *r)
{
	collect(r);
	if (r->im.fault[0] != '\0')
		return;
	take_services(r);
	put_links(r);
	ow_import_say_rest(&r->im);
}

int ow_remotes_read(const char *text, struct ow_remotes **ret,
		    char why[OW_UBB_WHY])
{
	struct ow_remotes *r = calloc(1, sizeof(*r));
	int res = r != NULL ? ow_ubb_read(text, &r->im.ubb, why) : -ENOMEM;
	size_t len;

	if (res == 0) {
		r->im.xml = open_memstream(&r->links, &len);
		r->im.report = open_memstream(&r->report, &len);
		res = r->im.xml == NULL || r->im.report == NULL ? -ENOMEM : 0;
	}
	if (res == 0)
		translate(r);
	if (r != NULL && r->im.xml != NULL)
		fclose(r->im.xml);
	if (r != NULL && r->im.report != NULL)
		fclose(r->im.report);
	if (res == 0 && r->im.fault[0] != '\0') {
		snprintf(why, OW_UBB_WHY, "%s", r->im.fault);
		res = 1;
	}
	if (res == 0)
		*ret = r;
	else
		ow_remotes_free(r);
	return res;
}

void ow_remotes_free(struct ow_remotes *r)
{
	if (r == NULL)
		return;
	ow_ubb_free(&r->im.ubb);
	free(r->links);
	free(r->report);
	free(r);
}

size_t ow_remotes_node(const struct ow_remotes *r)
{
	return r->own + 1;
}

void ow_remotes_put_links(const struct ow_remotes *r, FILE *xml)
{
	fputs(r->links, xml);
}

void ow_remotes_put_report(const struct ow_remotes *r, FILE *report,
			   unsigned int counts[OW_IMPORT_GRADES])
{
	size_t i;

	ow_print(report, "%s", r->report);
	for (i = 0; i < OW_IMPORT_GRADES; i++)
		counts[i] += r->im.counts[i];
}
