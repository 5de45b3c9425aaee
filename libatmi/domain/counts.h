/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counts.h - what programs of the domain have done since it began
 *
 * The figures of class T_MACHINE (doc/design/mib.md). Each client slot has a row
 * of them, which is not cleared when the slot gets another owner: it goes on
 * from what it was. So the owner alone writes it, with plain stores, no figure is
 * ever moved, and a killed process takes nothing along. A figure is the sum of
 * all rows and of the shards, for contexts that have no slot.
 */
#ifndef OW_DOMAIN_COUNTS_H
#define OW_DOMAIN_COUNTS_H

#include <stdatomic.h>
#include <stdint.h>

/* In the order of the fields of T_MACHINE. */
enum ow_done {
	OW_DONE_REQUEST, /* sent by tpcall(), tpacall() */
	OW_DONE_POST,
	OW_DONE_BEGIN, /* of a transaction, also for a service (autotran) */
	OW_DONE_ABORT,
	OW_DONE_COMMIT,
	OW_DONE_ENQUEUE,
	OW_DONE_DEQUEUE,
	OW_DONE_KINDS
};

struct ow_done_row {
	_Alignas(64) _Atomic uint64_t n[OW_DONE_KINDS]; /* by the owner of the
							   slot */
};

/* A context without a slot (it has made one-way calls only) adds to one of these,
 * by a locked instruction on a line of memory that few write to. */
#define OW_DONE_SHARDS 64u
struct ow_done_shard {
	_Alignas(64) _Atomic uint64_t n[OW_DONE_KINDS];
};

#endif
