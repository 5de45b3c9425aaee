/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - requests on record in blocks
 */
#include "libatmi/transport/record.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"

int ow_record_open(struct ow_domain *d, struct ow_envelope *e)
{
	struct ow_msg *head;
	uint64_t ref = 0;
	void *data;
	int r = ow_block_alloc(d->blocks, OW_MSG_SIZE_MAX - sizeof(*head), 0,
			       &ref, &data);

	if (r != 0)
		return r < 0 ? r : -ENOSPC;
	head = ow_block_msg(d->blocks, ref);
	head->magic = 0;
	OW_FAULT("record.open");
	ow_block_post(d->blocks, ref, OW_BLOCK_TAKEN);
	ow_envelope_init(e, head, OW_MSG_SIZE_MAX, d->blocks);
	e->record = ref;
	return 0;
}

/* Put a copy of the header, without its payload, on record. */
static int copy_to_record(struct ow_domain *d, const struct ow_msg *m,
			  struct ow_envelope *ret)
{
	int r = ow_record_open(d, ret);

	if (r != 0)
		return r;
	*ret->head = *m;
	ret->head->block = 0;
	ret->head->len = 0;
	ret->head->sub_len = 0;
	return 0;
}

/* Free the payload, which no process will read. */
static void drop_payload(struct ow_envelope *e)
{
	uint64_t ref = e->payload.block;

	if (e->payload.owner != OW_PAYLOAD_OWNED)
		return;
	ow_envelope_yield_block(e);
	ow_block_free(e->blocks, ref);
}

void ow_record_tell(struct ow_domain *d, const struct ow_msg *m)
{
	struct ow_tables *t = d->tables;

	if (m->clt_slot < atomic_load(&t->head->clt_high) &&
	    atomic_load(&t->clt[m->clt_slot].gen) == m->clt_gen)
		atomic_store(&t->clt[m->clt_slot].postponed, 1);
}

void ow_record_postpone(struct ow_domain *d, struct ow_envelope *e)
{
	struct ow_envelope copy = { .record = 0 };
	struct ow_msg m = *e->head;

	if (e->record == 0) {
		if (copy_to_record(d, &m, &copy) != 0)
			log_warn("client %u: its reply queue is full and %s "
				 "too: the refusal of a request is lost, the "
				 "call ends at its deadline", m.clt_slot,
				 d->shm_dir);
		ow_envelope_close(e);
		if (copy.record == 0)
			return;
		e = &copy;
	}
	drop_payload(e);
	OW_FAULT("record.postpone");
	ow_orphan_leave(d->blocks, e->record);
	e->record = 0;
	e->head = NULL;
	ow_record_tell(d, &m);
}

void ow_record_refuse(struct ow_domain *d, const struct ow_orphan *o,
		      const struct ow_msg *m, ow_refuse_fn *refuse)
{
	if (!ow_orphan_inherit(d->blocks, o, OW_BLOCK_TAKEN))
		return;
	OW_FAULT("record.refuse");
	if (!ow_deadline_passed(m->deadline_ns, ow_clock_mono_ns()) &&
	    refuse(d, m) != 0) {
		ow_orphan_leave(d->blocks, o->ref);
		ow_record_tell(d, m);
		return;
	}
	OW_FAULT("record.refused");
	if (m->block != 0 && m->block != o->ref)
		ow_block_free(d->blocks, m->block);
	ow_block_free(d->blocks, o->ref);
}

void ow_record_reclaim(struct ow_domain *d, const struct ow_orphan *o,
		       ow_refuse_fn *refuse)
{
	const struct ow_msg *head = ow_block_msg(d->blocks, o->ref);
	struct ow_msg m = { .magic = 0 };

	if (head != NULL)
		m = *head;
	if (m.magic == OW_MSG_MAGIC &&
	    ow_msg_check(&m, sizeof(m) + (m.block == 0 ? m.len : 0)) == 0) {
		if (m.kind == OW_MSG_REQUEST) {
			ow_record_refuse(d, o, &m, refuse);
			return;
		}
		if (m.block != 0)
			ow_block_free(d->blocks, m.block);
	}
	if (ow_orphan_inherit(d->blocks, o, OW_BLOCK_TAKEN))
		ow_block_free(d->blocks, o->ref);
}
