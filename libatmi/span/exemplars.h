/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exemplars.h - of each service and bucket of its time a trace that was sent
 *
 * A snapshot (domain/snapshot.h) of the reader of spans (clients/ndrxotel),
 * server id 0. ndrxmetrics puts them behind the buckets of its histograms, so
 * that a dashboard leads from a slow bucket to a trace. Only traces that were
 * chosen to be sent are in it: the others are nowhere.
 */
#ifndef OW_EXEMPLARS_H
#define OW_EXEMPLARS_H

#include "libatmi/domain/snapshot.h"

#define OW_EXEMPLARS	     1024u
#define OW_EXEMPLARS_OLD_S   600u /* older ones are not shown */
#define OW_EXEMPLARS_SERVICE 32u

struct ow_exemplar {
	char service[OW_EXEMPLARS_SERVICE];
	uint8_t trace_id[16], id[8]; /* the span of the service */
	uint64_t us;		     /* how long it took */
	uint64_t ended_ns;	     /* wall clock */
};

struct ow_exemplars {
	struct ow_snapshot head;
	uint32_t n, pad;
	struct ow_exemplar e[OW_EXEMPLARS];
};

struct ow_domain;

extern const struct ow_snapshot_kind ow_exemplars_kind;

/* Take the place of the one of the same service and bucket, else a new one, else
 * that of the oldest. */
void ow_exemplars_add(struct ow_exemplars *p, const struct ow_exemplar *e);
/* A copy for onlookers, without those that are old; to be freed. NULL: there is
 * no reader. */
struct ow_exemplars *ow_exemplars_get(const struct ow_domain *d);

#endif
