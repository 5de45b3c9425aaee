/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.c - events of the domain itself: a server died, was given up, ...
 *
 * ndrxd writes what it does into its event ring (libatmi/domain/events.h), and
 * sends nothing: it must wait for no server. Each tpevsrv reads the ring once a
 * second; of several, one delivers an event. The names are those of Tuxedo's
 * EVENTS(5), those about queues are ours; the data are UBF fields of the MIB
 * (Excompat.h).
 */
#include "servers/tpevsrv/system.h"

#include <stdbool.h>
#include <stdio.h>
#include <Excompat.h>
#include <atmi.h>

#include "servers/tpevsrv/deliver.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/events.h"
#include "libatmi/post/message.h"
#include "libatmi/subs/subs.h"

#define DATA_SIZE 2048

static struct ow_events *ring;

static const struct {
	uint32_t kind, about;
	const char *name;
} names[] = {
	{ OW_EVENT_DIED, OW_EVENT_SERVER, ".SysServerDied" },
	{ OW_EVENT_RETRY, OW_EVENT_SERVER, ".SysServerRestarting" },
	{ OW_EVENT_GAVE_UP, OW_EVENT_SERVER, ".SysServerMaxgen" },
	{ OW_EVENT_FAILED, OW_EVENT_SERVER, ".SysServerInit" },
	{ OW_EVENT_DIED, OW_EVENT_CLIENT, ".SysClientDied" },
	{ OW_EVENT_QUEUE_HIGH, OW_EVENT_SERVICE, ".SysServiceQueueHigh" },
	{ OW_EVENT_QUEUE_LOW, OW_EVENT_SERVICE, ".SysServiceQueueLow" },
};

/* NULL: applications do not learn of it. */
static const char *name_of(const struct ow_event *e)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].kind == e->kind && names[i].about == e->about)
			return names[i].name;
	return NULL;
}

static bool add_text(UBFH *b, BFLDID field, const char *text)
{
	return Bchg(b, field, 0, (char *)text, 0) == 0;
}

static bool fill_process(UBFH *b, const struct ow_event *e)
{
	bool server = e->about == OW_EVENT_SERVER;
	long pid = e->pid, srvid = e->srvid;

	return add_text(b, TA_CLASS, server ? "T_SERVER" : "T_CLIENT") &&
	       add_text(b, server ? TA_SERVERNAME : TA_CLTNAME, e->who) &&
	       Bchg(b, TA_PID, 0, (char *)&pid, 0) == 0 &&
	       (!server || Bchg(b, TA_SRVID, 0, (char *)&srvid, 0) == 0);
}

static bool fill_service(UBFH *b, const struct ow_event *e)
{
	long depth = (long)e->depth;

	return add_text(b, TA_CLASS, "T_SERVICE") &&
	       add_text(b, TA_SERVICENAME, e->who) &&
	       Bchg(b, TA_NQUEUED, 0, (char *)&depth, 0) == 0;
}

static bool fill(struct ow_domain *d, UBFH *b, const struct ow_event *e)
{
	return add_text(b, TA_LMID, d->lmid) && add_text(b, TA_STATUS, e->text) &&
	       (e->about == OW_EVENT_SERVICE ? fill_service
					     : fill_process)(b, e);
}

static void deliver(struct ow_domain *d, const struct ow_event *e)
{
	const char *name = name_of(e);
	struct ow_post post = { .flags = TPNOBLOCK };
	bool wanted = true;

	if (name == NULL)
		return;
	if (ow_subs_look(d, name, &wanted) == 0 && !wanted)
		return;
	snprintf(post.name, sizeof(post.name), "%s", name);
	post.data = tpalloc((char *)"UBF", NULL, DATA_SIZE);
	if (post.data == NULL)
		return;
	post.len = DATA_SIZE;
	if (fill(d, (UBFH *)post.data, e))
		deliver_event(d, &post);
	tpfree(post.data);
}

/* Have the ring of ndrxd mapped, which may have been made anew. */
static bool need_ring(const struct ow_domain *d)
{
	char path[160];

	if (ring != NULL && ow_events_stale(ring))
		ring = ow_events_close(ring);
	if (ring != NULL)
		return true;
	ow_domain_shm_path(d, "events", path, sizeof(path));
	return ow_events_open(path, false, &ring) == 0;
}

void system_deliver(struct ow_domain *d)
{
	struct ow_event e;
	uint64_t n = 0;

	if (!need_ring(d))
		return;
	while (ow_subs_claim_event(d, ring, &n))
		if (ow_subs_count(d) > 0 && ow_events_read(ring, n, &e) == 0)
			deliver(d, &e);
}

void system_close(void)
{
	ring = ow_events_close(ring);
}
