/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause.c - services whose queues the bridge leaves alone for a while
 */
#include "servers/bridge/out/pause.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmisrv/deferred.h"
#include "servers/bridge/out/choose.h"
#include "servers/bridge/peers/allowance.h"

static struct ow_br_pause *need(struct ow_br_calls *cs, const char *queue)
{
	struct ow_br_pause *a;
	uint32_t i;

	for (i = 0; i < cs->n_pauses; i++)
		if (strcmp(cs->pause[i].queue, queue) == 0)
			return &cs->pause[i];
	if (cs->n_pauses == OW_ADV_MAX)
		return NULL;
	a = &cs->pause[cs->n_pauses++];
	snprintf(a->queue, sizeof(a->queue), "%s", queue);
	return a;
}

void ow_br_pause_service(struct ow_br_calls *cs, struct ow_br_peer *p,
			 const char *svc)
{
	const char *queue = ow_deferred_pause();
	struct ow_br_pause *a = queue != NULL ? need(cs, queue) : NULL;

	if (a == NULL)
		return;
	a->peer = p;
	snprintf(a->svc, sizeof(a->svc), "%s", svc != NULL ? svc : "");
}

/* A pause ends when half of what waited is gone where the next request would go,
 * which may be another node by now. Lock held. */
static bool is_over(struct ow_br_calls *cs, const struct ow_br_pause *a)
{
	bool shared = a->svc[0] == '\0';
	const struct ow_br_peer *p = shared ? a->peer
					    : ow_br_choose(cs, a->svc);
	const struct ow_br_lane_state *l;

	if (p == NULL)
		return true; /* nobody offers it any more */
	l = &p->lane[OW_BR_REQUESTS];
	if (l->waiting >= OW_BR_HOLD / 2 ||
	    l->waiting_bytes >= OW_BR_HOLD_BYTES / 2)
		return false;
	return shared ? p->aside < OW_BR_HOLD &&
				p->aside_bytes < OW_BR_HOLD_BYTES
		      : !ow_br_allowance_is_full(p, a->svc, 2);
}

void ow_br_pauses_look(struct ow_br_calls *cs)
{
	uint64_t one = 1;
	uint32_t i;
	bool over = false;

	pthread_mutex_lock(&cs->peers->lock);
	for (i = 0; i < cs->n_pauses && !over; i++)
		over = is_over(cs, &cs->pause[i]);
	pthread_mutex_unlock(&cs->peers->lock);
	if (over && cs->dir->changed_fd >= 0)
		(void)!write(cs->dir->changed_fd, &one, sizeof(one));
}

/* The next one that is over, from number *i on: it is out of the list. */
static bool take(struct ow_br_calls *cs, uint32_t *i, struct ow_br_pause *ret)
{
	bool found = false;

	pthread_mutex_lock(&cs->peers->lock);
	for (; *i < cs->n_pauses && !found; (*i)++) {
		found = is_over(cs, &cs->pause[*i]);
		if (!found)
			continue;
		*ret = cs->pause[*i];
		cs->pause[(*i)--] = cs->pause[--cs->n_pauses];
	}
	pthread_mutex_unlock(&cs->peers->lock);
	return found;
}

void ow_br_pauses_end(struct ow_br_calls *cs)
{
	struct ow_br_pause a;
	uint32_t i = 0;

	while (take(cs, &i, &a)) {
		if (ow_deferred_resume(a.queue) == 0)
			continue;
		pthread_mutex_lock(&cs->peers->lock);
		cs->pause[cs->n_pauses++] = a; /* the clock asks again */
		pthread_mutex_unlock(&cs->peers->lock);
		return;
	}
}
