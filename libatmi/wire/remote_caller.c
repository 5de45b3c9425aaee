/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_caller.c - a client of another node: as a number, and as a CLIENTID
 */
#include "libatmi/wire/remote_caller.h"

#include <stdio.h>

#define FORM "clt,@abroad,%u,%u,%u"

uint64_t ow_remote_caller_pack(struct ow_remote_caller f)
{
	return (uint64_t)(f.node & 0xff) << 48 |
	       (uint64_t)(f.slot & 0xffff) << 32 | f.gen;
}

struct ow_remote_caller ow_remote_caller_unpack(uint64_t n)
{
	return (struct ow_remote_caller){ .node = n >> 48 & 0xff,
					  .slot = n >> 32 & 0xffff,
					  .gen = (uint32_t)n };
}

void ow_remote_caller_write(struct ow_remote_caller f, char *buf, size_t size)
{
	snprintf(buf, size, FORM, f.slot, f.gen, f.node);
}

bool ow_remote_caller_read(const char *text, struct ow_remote_caller *ret)
{
	struct ow_remote_caller f;
	int end = 0;

	if (sscanf(text, FORM "%n", &f.slot, &f.gen, &f.node, &end) != 3 ||
	    text[end] != '\0' || f.node == 0 || f.node > 255 ||
	    f.slot > 0xffff)
		return false;
	*ret = f;
	return true;
}
