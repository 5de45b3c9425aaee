/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp_link.c - a TCP link: what an entry of tpbridge says about it
 */
#include "libatmi/domain/tcp_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/optscan.h"
#include "libatmi/domain/tables.h"

/* All that such bridges have. Those that are not read below are about sockets,
 * threads and queues which ours do not have. */
#define LETTERS	 "n:i:h:p:t:T:z:a:c:k:K:P:R:A:Q:q:L:m:M:B:b:d:r6f"
#define PACKAGES "/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin"

/* ---- options ---- */

bool ow_tcp_link_is(int n, char *const *words)
{
	int i;

	for (i = 0; i < n; i++)
		if (strncmp(words[i], "-t", 2) == 0)
			return true;
	return false;
}

static uint32_t number(const char *text, uint32_t most)
{
	char *end;
	long n = strtol(text, &end, 10);

	return *end == '\0' && end != text && n > 0 && n <= (long)most
		   ? (uint32_t)n : 0;
}

/* One option: NULL, or why it cannot be taken. */
static const char *take(struct ow_tcp_link *l, const struct ow_optscan *s)
{
	switch (s->letter) {
	case 't':
		l->passive = *s->value == 'P';
		return strcmp(s->value, "P") != 0 && strcmp(s->value, "A") != 0
			   ? "-t is P (this side listens) or A (it connects)"
			   : NULL;
	case 'n':
		l->node = number(s->value, OW_TCP_LINK_NODES);
		return l->node == 0 ? "-n is the number of the other node, 1 "
				      "to 255" : NULL;
	case 'p':
		l->port = number(s->value, 65535);
		return l->port == 0 ? "-p is a port, 1 to 65535" : NULL;
	case 'i':
	case 'h':
		snprintf(l->host, sizeof(l->host), "%s", s->value);
		return l->host[0] == '\0' ||
				       strpbrk(l->host, " \"\\/@,{}#") != NULL
			   ? "-i is an address, -h the name of a machine"
			   : NULL;
	case 'r':
		l->is_offering = true;
		return NULL;
	case '6':
		l->v6 = true;
		return NULL;
	default:
		return NULL;
	}
}

static void note_unknown(struct ow_tcp_link *l, char letter)
{
	size_t n = strlen(l->unknown);

	if (n + 1 < sizeof(l->unknown) && strchr(l->unknown, letter) == NULL)
		l->unknown[n] = letter;
}

/* What is missing: NULL, nothing. */
static const char *missing(const struct ow_tcp_link *l)
{
	if (l->node == 0)
		return "-n, the number of the other node, is missing";
	if (l->port == 0)
		return "-p, the port, is missing";
	if (l->host[0] == '\0')
		return l->passive ? "-i, the address to listen at, is missing"
				  : "-i, the address of the other node, is "
				    "missing";
	return NULL;
}

int ow_tcp_link_read(int n, char *const *words, struct ow_tcp_link *ret,
		     char *why, size_t size)
{
	struct ow_optscan s = { .argc = n, .argv = words, .known = LETTERS };
	struct ow_tcp_link l = { .node = 0 };
	enum ow_optscan_result r = OW_OPTSCAN_WORD;
	const char *wrong = NULL;

	while (wrong == NULL && r != OW_OPTSCAN_END) {
		r = ow_optscan_next(&s);
		if (r == OW_OPTSCAN_OPTION)
			wrong = take(&l, &s);
		else if (r == OW_OPTSCAN_UNKNOWN)
			note_unknown(&l, s.letter);
		else if (r == OW_OPTSCAN_NO_VALUE)
			wrong = "the value of the last option is missing";
	}
	if (wrong == NULL)
		wrong = missing(&l);
	if (wrong == NULL) {
		*ret = l;
		return 0;
	}
	snprintf(why, size, "TCP link: %s", wrong);
	return -1;
}

/* ---- addresses ---- */

void ow_tcp_link_address(const struct ow_tcp_link *l, char *to, size_t size)
{
	snprintf(to, size, strchr(l->host, ':') != NULL ? "[%s]:%u" : "%s:%u",
		 l->host, l->port);
}

bool ow_tcp_link_is_open(const struct ow_tcp_link *l)
{
	return strncmp(l->host, "127.", 4) != 0 &&
	       strcmp(l->host, "::1") != 0 && strcmp(l->host, "localhost") != 0;
}

/* ---- nats-server ---- */

static bool find(const char *dirs, char *path, size_t size)
{
	size_t n;

	for (; *dirs != '\0'; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		snprintf(path, size, "%.*s/nats-server", (int)n, dirs);
		if (n > 0 && access(path, X_OK) == 0)
			return true;
	}
	return false;
}

int ow_tcp_link_program(const char *dirs, char *path, size_t size)
{
	return (dirs != NULL && find(dirs, path, size)) ||
		       find(PACKAGES, path, size)
		   ? 0 : -ENOENT;
}

/* ---- which links there are ---- */

void ow_tcp_link_name(uint32_t node, char (*ret)[16])
{
	snprintf(*ret, sizeof(*ret), OW_TCP_LINK_SERVICE "%03u",
		 node % 1000u);
}

static bool is_there(const struct ow_tables *t, const char *name)
{
	int svc = ow_svc_find(t, name);

	return svc >= 0 && ow_svc_is_open(&t->svc[svc]);
}

const char *ow_tcp_link_to(const struct ow_tables *t, uint32_t node,
			   const char *otherwise, char (*name)[16])
{
	ow_tcp_link_name(node, name);
	return is_there(t, *name) ? *name : otherwise;
}

uint32_t ow_tcp_link_next(const struct ow_tables *t, uint32_t node)
{
	char name[16];

	while (++node <= OW_TCP_LINK_NODES) {
		ow_tcp_link_name(node, &name);
		if (is_there(t, name))
			return node;
	}
	return 0;
}
