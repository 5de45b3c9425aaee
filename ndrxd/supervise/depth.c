/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depth.c - queues that grow long are events
 *
 * Only queues of services with <service queuehigh> are looked at. Which ones
 * were reported is ndrxd's memory: the next ndrxd reports a long queue again.
 */
#include "ndrxd/supervise/depth.h"

#include <stdlib.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/transport/transport.h"
#include "libndrx/config/config.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"

/* The place of a service among those reported; n_long_queues: it is not. */
static size_t find(const struct ndrxd *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->looks.n_long_queues; i++)
		if (strcmp(d->looks.long_queues[i], name) == 0)
			break;
	return i;
}

static bool note(struct ndrxd *d, const char *name)
{
	size_t size = sizeof(*d->looks.long_queues);
	void *all = realloc(d->looks.long_queues,
			    (d->looks.n_long_queues + 1) * size);

	if (all == NULL)
		return false; /* the next look tries again */
	d->looks.long_queues = all;
	memset(d->looks.long_queues[d->looks.n_long_queues], 0, size);
	memcpy(d->looks.long_queues[d->looks.n_long_queues++], name,
	       strnlen(name, size - 1));
	return true;
}

static void forget(struct ndrxd *d, size_t i)
{
	d->looks.n_long_queues--;
	memmove(d->looks.long_queues[i],
		d->looks.long_queues[d->looks.n_long_queues],
		sizeof(*d->looks.long_queues));
}

static void look(struct ndrxd *d, const struct ow_config_service *s)
{
	struct ow_emit_about about = { .about = OW_EVENT_SERVICE,
				       .who = s->name };
	uint32_t low = (uint32_t)(s->queuelow > 0 ? s->queuelow
						  : s->queuehigh / 2);
	uint32_t high = (uint32_t)s->queuehigh;
	size_t i = find(d, s->name);
	bool reported = i < d->looks.n_long_queues;

	if (ow_queue_peek(d->dom, ow_service_queue(s->name),
			  &about.depth) != 0)
		about.depth = 0; /* no server offers it */
	if (!reported && about.depth >= high && note(d, s->name))
		ow_emit_about(d, &about, OW_EVENT_QUEUE_HIGH,
			      "%u requests wait; queuehigh is %u", about.depth,
			      high);
	if (!reported || about.depth > low)
		return;
	forget(d, i);
	ow_emit_about(d, &about, OW_EVENT_QUEUE_LOW,
		      "%u requests wait; queuelow is %u", about.depth, low);
}

void ow_depth_tick(struct ndrxd *d)
{
	const struct ow_config *c = d->config;
	const struct ow_config_service *s;
	size_t i;

	if (c == NULL || d->dom == NULL)
		return;
	for (i = d->looks.n_long_queues; i-- > 0;) {
		s = ow_config_service_find(c, d->looks.long_queues[i]);
		if (s == NULL || s->queuehigh == 0)
			forget(d, i); /* nobody wants to know any more */
	}
	for (i = 0; i < c->n_services; i++) {
		s = &c->services[i];
		if (s->queuehigh > 0 &&
		    ow_config_service_find(c, s->name) == s)
			look(d, s);
	}
}

void ow_depth_close(struct ndrxd *d)
{
	free(d->looks.long_queues);
	d->looks.long_queues = NULL;
	d->looks.n_long_queues = 0;
}
