/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - the options of a bridge: its arguments, environment, section
 *
 * Each has a letter, a variable NDRX_CLUSTER_<KEY>, which ndrxd makes of the
 * configuration, and a key of section [@cluster] of the ini configuration. The
 * letter wins, then the variable.
 *
 * An entry with the options of a TCP link joins the cluster of the configuration,
 * if it has one; else it has that link, and link_settings.c makes the rest.
 */
#include "servers/bridge/wire/settings.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/log/log.h"
#include "libubf/base/cconfig.h"
#include "libubf/base/variable.h"

#define NODES 255

/* Texts as they were given; pointers into argv, or copies for ever. */
struct given {
	const char *cluster, *urls, *node, *beat, *refresh, *exports, *hidden,
	    *imports, *leave, *user, *password, *creds, *ca, *cert, *key;
};

static const struct {
	char letter;
	const char *key;
	size_t at;
} words[] = {
#define W(letter, key, member) { letter, key, offsetof(struct given, member) }
	W('c', "name", cluster),     W('u', "urls", urls),
	W('n', "node", node),	     W('b', "beat", beat),
	W('r', "refresh", refresh),  W('e', "exportsvcs", exports),
	W('x', "blacklistsvcs", hidden), W('U', "user", user),
	W('P', "password_file", password), W('C', "credentials", creds),
	W('A', "ca", ca),	     W('T', "certificate", cert),
	W('K', "key", key),	     W('I', "importsvcs", imports),
	W('w', "leave", leave),
#undef W
};

#define N_WORDS (sizeof(words) / sizeof(words[0]))

static const char **place(struct given *g, size_t i)
{
	return (const char **)((char *)g + words[i].at);
}

static void read_section(struct given *g)
{
	struct ow_cconfig c = { 0 };
	const char *value;
	size_t i;

	ow_cconfig_read("@cluster", &c);
	for (i = 0; i < N_WORDS; i++) {
		value = ow_cconfig_value(&c, words[i].key);
		if (value != NULL)
			*place(g, i) = strdup(value);
	}
	ow_cconfig_free(&c);
}

static void read_environment(struct given *g)
{
	char name[64];
	const char *value;
	size_t i, k, n;

	for (i = 0; i < N_WORDS; i++) {
		n = (size_t)snprintf(name, sizeof(name), "NDRX_CLUSTER_%s",
				     words[i].key);
		for (k = 0; k < n; k++)
			name[k] = (char)toupper((unsigned char)name[k]);
		value = ow_variable(name);
		if (value != NULL)
			*place(g, i) = value;
	}
}

static int read_letters(int argc, char **argv, struct given *g)
{
	size_t i;
	int o;

	optind = 1;
	while ((o = getopt(argc, argv, "c:u:n:b:r:e:x:I:U:P:C:A:T:K:w:")) != -1) {
		for (i = 0; i < N_WORDS && words[i].letter != o; i++)
			;
		if (i == N_WORDS)
			return -1;
		*place(g, i) = optarg;
	}
	return optind == argc ? 0 : -1;
}

/* Milliseconds: "1.5" is seconds, "250ms" is what it says. */
static uint32_t milliseconds(const char *text, uint32_t otherwise)
{
	char *end;
	double v;

	if (text == NULL)
		return otherwise;
	v = strtod(text, &end);
	if (strcmp(end, "ms") != 0)
		v *= 1000;
	return v >= 0 && v <= 86400e3 ? (uint32_t)v : otherwise;
}

static int check_name(const char *name, char *why, size_t size)
{
	size_t i, n = name != NULL ? strlen(name) : 0;

	if (n == 0 || n > 32) {
		snprintf(why, size, "the name of the cluster (<cluster name=...>, -c) "
			 "has 1 to 32 letters and digits");
		return -1;
	}
	for (i = 0; i < n; i++) {
		if (isalnum((unsigned char)name[i]) || name[i] == '_' ||
		    name[i] == '-')
			continue;
		snprintf(why, size, "the name of the cluster, %s, has other "
			 "characters than letters, digits, - and _", name);
		return -1;
	}
	return 0;
}

