/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - what a tmsrv shows of its transactions
 */
#include "libatmi/tran/snapshot.h"

const struct ow_snapshot_kind ow_tm_snapshot_kind = {
	.name = "trans",
	.magic = UINT64_C(0x324e5254574f), /* "OWTRN2" */
	.size = sizeof(struct ow_tm_snapshot),
};
