/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - what a tmqueue shows of its queues
 */
#include "libatmi/durable/snapshot.h"

const struct ow_snapshot_kind ow_mq_snapshot_kind = {
	.name = "space",
	.magic = UINT64_C(0x31455551574f), /* "OWQUE1" */
	.size = sizeof(struct ow_mq_snapshot),
};
