/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots.c - what the tmsrv and tmqueue of a domain show, for onlookers
 */
#include "libndrx/observe/snapshots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libndrx/observe/disk.h"
#include "libubf/base/printable.h"

/* The snapshot of the next living server whose program is `bin`. */
static void *next(const struct ow_observer *v, const char *bin,
		  const struct ow_snapshot_kind *k, uint32_t *id)
{
	const struct ow_tables *t = v->d.tables;
	struct ow_snapshot *p = NULL;
	char name[64];

	while (p == NULL && (*id = ow_srv_next(t, *id + 1)) != 0) {
		if (strcmp(ow_observer_bin(v, *id, name), bin) == 0)
			p = ow_snapshot_read(&v->d, k, *id);
		if (p == NULL || p->pid == atomic_load(&t->srv[*id].pid))
			continue;
		free(p);
		p = NULL;
	}
	return p;
}

static void clean(char *text, size_t size)
{
	text[size - 1] = '\0';
	ow_printable(text);
}

struct ow_tm_snapshot *ow_snapshot_trans(const struct ow_observer *v,
					 uint32_t *id)
{
	struct ow_tm_snapshot *p = next(v, "tmsrv", &ow_tm_snapshot_kind, id);
	struct ow_tm_snapshot_tran *t;

	if (p == NULL)
		return NULL;
	if (p->n > OW_TM_SNAPSHOT_MAX)
		p->n = OW_TM_SNAPSHOT_MAX;
	for (t = p->tran; t < p->tran + p->n; t++) {
		clean(t->state, sizeof(t->state));
		clean(t->holder, sizeof(t->holder));
		clean(t->rms, sizeof(t->rms));
		clean(t->result, sizeof(t->result));
	}
	clean(p->path, sizeof(p->path));
	return p;
}

struct ow_mq_snapshot *ow_snapshot_space(const struct ow_observer *v,
					 uint32_t *id)
{
	struct ow_mq_snapshot *p = next(v, "tmqueue", &ow_mq_snapshot_kind, id);
	struct ow_mq_snapshot_queue *q;

	if (p == NULL)
		return NULL;
	if (p->n > OW_MQ_SNAPSHOT_MAX)
		p->n = OW_MQ_SNAPSHOT_MAX;
	clean(p->space, sizeof(p->space));
	clean(p->path, sizeof(p->path));
	for (q = p->queue; q < p->queue + p->n; q++)
		clean(q->name, sizeof(q->name));
	return p;
}

bool ow_snapshot_in_doubt(const struct ow_tm_snapshot_tran *t)
{
	return t->prepared > 0 || strcmp(t->state, OW_SNAPSHOT_DECIDING) == 0;
}

bool ow_snapshot_undecided(const struct ow_tm_snapshot *p)
{
	struct ow_disk d;

	/* In the black box it was looked at then. */
	if (p->log_error != ENOSPC || p->path[0] == '\0')
		return p->log_error != 0;
	/* It tries again with its next decision. */
	ow_disk_of_file(p->path, &d);
	return ow_disk_judge(&d) != OW_DISK_GOOD;
}

uint64_t ow_snapshot_age_us(const struct ow_mq_snapshot_queue *q,
			    uint64_t real_ns)
{
	if (q->since_ns == 0 || real_ns < q->since_ns)
		return 0;
	return (real_ns - q->since_ns) / OW_NS_PER_US;
}
