/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.c - look at the figures of the domain, and send them in intervals
 */
#include "clients/ndrxotel/measure.h"

#include <stdlib.h>

#include "clients/ndrxotel/figures.h"
#include "clients/ndrxotel/json.h"
#include "libatmi/base/clock.h"
#include "libndrx/figures/figures.h"

#define LOOK_NS	 OW_NS_PER_SEC
#define HEALTH_S 60u
#define WAITING	 262144u /* data points that wait for the receiver */

struct ow_otel_measure {
	struct ow_otel_outbox *outbox;
	struct ow_otel_about about;
	struct ow_figures figures;
	struct ow_health *health; /* NULL: no findings of the doctor */
	uint64_t interval_ns;
	uint64_t looked_ns, sent_ns;
	uint64_t begin_ns; /* wall clock: of the counters of this domain */
};

struct ow_otel_measure *ow_otel_measure_open(const struct ow_otel_way *way,
					     const struct ow_otel_about *about,
					     uint64_t interval_ns)
{
	struct ow_otel_measure *m = calloc(1, sizeof(*m));

	if (m == NULL) {
		way->close(way->arg);
		return NULL;
	}
	m->about = *about;
	m->interval_ns = interval_ns;
	m->outbox = ow_otel_outbox_open(way, about, "metrics", WAITING);
	if (m->outbox == NULL) {
		free(m);
		return NULL;
	}
	if (ow_health_open(HEALTH_S, &m->health) < 0)
		m->health = NULL;
	return m;
}

/* Another domain begins anew, and so do its counters. */
static void look(struct ow_otel_measure *m)
{
	unsigned int before = m->figures.domain;

	ow_figures_look(&m->figures);
	if (m->figures.domain != before || m->begin_ns == 0)
		m->begin_ns = ow_clock_real_ns();
}

static void send(struct ow_otel_measure *m)
{
	struct ow_otel_json j = { .len = 0 };
	size_t n = 0;

	m->figures.nhealth = m->health != NULL
				 ? ow_health_get(m->health, m->figures.health)
				 : 0;
	ow_otel_figures_write(&j, &m->about, &m->figures, m->begin_ns, &n);
	if (j.failed)
		ow_otel_json_clear(&j);
	else
		ow_otel_outbox_add_text(m->outbox, j.bytes, j.len, n);
}

void ow_otel_measure_tick(struct ow_otel_measure *m, uint64_t now_ns)
{
	if (m == NULL)
		return;
	if (now_ns >= m->looked_ns + LOOK_NS) {
		m->looked_ns = now_ns;
		look(m);
	}
	if (now_ns < m->sent_ns + m->interval_ns)
		return;
	m->sent_ns = now_ns;
	send(m);
}

void ow_otel_measure_count(struct ow_otel_measure *m,
			   struct ow_otel_out_counts *ret)
{
	ow_otel_outbox_count(m->outbox, ret);
}

void ow_otel_measure_end(struct ow_otel_measure *m, uint64_t until_ns)
{
	look(m);
	send(m);
	ow_otel_outbox_end(m->outbox, until_ns);
}

struct ow_otel_measure *ow_otel_measure_close(struct ow_otel_measure *m)
{
	if (m == NULL)
		return NULL;
	ow_otel_outbox_close(m->outbox);
	ow_health_close(m->health);
	ow_figures_close(&m->figures);
	free(m);
	return NULL;
}
