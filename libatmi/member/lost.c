/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lost.c - one-way requests that were accepted and are not executed
 */
#include "libatmi/member/lost.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/hold.h"
#include "libatmi/log/line.h"
#include "libatmi/log/log.h"
#include "libatmi/wire/msg.h"

struct lost {
	struct lost *next;
	char svc[OW_SVC_NAME + 1];
	char span[2 * OW_LOG_SPAN + 1], trace[2 * OW_LOG_TRACE + 1];
	char why[OW_LOST_WHY];
};

static __thread struct lost *t_first, *t_last; /* in order */

static void name(const struct lost *l)
{
	log_error("service %s: one-way request %s of trace %s is lost: %s",
		  l->svc, l->span, l->trace, l->why);
}

static void remember(const struct lost *l)
{
	struct lost *copy = malloc(sizeof(*copy));

	if (copy == NULL) {
		name(l);
		return;
	}
	*copy = *l;
	copy->next = NULL;
	if (t_first == NULL)
		t_first = copy;
	else
		t_last->next = copy;
	t_last = copy;
}

void ow_lost_note(struct ow_domain *d, const struct ow_msg *m, const char *why)
{
	char svc[OW_SVC_NAME + 1] = "";

	memcpy(svc, d->tables->svc[m->svc].name, OW_SVC_NAME);
	ow_lost_name(d, svc, m->span_id, m->trace_id, why);
}

void ow_lost_name(struct ow_domain *d, const char *svc, const uint8_t *span,
		  const uint8_t *trace, const char *why)
{
	struct lost l = { .next = NULL };

	atomic_fetch_add(&d->tables->head->lost, 1);
	atomic_store(&d->tables->head->lost_s,
		     (uint32_t)(ow_clock_mono_ns() / OW_NS_PER_SEC));
	snprintf(l.why, sizeof(l.why), "%s", why);
	snprintf(l.svc, sizeof(l.svc), "%s", svc);
	ow_log_id_hex(span, OW_LOG_SPAN, l.span);
	ow_log_id_hex(trace, OW_LOG_TRACE, l.trace);
	if (ow_log_is_held())
		remember(&l);
	else
		name(&l);
}

void ow_lost_unanswered(struct ow_domain *d, const struct ow_msg *m,
			const char *why)
{
	if (m->cd == 0 && d->tables->svc[m->svc].name[0] != '@')
		ow_lost_note(d, m, why);
	else
		log_error("request of client %u: it is not answered: %s",
			  m->clt_slot, why);
}

void ow_lost_tell(void)
{
	struct lost *l;

	while ((l = t_first) != NULL && !ow_log_is_held()) {
		t_first = l->next;
		name(l);
		free(l);
	}
}
