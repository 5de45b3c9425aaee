/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remotes.c - import dmconfig: the entries of tpbridge that a DMCONFIG becomes
 *
 * Each remote domain with an address is a link by TCP (ndrxbridge(8)). Domains are
 * numbered by the order of their DOMAINID, and the side with the smaller number
 * listens: so both sides of two domains come to the same. The entries are printed,
 * to be put into ndrxconfig.xml, with what became of each line behind them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/command/command.h"
#include "clients/xadmin/import/import.h"
#include "libndrx/config/config.h"
#include "libubf/base/cleanup.h"

#define DOMAINS	  64
#define BRIDGE_ID 64000

struct remotes {
	struct ow_import im;
	struct ow_ubb_entry *domains[DOMAINS]; /* by their DOMAINID */
	size_t n;
	char exported[2048];
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

static const char *id_of(struct ow_ubb_entry *e)
{
	const char *id = ow_ubb_value(e, "ACCESSPOINTID");

	if (id == NULL)
		id = ow_ubb_value(e, "DOMAINID");
	return id != NULL ? id : e->name;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(id_of(*(struct ow_ubb_entry *const *)a),
		      id_of(*(struct ow_ubb_entry *const *)b));
}

/* Number the domains, and gather what is exported. */
static void collect(struct remotes *r)
{
	struct ow_ubb_entry *e;
	size_t len;

	for (e = r->im.ubb.entries; e != NULL; e = e->next) {
		if ((is_local(e) || is_remote(e)) && r->n < DOMAINS)
			r->domains[r->n++] = e;
		if (is_of(e, "DM_IMPORT", "DM_REMOTE_SERVICES")) {
			ow_import_say(&r->im, ow_ubb_value(e, "RNAME") == NULL
					  ? OW_IMPORT_TAKEN : OW_IMPORT_LOOK, e,
				      "a service has the same name everywhere, and "
				      "is here if its domain exports it");
			ow_import_use_up(e);
		}
		if (!is_of(e, "DM_EXPORT", "DM_LOCAL_SERVICES"))
			continue;
		len = strlen(r->exported);
		snprintf(r->exported + len, sizeof(r->exported) - len, "%s%s",
			 len > 0 ? "," : "", e->name);
		ow_import_say(&r->im, ow_ubb_value(e, "RNAME") == NULL
				  ? OW_IMPORT_TAKEN : OW_IMPORT_LOOK, e,
			      "<exportsvcs>; it has the same name everywhere");
	}
	qsort(r->domains, r->n, sizeof(r->domains[0]), by_id);
}

/* HOST and PORT of NWADDR="//HOST:PORT" of the domain: 0, or -1. */
static int find_address(const struct remotes *r, const char *name, char host[256],
			char port[16])
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

static void put_link(struct remotes *r, size_t own, size_t other)
{
	struct ow_ubb_entry *e = r->domains[other];
	bool listens = own < other;
	char host[256], port[16], options[512];

	if (find_address(r, r->domains[listens ? own : other]->name, host, port) !=
	    0) {
		ow_import_say(&r->im, OW_IMPORT_LOOK, e, "no entry of DM_TDOMAIN "
			      "has NWADDR=\"//HOST:PORT\" for %s: write the entry "
			      "of tpbridge by hand (`man ndrxbridge`)",
			      r->domains[listens ? own : other]->name);
		return;
	}
	fprintf(r->im.xml, "\t\t<server name=\"tpbridge\">\n"
			   "\t\t\t<srvid>%zu</srvid>\n\t\t\t<min>1</min>\n"
			   "\t\t\t<max>1</max>\n", BRIDGE_ID + other);
	if (r->exported[0] != '\0')
		ow_import_put_element(&r->im, "exportsvcs", r->exported);
	snprintf(options, sizeof(options), "-n %zu -r -t %c -i %s -p %s", other + 1,
		 listens ? 'P' : 'A', host, port);
	ow_import_put_element(&r->im, "appopt", options);
	fputs("\t\t</server>\n", r->im.xml);
	ow_import_say(&r->im, OW_IMPORT_TAKEN, e, "%s is node %zu; this side %s",
		      id_of(e), other + 1, listens ? "listens" : "connects");
}

static void translate(struct remotes *r)
{
	size_t own, i;

	collect(r);
	own = r->n;
	for (i = 0; i < r->n; i++)
		if (is_local(r->domains[i]) && own == r->n)
			own = i;
	if (own == r->n) {
		snprintf(r->im.fault, sizeof(r->im.fault), "1: DM_LOCAL has no "
			 "domain");
		return;
	}
	ow_import_say(&r->im, OW_IMPORT_LOOK, r->domains[own], "%s is node %zu: "
		      "NDRX_NODEID=%zu in its environment%s",
		      id_of(r->domains[own]), own + 1, own + 1,
		      r->n > 2 ? "; of three domains or more, the numbers must be "
				 "the same everywhere: change them where they are "
				 "not, or join a cluster" : "");
	for (i = 0; i < r->n; i++)
		if (i != own && is_remote(r->domains[i]))
			put_link(r, own, i);
		else if (i != own)
			ow_import_say(&r->im, OW_IMPORT_NONE, r->domains[i], "a "
				      "domain has one name here: %s",
				      id_of(r->domains[own]));
	ow_import_say_rest(&r->im);
}

int ow_import_domains(struct ow_args *a, const char *path, const char *text)
{
	OW_CLEANUP(ow_cleanup_freep) struct remotes *r = calloc(1, sizeof(*r));
	OW_CLEANUP(ow_cleanup_freep) char *report = NULL;
	char why[OW_UBB_WHY];
	size_t len;
	int res;

	if (r == NULL || text == NULL)
		return OW_EXIT_FAILED;
	res = ow_ubb_read(text, &r->im.ubb, why);
	r->im.xml = stdout;
	r->im.report = res == 0 ? open_memstream(&report, &len) : NULL;
	if (r->im.report != NULL) {
		translate(r);
		fclose(r->im.report);
		printf("%s", report);
	}
	ow_ubb_free(&r->im.ubb);
	if (res != 0 || r->im.fault[0] != '\0')
		return ow_cmd_fail(a, "%s:%s", path, res > 0 ? why : r->im.fault);
	return fflush(stdout) == 0 ? OW_EXIT_OK : OW_EXIT_FAILED;
}
