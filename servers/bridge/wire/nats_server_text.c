/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats_server_text.c - the configuration of the nats-server of a TCP link
 *
 * Two users, which may do what the two nodes of a cluster may (doc/design/links.md),
 * and nobody else: what is no subject of this link is refused, and so is a
 * connection too many.
 */
#include <stdio.h>
#include <stdlib.h>

#include "servers/bridge/wire/nats_server.h"

#define CONNECTIONS 16 /* of both sides, also while certificates are renewed */

/* Between quotes. */
static void put_quoted(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void put_user(FILE *out, const struct ow_br_options *o, uint32_t node,
		     const char *password)
{
	fprintf(out, "\t{ user: \"node%u\", password: ", node);
	put_quoted(out, password);
	fprintf(out, ", permissions: {\n"
		     "\t\tpublish: [\"%s.%u.>\"]\n"
		     "\t\tsubscribe: [\"%s.*.%u.>\", \"%s.*.all\"] } }\n",
		o->root, node, o->root, node, o->root);
}

static void put_tls(FILE *out, const struct ow_nats_options *n)
{
	fputs("tls {\n\tcert_file: ", out);
	put_quoted(out, n->cert);
	fputs("\n\tkey_file: ", out);
	put_quoted(out, n->key);
	if (n->ca != NULL) {
		fputs("\n\tca_file: ", out);
		put_quoted(out, n->ca);
		fputs("\n\tverify: true", out);
	}
	fputs("\n}\n", out);
}

char *ow_br_nats_server_text(const struct ow_br_options *o)
{
	char address[300], *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return NULL;
	ow_tcp_link_address(&o->tcp, address, sizeof(address));
	fprintf(out, "listen: \"%s\"\nserver_name: \"%s\"\n"
		     "max_connections: %d\nno_sys_acc: true\n",
		address, o->cluster, CONNECTIONS);
	if (o->nats.cert != NULL)
		put_tls(out, &o->nats);
	fputs("authorization { timeout: 5, users: [\n", out);
	put_user(out, o, o->node, o->password);
	put_user(out, o, o->tcp.node, o->other_password);
	fputs("] }\n", out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
