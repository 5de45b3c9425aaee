/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cluster.c - provision --cluster: nats-server and what nodes need to join it
 *
 *	nodes.conf		users, permissions, TLS; written anew each time
 *	nats-server.conf	where it listens; includes nodes.conf; kept
 *	nodeN/cluster.password	of user nN; kept
 *	nodeN/cluster.xml	<cluster> for the configuration of node N
 *
 * A node may speak as itself and hear what is meant for it, no more:
 * doc/design/cluster.md has the subjects. Passwords have 192 random bits.
 */
#include "clients/xadmin/setup/setup.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/xadmin/setup/folder.h"
#include "clients/xadmin/setup/questions.h"
#include "libubf/base/cleanup.h"
#include "libndrx/config/config.h"

#define NODES	     255
#define NAME_LEN     32 /* as bridges have it */
#define SECRET_BYTES 24
#define SECRET_LEN   (2 * SECRET_BYTES + 1)

enum value { NAME, WHICH, LISTEN, URLS, CA, CERTIFICATE, KEY, VALUES };

struct cluster {
	const struct ow_args *a;
	char text[VALUES][OW_ANSWER_LEN];
	bool node[NODES + 1];
	char path[PATH_MAX]; /* absolute */
};

/* ---- values ---- */

static const char *bad_name(const char *text)
{
	const char *p;

	for (p = text; *p != '\0'; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
			return "give letters, digits, - and _";
	return p == text || p - text > NAME_LEN ? "give 1 to 32 characters"
						: NULL;
}

/* Numbers and ranges, such as 1-3,7; `to` may be NULL. False: it is none. */
static bool read_nodes(const char *text, bool *to)
{
	long a, z;
	char *end;

	do {
		a = z = strtol(text, &end, 10);
		if (end == text || !isdigit((unsigned char)*text))
			return false;
		if (*end == '-') {
			text = end + 1;
			z = strtol(text, &end, 10);
			if (!isdigit((unsigned char)*text))
				return false;
		}
		if (a < 1 || z < a || z > NODES)
			return false;
		for (; to != NULL && a <= z; a++)
			to[a] = true;
		text = end + 1;
	} while (*end == ',');
	return *end == '\0';
}

static const char *bad_nodes(const char *text)
{
	return read_nodes(text, NULL)
		   ? NULL : "give numbers of nodes, 1 to 255, such as 1-3,7";
}

/* It goes between quotes into two files of different kinds. */
static const char *bad_text(const char *text)
{
	const char *p;

	for (p = text; *p != '\0'; p++)
		if (iscntrl((unsigned char)*p) || strchr("\"\\<>&$", *p))
			return "give no quote, backslash, <, >, &, $";
	return NULL;
}

static const char *bad_listen(const char *text)
{
	const char *colon = strrchr(text, ':');
	char *end;
	long port = colon != NULL ? strtol(colon + 1, &end, 10) : 0;

	if (bad_text(text) != NULL || port < 1 || port > 65535 || *end != '\0')
		return "give ADDRESS:PORT";
	return NULL;
}

static const struct ow_question questions[VALUES] = {
	[NAME] = { "name", "Name of the cluster", bad_name },
	[WHICH] = { "nodes", "Its nodes", bad_nodes },
	[LISTEN] = { "listen", "Where nats-server listens", bad_listen },
	[URLS] = { "urls", "Where nodes find it", bad_text },
	[CA] = { "ca", "Certificate of the authority, or empty: no TLS",
		 bad_text },
	[CERTIFICATE] = { "certificate", "Certificate of nats-server",
			  bad_text },
	[KEY] = { "key", "Its key", bad_text },
};

static bool has_tls(const struct cluster *c)
{
	return c->text[CERTIFICATE][0] != '\0';
}

static void default_urls(struct cluster *c)
{
	const char *colon = strrchr(c->text[LISTEN], ':');

	snprintf(c->text[URLS], OW_ANSWER_LEN, "%s://localhost:%.6s",
		 has_tls(c) ? "tls" : "nats", colon != NULL ? colon + 1 : "");
}

static int take_values(struct cluster *c)
{
	static const enum value order[] = { NAME, WHICH, LISTEN, CA,
					    CERTIFICATE, KEY, URLS };
	size_t i;
	int r;

	strcpy(c->text[NAME], "cluster");
	strcpy(c->text[WHICH], "1-3");
	strcpy(c->text[LISTEN], "0.0.0.0:4222");
	for (i = 0; i < VALUES; i++) {
		if (order[i] == URLS)
			default_urls(c);
		r = ow_questions_take(c->a, &questions[order[i]],
				      c->text[order[i]]);
		if (r != OW_EXIT_OK)
			return r;
	}
	if (has_tls(c) != (c->text[KEY][0] != '\0') ||
	    has_tls(c) != (c->text[CA][0] != '\0'))
		return ow_cmd_misused(c->a, "ca, certificate and key go "
					    "together");
	read_nodes(c->text[WHICH], c->node);
	return OW_EXIT_OK;
}

/* ---- files ---- */

static int failed(const struct cluster *c, const char *path)
{
	return ow_cmd_fail(c->a, "%s: %s", path, strerror(errno));
}

/* Write a file whole, or not at all; only its owner may read it. */
static int write_file(const struct cluster *c, const char *name,
		      const char *text)
{
	char path[PATH_MAX + 64], made[PATH_MAX + 80];
	size_t len = strlen(text);
	bool ok;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", c->path, name);
	snprintf(made, sizeof(made), "%s.new", path);
	unlink(made);
	fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed(c, made);
	ok = write(fd, text, len) == (ssize_t)len && fsync(fd) == 0;
	if (close(fd) != 0 || !ok || rename(made, path) != 0) {
		unlink(made);
		return failed(c, path);
	}
	return OW_EXIT_OK;
}

static bool exists(const struct cluster *c, const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", c->path, name);
	return access(path, F_OK) == 0;
}

static int make_folder(const struct cluster *c, const char *path)
{
	return mkdir(path, 0700) == 0 || errno == EEXIST ? OW_EXIT_OK
							 : failed(c, path);
}

/* ---- passwords ---- */

static int make_secret(const struct cluster *c, const char *name,
		       char secret[SECRET_LEN])
{
	unsigned char bytes[SECRET_BYTES];
	char line[SECRET_LEN + 1];
	size_t i;

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return failed(c, "getrandom");
	for (i = 0; i < sizeof(bytes); i++)
		snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
	snprintf(line, sizeof(line), "%s\n", secret);
	return write_file(c, name, line);
}

/* The password of a node: the one it has, else a new one. */
static int take_secret(const struct cluster *c, int node,
		       char secret[SECRET_LEN])
{
	char name[64], path[PATH_MAX + 80];
	FILE *f;
	bool ok;

	snprintf(name, sizeof(name), "node%d/cluster.password", node);
	if (!exists(c, name))
		return make_secret(c, name, secret);
	snprintf(path, sizeof(path), "%s/%s", c->path, name);
	f = fopen(path, "re");
	ok = f != NULL && fgets(secret, SECRET_LEN, f) != NULL;
	if (f != NULL)
		fclose(f);
	if (ok)
		secret[strcspn(secret, "\r\n")] = '\0';
	if (!ok || strspn(secret, "0123456789abcdef") != SECRET_LEN - 1 ||
	    secret[SECRET_LEN - 1] != '\0')
		return ow_cmd_fail(c->a, "%s: is no password that this command "
					 "has made", path);
	return OW_EXIT_OK;
}

/* ---- texts ---- */

static void put_head(const struct cluster *c, FILE *out)
{
	fprintf(out, "# nodes.conf - nodes of cluster %s: xadmin provision "
		     "--cluster writes it anew\n"
		     "# Each node speaks as itself and hears what is meant for "
		     "it, no more.\n", c->text[NAME]);
	if (has_tls(c))
		fprintf(out, "tls {\n\tcert_file: \"%s\"\n\tkey_file: \"%s\"\n"
			     "\tca_file: \"%s\"\n\tverify: true\n}\n",
			c->text[CERTIFICATE], c->text[KEY], c->text[CA]);
	fputs("authorization {\n\tusers: [\n", out);
}

static void put_node(const struct cluster *c, FILE *out, int node,
		     const char *secret)
{
	const char *name = c->text[NAME];

	fprintf(out, "\t\t{ user: \"n%d\", password: \"%s\", permissions: {\n"
		     "\t\t\tpublish: [\"ow.%s.%d.>\"]\n"
		     "\t\t\tsubscribe: [\"ow.%s.*.%d.>\", \"ow.%s.*.all\"]\n"
		     "\t\t} }\n",
		node, secret, name, node, name, node, name);
}

/* What the configuration of the node says. Its files are copied to conf/. */
static int write_node(const struct cluster *c, int node)
{
	static const char tls[] =
	    "\n\tca=\"${NDRX_APPHOME}/conf/cluster-ca.pem\""
	    "\n\tcertificate=\"${NDRX_APPHOME}/conf/cluster.pem\""
	    "\n\tkey=\"${NDRX_APPHOME}/conf/cluster.key\"";
	char name[64], text[2048];

	snprintf(name, sizeof(name), "node%d/cluster.xml", node);
	snprintf(text, sizeof(text),
		 "<cluster name=\"%s\" node=\"%d\"\n\turls=\"%s\"\n"
		 "\tuser=\"n%d\" "
		 "password_file=\"${NDRX_APPHOME}/conf/cluster.password\"%s/>\n",
		 c->text[NAME], node, c->text[URLS], node,
		 has_tls(c) ? tls : "");
	return write_file(c, name, text);
}

static int put_nodes(const struct cluster *c, FILE *out)
{
	char secret[SECRET_LEN], path[PATH_MAX + 64];
	int node, r = OW_EXIT_OK;

	put_head(c, out);
	for (node = 1; node <= NODES && r == OW_EXIT_OK; node++) {
		if (!c->node[node])
			continue;
		snprintf(path, sizeof(path), "%s/node%d", c->path, node);
		r = make_folder(c, path);
		if (r == OW_EXIT_OK)
			r = take_secret(c, node, secret);
		if (r == OW_EXIT_OK)
			r = write_node(c, node);
		if (r == OW_EXIT_OK)
			put_node(c, out, node, secret);
	}
	fputs("\t]\n}\n", out);
	return r;
}

static int write_nodes(const struct cluster *c)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int r;

	if (out == NULL)
		return failed(c, "memory");
	r = put_nodes(c, out);
	if (fclose(out) != 0)
		return failed(c, "memory");
	return r == OW_EXIT_OK ? write_file(c, "nodes.conf", text) : r;
}

