/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_server.c - put the shared state of a dead server in order
 */
#include <errno.h>
#include <stdatomic.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/lost.h"
#include "libatmi/member/reap.h"
#include "libatmi/member/refuse.h"
#include "libatmi/reply/reply.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/record.h"
#include "libatmi/transport/transport.h"

static void clear(struct ow_msg *record)
{
	OW_FAULT("reap_server.record");
	record->magic = 0;
}

/* Refuse the request on record of a dead server with this process slot, if
 * any, or postpone the refusal. Lock held. True: the request may be on record in
 * a block now. */
static bool refuse_recorded(struct ow_domain *d, uint32_t srvid, uint32_t prc)
{
	struct ow_msg *record, m;
	struct ow_envelope e;
	size_t len;

	if (d->transport->recorded == NULL)
		return false;
	record = d->transport->recorded(d, srvid);
	m = *record;
	if (m.magic != OW_MSG_MAGIC)
		return false;
	len = sizeof(m) + (m.block == 0 ? m.len : 0);
	if (ow_msg_check(&m, len) != 0 || m.kind != OW_MSG_REQUEST) {
		record->magic = 0;
		return false;
	}
	if (m.block != 0)
		ow_block_free(d->blocks, m.block);
	if (ow_record_was_handed_on(d, &m, prc)) {
		clear(record);
		return true;
	}
	OW_FAULT("reap_server.refuse");
	if (ow_refuse(d, &m) == OW_QUEUE_FULL) {
		ow_envelope_init(&e, &m, sizeof(m), d->blocks);
		ow_refuse_later(d, &e);
	}
	/* The record is cleared only now: if this process is killed before,
	 * the next reaper refuses again; the caller drops the second reply. */
	clear(record);
	return false;
}

static int reap_slot(struct ow_domain *d, uint32_t srvid, bool keep_queues)
{
	struct ow_tables *t = d->tables;
	uint32_t row, n, prc;
	uint64_t start;
	int32_t pid;
	bool again;

	if (srvid == 0 || srvid >= OW_SRV_MAX ||
	    ow_srv_next(t, srvid) != srvid)
		return 0;
	if (!ow_tables_reach(t, srvid))
		return -ENOMEM;
	/* Refuse the request it had in hand at once: its caller waits. */
	pid = atomic_load(&t->srv[srvid].pid);
	start = atomic_load(&t->srv[srvid].start);
	prc = ow_prc_find(t, pid, start);
	ow_reap_blocks_of(d, pid, start);
	if (ow_tables_lock(t) != 0)
		return -EBUSY;
	if (atomic_load(&t->srv[srvid].pid) != pid || pid == 0 ||
	    ow_srv_alive(t, srvid)) {
		ow_tables_unlock(t);
		return 0;
	}
	again = refuse_recorded(d, srvid, prc);
	n = atomic_load(&t->srv[srvid].nadv);
	for (row = 0; row < n && row < OW_ADV_MAX; row++)
		ow_reap_unadvertise(d, srvid, row, keep_queues);
	OW_FAULT("reap_server.clear");
	ow_srv_clear(t, srvid);
	OW_FAULT("reap_server.unlock");
	ow_tables_unlock(t);
	ow_lost_tell();
	if (again)
		ow_reap_blocks_of(d, pid, start);
	return 0;
}

/* The threads of a dead server first: while its own slot is not clear, the
 * server is found dead by the next reaper. */
int ow_reap_server(struct ow_domain *d, uint32_t srvid, bool keep_queues)
{
	struct ow_tables *t = d->tables;
	uint32_t id;
	int r;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (atomic_load(&t->srv[id].of) != srvid || srvid == 0 ||
		    atomic_load(&t->srv[id].pid) == 0)
			continue;
		r = reap_slot(d, id, keep_queues);
		if (r != 0)
			return r;
	}
	return reap_slot(d, srvid, keep_queues);
}

int ow_reap_servers(struct ow_domain *d)
{
	uint32_t id;
	int n = 0;

	for (id = ow_srv_next(d->tables, 1); id != 0;
	     id = ow_srv_next(d->tables, id + 1)) {
		if (atomic_load(&d->tables->srv[id].pid) == 0 ||
		    ow_srv_alive(d->tables, id))
			continue;
		n += ow_reap_server(d, id, false) == 0;
	}
	return n;
}
