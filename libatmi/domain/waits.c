/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waits.c - what requests of other nodes wait for, as bridges tell each other
 */
#include "libatmi/domain/waits.h"

#include <stdlib.h>

static const struct ow_snapshot_kind kind = {
	.name = "waits",
	.magic = UINT64_C(0x3153544957574f), /* "OWWITS1" */
	.size = sizeof(struct ow_waits_snapshot),
};

int ow_waits_open(const struct ow_domain *d, uint32_t srvid,
		  struct ow_waits_snapshot **ret)
{
	return ow_snapshot_open(d, &kind, srvid, ret);
}

void ow_waits_begin(struct ow_waits_snapshot *p)
{
	ow_snapshot_begin(&p->head, &kind);
}

void ow_waits_end(struct ow_waits_snapshot *p)
{
	ow_snapshot_end(&p->head);
}

void ow_waits_close(struct ow_waits_snapshot *p)
{
	ow_snapshot_close(p != NULL ? &p->head : NULL, &kind);
}

struct ow_waits_snapshot *ow_waits_read(const struct ow_domain *d,
					uint32_t srvid)
{
	struct ow_waits_snapshot *p = ow_snapshot_read(d, &kind, srvid);

	if (p == NULL || p->told_n <= OW_WAITS_SHOWN)
		return p;
	free(p);
	return NULL;
}
