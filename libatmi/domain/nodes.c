/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes.c - what a bridge shows of the other nodes of its cluster
 */
#include "libatmi/domain/nodes.h"

#include <stdlib.h>
#include <string.h>

static const struct ow_snapshot_kind kind = {
	.name = "nodes",
	.magic = UINT64_C(0x3553444e574f), /* "OWNDS5" */
	.size = sizeof(struct ow_nodes_snapshot),
};

int ow_nodes_open(const struct ow_domain *d, uint32_t srvid,
		  struct ow_nodes_snapshot **ret)
{
	return ow_snapshot_open(d, &kind, srvid, ret);
}

void ow_nodes_begin(struct ow_nodes_snapshot *p)
{
	ow_snapshot_begin(&p->head, &kind);
}

void ow_nodes_end(struct ow_nodes_snapshot *p)
{
	ow_snapshot_end(&p->head);
}

void ow_nodes_close(struct ow_nodes_snapshot *p)
{
	ow_snapshot_close(p != NULL ? &p->head : NULL, &kind);
}

const char *ow_nodes_cut_text(uint32_t cut)
{
	static const char *const texts[OW_NODES_CUT_END] = {
		[OW_NODES_CUT_ROWS] = "it has invented too many bridges",
		[OW_NODES_CUT_CREDIT] = "it sends without credit",
		[OW_NODES_CUT_RATE] = "it floods us with heartbeats, "
				      "advertisements, pings or garbage",
	};

	return cut > OW_NODES_CUT_NONE && cut < OW_NODES_CUT_END ? texts[cut]
								 : "";
}

bool ow_nodes_is_bridge(const char bin[64])
{
	return strncmp(bin, "ndrxbridge", 64) == 0 ||
	       strncmp(bin, "tpbridge", 64) == 0;
}

struct ow_nodes_snapshot *ow_nodes_read(const struct ow_domain *d,
					uint32_t srvid)
{
	struct ow_nodes_snapshot *p = ow_snapshot_read(d, &kind, srvid);

	if (p == NULL ||
	    (p->links <= OW_NODES_LINKS && p->offers <= OW_NODES_OFFERS &&
	     p->times <= OW_NODES_TIMES))
		return p;
	free(p);
	return NULL;
}

uint64_t ow_nodes_placed_ns(const struct ow_domain *d, uint32_t srvid)
{
	struct ow_nodes_snapshot *p = ow_nodes_read(d, srvid);
	uint64_t ns = p != NULL ? atomic_load(&p->placed_ns) : 0;

	free(p);
	return ns;
}
