/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - an event of ndrxd in a record of the black box
 */
#include "libndrx/blackbox/event.h"

#include <stdlib.h>
#include <string.h>

#include "libatmi/base/masked.h"
#include "libubf/base/printable.h"

static void put_text(struct ow_bb_bytes *b, const char *text)
{
	size_t n = strlen(text);

	ow_bb_put_number(b, n);
	ow_bb_put_bytes(b, text, n);
}

void ow_bb_put_event(struct ow_bb_bytes *b, const struct ow_event *e)
{
	char *clean = ow_masked(e->text);

	ow_bb_put_number(b, e->number + 1);
	ow_bb_put_number(b, e->real_ns);
	ow_bb_put_number(b, e->mono_ns);
	ow_bb_put_number(b, e->kind);
	ow_bb_put_number(b, e->about);
	ow_bb_put_number(b, e->srvid);
	ow_bb_put_number(b, (uint32_t)e->pid);
	ow_bb_put_number(b, e->state);
	ow_bb_put_number(b, e->depth);
	put_text(b, e->who);
	put_text(b, clean != NULL ? clean : "");
	free(clean);
}

static void get_text(struct ow_bb_rest *r, char *buf, size_t size)
{
	uint64_t n = ow_bb_get_number(r);
	const void *p = ow_bb_get_bytes(r, n);

	if (n >= size)
		n = size - 1;
	if (p != NULL)
		memcpy(buf, p, n);
	ow_printable(buf);
}

bool ow_bb_get_event(struct ow_bb_rest *r, struct ow_event *ret)
{
	if (r->failed || r->p == r->end)
		return false;
	memset(ret, 0, sizeof(*ret));
	ret->number = ow_bb_get_number(r) - 1;
	ret->real_ns = ow_bb_get_number(r);
	ret->mono_ns = ow_bb_get_number(r);
	ret->kind = (uint32_t)ow_bb_get_number(r);
	ret->about = (uint32_t)ow_bb_get_number(r);
	ret->srvid = (uint32_t)ow_bb_get_number(r);
	ret->pid = (int32_t)ow_bb_get_number(r);
	ret->state = (uint32_t)ow_bb_get_number(r);
	ret->depth = (uint32_t)ow_bb_get_number(r);
	get_text(r, ret->who, sizeof(ret->who));
	get_text(r, ret->text, sizeof(ret->text));
	return !r->failed;
}
