/* SPDX-License-Identifier: Apache-2.0 */
/*
 * twins.c - two domains that have the same node id
 */
#include "servers/bridge/peers/twins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/env.h"
#include "libatmi/log/log.h"

#define NODES	 1024u
#define SAY_NS	 (60 * OW_NS_PER_SEC)
#define THERE_NS (5 * OW_NS_PER_SEC) /* who was heard so lately is there */

/* Who has a node, as far as was heard. */
struct ow_br_seat {
	struct ow_br_seat *next;
	uint32_t node, bridge;
	struct ow_br_who who;
	uint64_t heard_ns, said_ns;
};

static uint64_t hash(uint64_t h, const char *s)
{
	for (; *s != '\0'; s++)
		h = (h ^ (uint64_t)(unsigned char)*s) * UINT64_C(1099511628211);
	return h;
}

void ow_br_who_make(struct ow_br_who *ret)
{
	char machine[40] = "-", host[64] = "-";
	FILE *f = fopen("/etc/machine-id", "re");

	if (f != NULL) {
		(void)!fscanf(f, "%39s", machine);
		fclose(f);
	}
	(void)gethostname(host, sizeof(host) - 1);
	memset(ret, 0, sizeof(*ret));
	snprintf(ret->text, sizeof(ret->text), "%.63s %.80s (%.32s)", host,
		 ow_env_str("NDRX_APPHOME", "."), ow_env_str("NDRX_QPREFIX", ""));
	ret->domain = hash(hash(UINT64_C(14695981039346656037), machine),
			   ret->text);
}

/* Of a peer: what it has named goes to the log. */
static void make_printable(char *text, size_t size)
{
	size_t i;

	text[size - 1] = '\0';
	for (i = 0; text[i] != '\0'; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
}

/* Lock held; NULL: too many, or no memory. */
static struct ow_br_seat *seat_of(struct ow_br_peers *ps, uint32_t node)
{
	struct ow_br_seat *s;
	uint32_t n = 0;

	for (s = ps->seats; s != NULL && s->node != node; s = s->next)
		n++;
	if (s != NULL || n >= NODES)
		return s;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->node = node;
	if (node == ps->opt.node) {
		s->who = ps->who;
		s->bridge = ps->id;
	}
	s->next = ps->seats;
	ps->seats = s;
	return s;
}

/* Is the domain that has the seat still there? Lock held. */
static bool is_there(const struct ow_br_peers *ps, const struct ow_br_seat *s,
		     uint64_t now)
{
	return s->who.domain != 0 && (s->node == ps->opt.node ||
				      now < s->heard_ns + THERE_NS);
}

void ow_br_who_heard(struct ow_br_peers *ps, uint32_t node, uint32_t bridge,
		     const struct ow_br_who *who)
{
	uint64_t now = ow_clock_mono_ns();
	struct ow_br_who other = *who;
	struct ow_br_seat was = { .node = 0 }, *s;

	make_printable(other.text, sizeof(other.text));
	pthread_mutex_lock(&ps->lock);
	s = seat_of(ps, node);
	if (s != NULL && s->who.domain != other.domain && is_there(ps, s, now)) {
		was = *s;
		if (s->said_ns != 0 && now < s->said_ns + SAY_NS)
			was.node = 0; /* it was said */
		else
			s->said_ns = now;
	} else if (s != NULL) {
		s->who = other;
		s->bridge = bridge;
		s->heard_ns = now;
	}
	pthread_mutex_unlock(&ps->lock);
	if (was.node != 0)
		log_error("node id %u is used twice: by the domain %s, bridge "
			  "%u, and by the domain %s, bridge %u: calls and "
			  "transactions go to either. Give one of them another "
			  "id (NDRX_NODEID, node of <cluster>)", node,
			  was.who.text, was.bridge, other.text, bridge);
}

void ow_br_who_left(struct ow_br_peers *ps, uint32_t node)
{
	struct ow_br_seat *s;

	pthread_mutex_lock(&ps->lock);
	for (s = ps->seats; s != NULL; s = s->next)
		if (s->node == node && node != ps->opt.node)
			s->who.domain = 0;
	pthread_mutex_unlock(&ps->lock);
}

void ow_br_who_free(struct ow_br_peers *ps)
{
	struct ow_br_seat *s;

	while ((s = ps->seats) != NULL) {
		ps->seats = s->next;
		free(s);
	}
}
