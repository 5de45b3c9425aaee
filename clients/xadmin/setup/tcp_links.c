/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp_links.c - config --cluster: what TCP links become when a third node comes
 *
 * Prints a <cluster> and one bridge for the configuration of this node, and what
 * is to be done. The nodes meet at the nats-server of the first link's address,
 * which runs by itself from then on.
 */
#include "clients/xadmin/setup/setup.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/domain/tcp_link.h"
#include "libndrx/config/config.h"

enum { LINKS = 255 };

struct links {
	const struct ow_config_server *entry[LINKS];
	struct ow_tcp_link link[LINKS];
	size_t n;
	bool offers; /* one of them has -r */
};

static void collect(const struct ow_config *config, struct links *l)
{
	struct ow_tcp_link *one;
	char why[200];
	size_t i;

	for (i = 0; i < config->n_servers && l->n < LINKS; i++) {
		one = &l->link[l->n];
		if (!ow_config_tcp_link(&config->servers[i], one, why,
					sizeof(why)))
			continue;
		if (one->node == 0) {
			fprintf(stderr, "%s:%u: %s\n", config->servers[i].file,
				config->servers[i].line, why);
			continue;
		}
		l->offers |= one->is_offering;
		l->entry[l->n++] = &config->servers[i];
	}
}

/* Where all nodes meet: the address of the first link, as others know it. */
static void meeting_point(const struct links *l, char *to, size_t size)
{
	struct ow_tcp_link at = l->link[0];

	if (strcmp(at.host, "0.0.0.0") == 0 || strcmp(at.host, "::") == 0)
		if (gethostname(at.host, sizeof(at.host)) != 0)
			strcpy(at.host, "localhost");
	at.host[sizeof(at.host) - 1] = '\0';
	ow_tcp_link_address(&at, to, size);
}

static void put_list(const char *element, const char *services)
{
	if (services != NULL)
		printf("  <%s>%s</%s>\n", element, services, element);
}

static void put_entry(const struct links *l)
{
	const struct ow_config_server *first = l->entry[0];

	printf("<server name=\"ndrxbridge\">\n  <srvid>%d</srvid>\n"
	       "  <min>1</min>\n  <max>1</max>\n", first->srvid);
	/* No service has such a name: nothing is offered. */
	put_list("exportsvcs", l->offers ? first->exportsvcs : "@none");
	put_list("blacklistsvcs", first->blacklistsvcs);
	printf("</server>\n");
}

static void put_steps(const struct links *l, const char *node,
		      const char *address)
{
	size_t i;

	fprintf(stderr,
		"1. At one machine: a nats-server that listens at %s, such as "
		"one of\n"
		"   xadmin provision --cluster -vname=links -vlisten=%s "
		"-vnodes=%s", address, address, node);
	for (i = 0; i < l->n; i++)
		fprintf(stderr, ",%u", l->link[i].node);
	fprintf(stderr,
		",THIRD\n"
		"   It makes a user with a password for each node; its "
		"nodeN/cluster.xml has them.\n"
		"2. At each node: a <cluster> with this name and these urls, "
		"and its own node;\n"
		"   one entry of ndrxbridge in the place of all of "
		"tpbridge.\n");
}

int ow_setup_tcp_links(struct ow_args *a, const struct ow_config *config)
{
	const char *node = ow_env_str("NDRX_NODEID", NULL);
	struct links l = { .n = 0 };
	char address[300];

	collect(config, &l);
	if (l.n == 0)
		return ow_cmd_fail(a, "no entry of tpbridge has a TCP link "
				      "(-t A, -t P)");
	if (node == NULL)
		return ow_cmd_fail(a, "NDRX_NODEID, the number of this node, is "
				      "not set");
	meeting_point(&l, address, sizeof(address));
	printf("<cluster name=\"links\" node=\"%s\" urls=\"nats://%s\"/>\n",
	       node, address);
	put_entry(&l);
	put_steps(&l, node, address);
	return OW_EXIT_OK;
}