static int write_server(const struct cluster *c)
{
	char text[1024];

	if (exists(c, "nats-server.conf"))
		return OW_EXIT_OK;
	snprintf(text, sizeof(text),
		 "# nats-server.conf - a nats-server of cluster %s; yours to "
		 "change\n"
		 "listen: \"%s\"\n"
		 "# Several nats-servers: each has the addresses of all.\n"
		 "# cluster { name: %s, listen: \"0.0.0.0:6222\", routes: "
		 "[\"nats://HOST:6222\"] }\n"
		 "include \"nodes.conf\"\n",
		 c->text[NAME], c->text[LISTEN], c->text[NAME]);
	return write_file(c, "nats-server.conf", text);
}

static void advise(const struct cluster *c)
{
	printf("Cluster %s is in %s. Now:\n"
	       "\tnats-server -c %s/nats-server.conf\n"
	       "\t(one that runs already: nats-server --signal reload)\n"
	       "\tat node N: nodeN/cluster.password into conf/%s,\n"
	       "\tnodeN/cluster.xml and <server name=\"ndrxbridge\"> into "
	       "conf/ndrxconfig.xml\n",
	       c->text[NAME], c->path, c->path,
	       has_tls(c) ? "; cluster-ca.pem, cluster.pem, cluster.key, too"
			  : "");
}

int ow_setup_cluster(struct ow_args *a)
{
	const char *path = a->n_rest > 0 ? a->rest[0] : ".";
	struct cluster c = { .a = a };
	int r = ow_questions_check(a, questions, VALUES);

	if (r == OW_EXIT_OK)
		r = take_values(&c);
	if (r == OW_EXIT_OK)
		r = make_folder(&c, path);
	if (r != OW_EXIT_OK)
		return r;
	if (realpath(path, c.path) == NULL)
		return failed(&c, path);
	r = write_nodes(&c);
	if (r == OW_EXIT_OK)
		r = write_server(&c);
	if (r == OW_EXIT_OK)
		advise(&c);
	return r;
}
