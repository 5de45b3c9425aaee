/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counts.h - what programs of the domain have done since it began
 *
 * The figures of class T_MACHINE (doc/design/mib.md). They lie in the head of
 * the tables.
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

/* A context adds to one of these, so that few write to the same line of memory.
 * A figure is the sum of all; a killed process takes nothing along. */
#define OW_DONE_SHARDS 64u
struct ow_done_shard {
	_Alignas(64) _Atomic uint64_t n[OW_DONE_KINDS];
};

#endif
