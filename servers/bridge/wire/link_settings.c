/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link_settings.c - the settings of a bridge that has a TCP link
 *
 * A TCP link is a cluster of two nodes, named after both, around a nats-server
 * that the passive side has as a child (nats_server.c). Each node is a user
 * there, named after it: who connects as another node, or to another one than
 * it believes, is refused. The word of the active side is that of the file
 * password_file of both sides, or one that everybody knows; the passive side has
 * one of its own, made up at each start.
 */
#include "servers/bridge/wire/link_settings.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>


#define KNOWN_WORD "tpbridge"

static bool is_any(const char *host)
{
	return strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
}

/* Where the bridge itself connects. */
static void set_url(struct ow_br_options *o)
{
	struct ow_tcp_link to = o->tcp;
	char address[300];

	if (to.passive && is_any(to.host))
		snprintf(to.host, sizeof(to.host), "%s",
			 strchr(to.host, ':') != NULL ? "::1" : "127.0.0.1");
	ow_tcp_link_address(&to, address, sizeof(address));
	snprintf(o->url, sizeof(o->url), "nats://%s", address);
	o->nats.urls = o->url;
}

/* A password that nobody knows: 0 or -1. */
static int make_up(char (*ret)[256])
{
	unsigned char bytes[24];
	size_t i;

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -1;
	for (i = 0; i < sizeof(bytes); i++)
		snprintf(*ret + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int set_passwords(struct ow_br_options *o, char *why, size_t size)
{
	const char *file = o->password_file;

	snprintf(o->password, sizeof(o->password), KNOWN_WORD);
	if (ow_br_password_read(file, &o->password, why, size) != 0)
		return -1;
	snprintf(o->user, sizeof(o->user), "node%u", o->node);
	o->nats.user = o->user;
	o->nats.password = o->password;
	if (!o->tcp.passive)
		return 0;
	o->nats.is_child = true;
	o->other_password_file = file;
	o->password_file = NULL;
	memcpy(o->other_password, o->password, sizeof(o->other_password));
	if (make_up(&o->password) == 0)
		return 0;
	snprintf(why, size, "getrandom: no password for nats-server");
	return -1;
}

int ow_br_link_settings(struct ow_br_options *o, long nodeid, char *why,
			size_t size)
{
	uint32_t node = (uint32_t)nodeid, other = o->tcp.node;

	if (nodeid < 1 || nodeid > OW_TCP_LINK_NODES) {
		snprintf(why, size, "TCP link: NDRX_NODEID, the number of this "
			 "node, is %ld: give 1 to %d", nodeid,
			 OW_TCP_LINK_NODES);
		return -1;
	}
	if (node == other) {
		snprintf(why, size, "TCP link: -n %u is this node (NDRX_NODEID); "
			 "give the number of the other one", other);
		return -1;
	}
	if (o->tcp.passive && o->nats.ca != NULL && o->nats.cert == NULL) {
		snprintf(why, size, "TCP link: a side that listens (-t P) with "
			 "TLS has a certificate and its key");
		return -1;
	}
	o->nats.creds = NULL;
	o->node = node;
	o->is_silent = !o->tcp.is_offering;
	snprintf(o->cluster, sizeof(o->cluster), "link-%u-%u",
		 node < other ? node : other, node < other ? other : node);
	snprintf(o->root, sizeof(o->root), "ow.%s", o->cluster);
	snprintf(o->name, sizeof(o->name), "%s, node %u", o->cluster, o->node);
	set_url(o);
	return set_passwords(o, why, size);
}
