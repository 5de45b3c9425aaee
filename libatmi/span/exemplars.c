/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exemplars.c - of each service and bucket of its time a trace that was sent
 */
#include "libatmi/span/exemplars.h"

#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/buckets.h"

const struct ow_snapshot_kind ow_exemplars_kind = {
	.name = "exemplars",
	.magic = UINT64_C(0x31534d58574f574f),
	.size = sizeof(struct ow_exemplars),
};

void ow_exemplars_add(struct ow_exemplars *p, const struct ow_exemplar *e)
{
	uint32_t i, oldest = 0;

	for (i = 0; i < p->n; i++) {
		if (ow_bucket_of(p->e[i].us) == ow_bucket_of(e->us) &&
		    strcmp(p->e[i].service, e->service) == 0) {
			p->e[i] = *e;
			return;
		}
		if (p->e[i].ended_ns < p->e[oldest].ended_ns)
			oldest = i;
	}
	if (p->n < OW_EXEMPLARS)
		oldest = p->n++;
	p->e[oldest] = *e;
}

struct ow_exemplars *ow_exemplars_get(const struct ow_domain *d)
{
	struct ow_exemplars *p = ow_snapshot_read(d, &ow_exemplars_kind, 0);
	uint64_t now = ow_clock_real_ns();
	uint32_t i, n = 0;

	if (p == NULL || p->n > OW_EXEMPLARS) {
		free(p);
		return NULL;
	}
	for (i = 0; i < p->n; i++) {
		if (p->e[i].ended_ns > now ||
		    now - p->e[i].ended_ns > OW_EXEMPLARS_OLD_S * OW_NS_PER_SEC)
			continue;
		p->e[n] = p->e[i];
		p->e[n++].service[OW_EXEMPLARS_SERVICE - 1] = '\0';
	}
	p->n = n;
	return p;
}
