/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.c - what a tmsrv shows of its transactions
 */
#include "libatmi/tran/shown.h"

const struct ow_snapshot_kind ow_tm_shown_kind = {
	.name = "trans",
	.magic = UINT64_C(0x314e5254574f), /* "OWTRN1" */
	.size = sizeof(struct ow_tm_shown),
};
