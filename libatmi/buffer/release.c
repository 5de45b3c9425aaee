/* SPDX-License-Identifier: Apache-2.0 */
/*
 * release.c - free typed buffers, alone or with those that they point to
 *
 * Buffers can point to each other in circles. Each leaves the registry before
 * it is freed, so none is found twice.
 */
#include "libatmi/buffer/release.h"

#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/memory.h"
#include "libatmi/buffer/registry.h"
#include "libubf/store/pointers.h"

/* Take a buffer out of the registry, to be freed; NULL: it is not ours. */
static struct ow_buf *discard(char *data)
{
	if (data == NULL)
		return NULL;
	if (data == ow_reg_auto)
		ow_reg_auto = NULL;
	return ow_reg_leave(data);
}

void ow_buf_free(char *data)
{
	ow_mem_free(discard(data));
}

/* Buffers to be freed, linked by the field that linked them in the
 * registry. */
struct discarded {
	struct ow_buf *list;
	uint64_t group; /* take buffers of this group only; 0: of any */
};

static void discard_pointee(void *ctx, void **pointer)
{
	struct discarded *d = ctx;
	struct ow_buf *b;

	if (d->group != 0) {
		b = *pointer == NULL ? NULL : ow_reg_find(*pointer);
		if (b == NULL || b->group != d->group)
			return;
	}
	b = discard(*pointer);
	if (b == NULL)
		return;
	b->next = d->list;
	d->list = b;
}

/* Free the listed buffers and those that they point to. */
static void free_all(struct discarded *d)
{
	struct ow_buf *b;

	while (d->list != NULL) {
		b = d->list;
		d->list = b->next;
		if (b->type == OW_BUF_UBF)
			ow_ubf_each_pointer((UBFH *)(void *)b->key,
					    discard_pointee, d);
		ow_mem_free(b);
	}
}

void ow_buf_free_deep(char *data)
{
	struct discarded d = { .list = discard(data) };

	if (d.list == NULL)
		return;
	d.list->next = NULL;
	free_all(&d);
}

void ow_release_replaced(char *data)
{
	struct discarded d = { .list = discard(data) };

	if (d.list == NULL)
		return;
	d.group = d.list->group;
	d.list->next = NULL;
	if (d.group != 0)
		free_all(&d);
	else
		ow_mem_free(d.list);
}

void ow_release_pointees(char *data)
{
	struct discarded d = { 0 };
	struct ow_buf *b;

	b = ow_reg_find(data);
	d.group = b->group;
	if (d.group == 0)
		return;
	b->group = 0; /* it stays, even if one of them points to it */
	ow_ubf_each_pointer((UBFH *)(void *)data, discard_pointee, &d);
	free_all(&d);
}

void ow_buf_free_auto(void)
{
	if (ow_reg_auto == NULL)
		return;
	ow_release_replaced(ow_reg_auto);
	ow_reg_auto = NULL;
}