int ow_br_password_read(const char *path, char (*ret)[256], char *why,
			size_t size)
{
	char text[sizeof(*ret)];
	FILE *f;

	if (path == NULL)
		return 0;
	f = fopen(path, "re");
	if (f == NULL || fgets(text, sizeof(text), f) == NULL) {
		snprintf(why, size, "the file of the password, %s, cannot be "
			 "read", path);
		if (f != NULL)
			fclose(f);
		return -1;
	}
	fclose(f);
	text[strcspn(text, "\r\n")] = '\0';
	memcpy(*ret, text, sizeof(text));
	return 0;
}

static int apply_cluster(const struct given *g, long nodeid,
			 struct ow_br_options *o, char *why, size_t size)
{
	long node = g->node != NULL ? strtol(g->node, NULL, 10) : nodeid;

	if (check_name(g->cluster, why, size) != 0)
		return -1;
	if (node < 1 || node > NODES) {
		snprintf(why, size, "node %ld: the number of a node (-n, "
			 "NDRX_NODEID) is 1 to %d", node, NODES);
		return -1;
	}
	o->node = (uint32_t)node;
	snprintf(o->cluster, sizeof(o->cluster), "%s", g->cluster);
	snprintf(o->root, sizeof(o->root), "ow.%s", g->cluster);
	snprintf(o->name, sizeof(o->name), "%s, node %u", o->cluster, o->node);
	if (o->password_file != NULL)
		o->nats.password = o->password;
	return ow_br_password_read(o->password_file, &o->password, why, size);
}

/* The options that clusters and TCP links have. */
static int apply_common(const struct given *g, struct ow_br_options *o,
			char *why, size_t size)
{
	if ((g->cert != NULL) != (g->key != NULL)) {
		snprintf(why, size, "a certificate (-T) and its key (-K) go "
			 "together");
		return -1;
	}
	o->heartbeat_ms = milliseconds(g->beat, 1000);
	if (o->heartbeat_ms < 50)
		o->heartbeat_ms = 50;
	o->refresh_ms = milliseconds(g->refresh, 60000);
	o->leave_ms = milliseconds(g->leave, 4000);
	if (ow_br_names_parse(g->exports, &o->exports) != 0 ||
	    ow_br_names_parse(g->hidden, &o->hidden) != 0) {
		snprintf(why, size, "no memory");
		return -1;
	}
	o->imports = g->imports;
	o->password_file = g->password;
	o->nats = (struct ow_nats_options){
		.urls = g->urls != NULL ? g->urls : "nats://127.0.0.1:4222",
		.name = o->name, .user = g->user, .creds = g->creds,
		.ca = g->ca, .cert = g->cert, .key = g->key
	};
	return 0;
}

int ow_br_options_read(int argc, char **argv, long nodeid,
		       struct ow_br_options *ret, char *why, size_t size)
{
	struct given g = { 0 };
	bool link = ow_tcp_link_is(argc - 1, argv + 1);
	int r;

	memset(ret, 0, sizeof(*ret));
	read_section(&g);
	read_environment(&g);
	if (link && g.cluster != NULL) {
		log_warn("the options of a TCP link have no effect: <cluster> "
			 "says where nodes meet");
		link = false;
	} else if (link) {
		if (ow_tcp_link_read(argc - 1, argv + 1, &ret->tcp, why,
				     size) != 0)
			return -1;
	} else if (read_letters(argc, argv, &g) != 0) {
		snprintf(why, size, "unknown option; ndrxbridge(8) has them");
		return -1;
	}
	r = apply_common(&g, ret, why, size);
	return r == 0 && !link ? apply_cluster(&g, nodeid, ret, why, size) : r;
}
