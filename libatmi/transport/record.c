/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - requests on record in blocks
 */
#include "libatmi/transport/record.h"

#include <errno.h>
#include <stdatomic.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/domain/tables.h"

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

/* Free the payload, which no process will read. */
static void drop_payload(struct ow_envelope *e)
{
	uint64_t ref = e->payload.block;

	if (e->payload.owner != OW_PAYLOAD_OWNED)
		return;
	ow_envelope_yield_block(e);
	ow_block_free(e->blocks, ref);
}

/* A request is on record without its payload. */
static void write_request(struct ow_envelope *record, struct ow_msg head)
{
	head.magic = 0;
	head.block = 0;
	head.len = 0;
	head.sub_len = 0;
	*record->head = head;
}

/* The magic number comes last: before it the record holds nothing. */
static void validate(struct ow_envelope *record)
{
	OW_FAULT("record.magic");
	__atomic_store_n(&record->head->magic, OW_MSG_MAGIC, __ATOMIC_RELEASE);
	OW_FAULT("record.valid");
}

int ow_record_request(struct ow_domain *d, const struct ow_msg *m,
		      struct ow_envelope *ret)
{
	int r = 0;

	ret->head = NULL;
	if (d->transport->drain_into != NULL)
		r = d->transport->drain_into(d, ret);
	if (r == 0 && ret->head != NULL) {
		write_request(ret, *m);
		validate(ret);
	}
	return r;
}

void ow_record_pass_on(struct ow_msg *m, const struct ow_envelope *record)
{
	__atomic_store_n(&m->handed, record->record, __ATOMIC_RELEASE);
	OW_FAULT("record.passed");
}

void ow_record_hand_on(struct ow_domain *d, struct ow_msg *record,
		       const struct ow_envelope *e)
{
	struct ow_msg *copy = ow_block_msg(d->blocks, e->head->block);

	if (copy == record)
		return;
	*copy = *e->head;
	if (d->transport->recorded == NULL)
		ow_block_address(d->blocks, e->head->block, OW_BLOCK_HANDED);
	OW_FAULT("record.copied");
	__atomic_store_n(&record->handed, e->head->block, __ATOMIC_RELEASE);
	OW_FAULT("record.handed");
}

void ow_record_keep(struct ow_msg *record)
{
	__atomic_store_n(&record->handed, 0, __ATOMIC_RELEASE);
	OW_FAULT("record.kept");
}

bool ow_record_was_handed_on(struct ow_domain *d, const struct ow_msg *record,
			     uint32_t prc)
{
	if (record->handed == 0)
		return false;
	ow_block_withdraw(d->blocks, record->handed, prc);
	return true;
}

void ow_record_tell(struct ow_domain *d, const struct ow_msg *m)
{
	struct ow_tables *t = d->tables;

	if (ow_clt_lives(t, m->clt_slot, m->clt_gen))
		atomic_store(&t->clt[m->clt_slot].postponed, 1);
}

/* Leave the record to the sweep, and tell its caller. */
static void leave(struct ow_domain *d, struct ow_envelope *e)
{
	struct ow_msg m = *e->head;

	OW_FAULT("record.postpone");
	ow_orphan_leave(d->blocks, e->record);
	e->record = 0;
	e->head = NULL;
	OW_FAULT("record.left");
	ow_record_tell(d, &m);
}

int ow_record_postpone(struct ow_domain *d, struct ow_envelope *e)
{
	struct ow_envelope copy;
	int r;

	if (e->record != 0) {
		drop_payload(e);
		leave(d, e);
		return 0;
	}
	r = ow_record_open(d, &copy);
	if (r != 0)
		return r;
	write_request(&copy, *e->head);
	validate(&copy);
	ow_envelope_close(e);
	leave(d, &copy);
	return 0;
}

void ow_record_settle(struct ow_domain *d, const struct ow_orphan *o,
		      const struct ow_msg *m, ow_refuse_fn *settle,
		      struct ow_record_full *full)
{
	int r = OW_QUEUE_TIMEOUT;

	if (m->clt_slot == full->slot ||
	    !ow_orphan_inherit(d->blocks, o, OW_BLOCK_TAKEN))
		return;
	OW_FAULT("record.settle");
	/* A caller whose time is over waits no more; a lost one-way request is
	 * named whenever it is found. */
	if (m->cd == 0 ||
	    !ow_deadline_passed(m->deadline_ns, ow_clock_mono_ns()))
		r = settle(d, m);
	if (r == OW_QUEUE_FULL) {
		full->slot = m->clt_slot;
		ow_orphan_leave(d->blocks, o->ref);
		ow_record_tell(d, m);
		return;
	}
	OW_FAULT("record.settled");
	if (m->block != 0 && m->block != o->ref)
		ow_block_free(d->blocks, m->block);
	ow_block_free(d->blocks, o->ref);
}

/* Copy the header in a record, which is then checked: no process can change it
 * afterwards. False: it holds no request. */
static bool read_record(struct ow_domain *d, uint64_t ref, struct ow_msg *ret)
{
	const struct ow_msg *m = ow_block_msg(d->blocks, ref);

	if (m == NULL)
		return false;
	*ret = *m;
	return ow_msg_check(ret, sizeof(*ret) +
				     (ret->block == 0 ? ret->len : 0)) == 0 &&
	       ret->kind == OW_MSG_REQUEST;
}

void ow_record_reclaim(struct ow_domain *d, const struct ow_orphan *o,
		       ow_refuse_fn *settle, struct ow_record_full *full)
{
	struct ow_msg m;

	if (read_record(d, o->ref, &m) &&
	    !ow_record_was_handed_on(d, &m, o->prc))
		ow_record_settle(d, o, &m, settle, full);
	else if (ow_orphan_inherit(d->blocks, o, OW_BLOCK_TAKEN))
		ow_block_free(d->blocks, o->ref);
}
