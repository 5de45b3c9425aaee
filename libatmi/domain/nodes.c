/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nodes.c - what a bridge shows of the other nodes of its cluster
 */
#include "libatmi/domain/nodes.h"

#include <stdlib.h>
#include <string.h>

static const struct ow_picture_kind kind = {
	.name = "nodes",
	.magic = UINT64_C(0x3353444e574f), /* "OWNDS3" */
	.size = sizeof(struct ow_nodes_picture),
};

int ow_nodes_open(const struct ow_domain *d, uint32_t srvid,
		  struct ow_nodes_picture **ret)
{
	return ow_picture_open(d, &kind, srvid, ret);
}

void ow_nodes_begin(struct ow_nodes_picture *p)
{
	ow_picture_begin(&p->head, &kind);
}

void ow_nodes_end(struct ow_nodes_picture *p)
{
	ow_picture_end(&p->head);
}

void ow_nodes_close(struct ow_nodes_picture *p)
{
	ow_picture_close(p != NULL ? &p->head : NULL, &kind);
}

bool ow_nodes_is_bridge(const char bin[64])
{
	return strncmp(bin, "ndrxbridge", 64) == 0 ||
	       strncmp(bin, "tpbridge", 64) == 0;
}

struct ow_nodes_picture *ow_nodes_read(const struct ow_domain *d,
				       uint32_t srvid)
{
	struct ow_nodes_picture *p = ow_picture_read(d, &kind, srvid);

	if (p == NULL ||
	    (p->links <= OW_NODES_LINKS && p->offers <= OW_NODES_OFFERS))
		return p;
	free(p);
	return NULL;
}
