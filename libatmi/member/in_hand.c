/* SPDX-License-Identifier: Apache-2.0 */
/*
 * in_hand.c - look at the request that a living server has in hand
 */
#include "libatmi/member/in_hand.h"

#include <stdatomic.h>
#include <string.h>

#include "libatmi/domain/prc.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/transport.h"
#include "libatmi/wire/msg.h"

/* The header of its in-flight record, or NULL. */
static const struct ow_msg *record_of(struct ow_domain *d, uint32_t srvid)
{
	const struct ow_srv *s = &d->tables->srv[srvid];
	uint64_t ref;

	if (d->transport->recorded != NULL)
		return d->transport->recorded(d, srvid);
	if (d->blocks == NULL)
		return NULL;
	ref = ow_blocks_taken(d->blocks,
			      ow_prc_find(d->tables, atomic_load(&s->pid),
					  atomic_load(&s->start)));
	return ref != 0 ? ow_block_msg(d->blocks, ref) : NULL;
}

static bool has_threads(const struct ow_tables *t, uint32_t srvid)
{
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (atomic_load(&t->srv[id].of) == srvid &&
		    atomic_load(&t->srv[id].pid) != 0)
			return true;
	return false;
}

/* Blocks belong to the process: which one is that of the main thread, if there
 * are others, is not known. */
static uint64_t deadline_of(struct ow_domain *d, uint32_t srvid)
{
	const struct ow_msg *m = record_of(d, srvid);
	struct ow_msg copy;

	if (m == NULL ||
	    (d->transport->recorded == NULL && has_threads(d->tables, srvid)))
		return OW_DEADLINE_NEVER;
	copy = *m;
	if (copy.magic != OW_MSG_MAGIC || copy.kind != OW_MSG_REQUEST)
		return OW_DEADLINE_NEVER;
	return copy.deadline_ns;
}

enum ow_in_hand_result ow_in_hand(struct ow_domain *d, uint32_t srvid,
				  struct ow_in_hand_view *ret)
{
	struct ow_tables *t = d->tables;
	const struct ow_srv *s = &t->srv[srvid];
	uint32_t row, svc;

	memset(ret, 0, sizeof(*ret));
	ret->since_ns = atomic_load(&s->cur_since);
	row = atomic_load(&s->cur_adv);
	if (atomic_load(&s->state) != OW_SRV_BUSY || row == 0 ||
	    row > OW_ADV_MAX)
		return OW_IN_HAND_NONE;
	svc = atomic_load(&ow_tables_adv(t, srvid)[row - 1].svc);
	if (svc != 0 && svc <= OW_SVC_MAX)
		memcpy(ret->service, t->svc[svc - 1].name, OW_SVC_NAME - 1);
	ret->deadline_ns = deadline_of(d, srvid);
	return atomic_load(&s->cur_since) == ret->since_ns ? OW_IN_HAND_ONE
							   : OW_IN_HAND_NONE;
}
