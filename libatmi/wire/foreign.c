/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.c - a client of another node: as a number, and as a CLIENTID
 */
#include "libatmi/wire/foreign.h"

#include <stdio.h>

#define FORM "clt,@abroad,%u,%u,%u"

uint64_t ow_foreign_pack(struct ow_foreign f)
{
	return (uint64_t)(f.node & 0xff) << 48 |
	       (uint64_t)(f.slot & 0xffff) << 32 | f.gen;
}

struct ow_foreign ow_foreign_unpack(uint64_t n)
{
	return (struct ow_foreign){ .node = n >> 48 & 0xff,
				    .slot = n >> 32 & 0xffff,
				    .gen = (uint32_t)n };
}

void ow_foreign_write(struct ow_foreign f, char *buf, size_t size)
{
	snprintf(buf, size, FORM, f.slot, f.gen, f.node);
}

bool ow_foreign_read(const char *text, struct ow_foreign *ret)
{
	struct ow_foreign f;
	int end = 0;

	if (sscanf(text, FORM "%n", &f.slot, &f.gen, &f.node, &end) != 3 ||
	    text[end] != '\0' || f.node == 0 || f.node > 255 ||
	    f.slot > 0xffff)
		return false;
	*ret = f;
	return true;
}
