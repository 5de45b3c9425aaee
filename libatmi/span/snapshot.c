/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c - what the reader of spans shows of its work
 */
#include "libatmi/span/snapshot.h"

#include "libubf/base/printable.h"

const struct ow_snapshot_kind ow_span_snapshot_kind = {
	.name = "spanreader",
	.magic = UINT64_C(0x31525053574f574f),
	.size = sizeof(struct ow_span_snapshot),
};

struct ow_span_snapshot *ow_span_snapshot_get(const struct ow_domain *d)
{
	struct ow_span_snapshot *p =
	    ow_snapshot_read(d, &ow_span_snapshot_kind, 0);

	if (p == NULL)
		return NULL;
	p->to[sizeof(p->to) - 1] = '\0';
	p->error[sizeof(p->error) - 1] = '\0';
	p->metrics_to[sizeof(p->metrics_to) - 1] = '\0';
	p->metrics_error[sizeof(p->metrics_error) - 1] = '\0';
	ow_printable(p->to);
	ow_printable(p->error);
	ow_printable(p->metrics_to);
	ow_printable(p->metrics_error);
	return p;
}
