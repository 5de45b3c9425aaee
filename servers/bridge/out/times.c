/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times.c - how long calls to other nodes take, by node and service
 */
#include "servers/bridge/out/times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "libatmi/base/clock.h"

struct key {
	uint32_t node;
	char svc[32];
};

struct ow_br_time {
	UT_hash_handle hh;
	struct key key;
	struct ow_nodes_time *row;
};

struct ow_br_times {
	struct ow_br_time *table;
	uint32_t n;
	struct ow_nodes_time row[OW_NODES_TIMES];
};

static struct ow_br_time *add(struct ow_br_times *ts, const struct key *k)
{
	struct ow_br_time *t;

	if (ts->n == OW_NODES_TIMES)
		return NULL;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->key = *k;
	HASH_ADD(hh, ts->table, key, sizeof(t->key), t);
	if (t->hh.tbl == NULL) {
		free(t);
		return NULL;
	}
	t->row = &ts->row[ts->n++];
	t->row->node = k->node;
	memcpy(t->row->svc, k->svc, sizeof(t->row->svc));
	return t;
}

struct ow_br_time *ow_br_time_need(struct ow_br_times **ts, uint32_t node,
				   const char *svc)
{
	struct key k = { .node = node };
	struct ow_br_time *t = NULL;

	if (svc[0] == '@' || svc[0] == '.' || svc[0] == '\0')
		return NULL;
	if (*ts == NULL)
		*ts = calloc(1, sizeof(**ts));
	if (*ts == NULL)
		return NULL;
	snprintf(k.svc, sizeof(k.svc), "%s", svc);
	HASH_FIND(hh, (*ts)->table, &k, sizeof(k), t);
	return t != NULL ? t : add(*ts, &k);
}

void ow_br_time_note(struct ow_br_time *t, uint64_t begun_ns, bool failed)
{
	uint64_t us = (ow_clock_mono_ns() - begun_ns) / OW_NS_PER_US;

	if (t == NULL)
		return;
	t->row->calls++;
	t->row->failed += failed;
	t->row->sum_us += us;
	t->row->hist[ow_bucket_of(us)]++;
}

void ow_br_times_show(const struct ow_br_times *ts,
		      struct ow_nodes_snapshot *to)
{
	to->times = ts != NULL ? ts->n : 0;
	if (ts != NULL)
		memcpy(to->time, ts->row, ts->n * sizeof(*ts->row));
}
