/* SPDX-License-Identifier: Apache-2.0 */
/*
 * field.c - a view as the value of a field
 */
#include "libubf/viewdef/field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/viewdef/mem.h"
#include "libubf/viewdef/registry.h"

#define HEAD sizeof(struct ow_ubf_view)

static const struct ow_ubf_view *head_of(struct ow_ubf_val v)
{
	return v.data;
}

static char *data_of(struct ow_ubf_val v)
{
	return (char *)v.data + HEAD;
}

int ow_ubf_view_gather(const BVIEWFLD *f, void **ret_copy,
		       struct ow_ubf_val *ret_val)
{
	const struct ow_view *view = NULL;
	struct ow_ubf_view *h;
	size_t len = 0;
	int r;

	if (strnlen(f->vname, sizeof(f->vname)) == sizeof(f->vname))
		return -EINVAL;
	if (f->vname[0] != '\0') {
		r = ow_view_find(f->vname, &view);
		if (r < 0)
			return r == -ENOMEM ? r : -ENXIO;
		if (f->data == NULL)
			return -EINVAL;
		len = view->size;
	}
	h = calloc(1, HEAD + len);
	if (h == NULL)
		return -ENOMEM;
	strcpy(h->name, f->vname);
	h->vflags = f->vflags;
	if (view != NULL) {
		h->cksum = view->cksum;
		ow_view_copy_clean(view, (char *)(h + 1), f->data);
	}
	*ret_copy = h;
	*ret_val = (struct ow_ubf_val){ h, HEAD + len };
	return 0;
}

/* Whether the value has the size and checksum of its view; true if the view is
 * unknown. */
static int agrees(struct ow_ubf_val v, const struct ow_view **ret_view)
{
	const struct ow_view *view;

	*ret_view = NULL;
	if (head_of(v)->name[0] == '\0')
		return v.len == HEAD;
	if (ow_view_find(head_of(v)->name, &view) < 0)
		return 1;
	*ret_view = view;
	return ow_ubf_view_len(v) == view->size &&
	       head_of(v)->cksum == view->cksum;
}

int ow_ubf_view_check(struct ow_ubf_val v)
{
	const struct ow_view *view;

	if (v.len < HEAD ||
	    strnlen(head_of(v)->name, NDRX_VIEW_NAME_LEN + 1) >
		    NDRX_VIEW_NAME_LEN)
		return -EBADMSG;
	return agrees(v, &view) ? 0 : -EBADMSG;
}

int ow_ubf_view_open(struct ow_ubf_val v, BVIEWFLD *ret_field,
		     const struct ow_view **ret_view)
{
	if (!agrees(v, ret_view))
		return -ENXIO;
	ret_field->vflags = head_of(v)->vflags;
	memcpy(ret_field->vname, head_of(v)->name, sizeof(ret_field->vname));
	ret_field->data = v.len > HEAD ? data_of(v) : NULL;
	return 0;
}

int ow_ubf_view_export(struct ow_ubf_val v, BVIEWFLD *to, BFLDLEN *buflen)
{
	const struct ow_view *view;
	size_t len = ow_ubf_view_len(v);
	BVIEWFLD f;

	if (ow_ubf_view_open(v, &f, &view) < 0)
		return -ENXIO;
	if (buflen != NULL) {
		if (*buflen < 0 || (size_t)*buflen < len)
			return -ENOSPC;
		*buflen = (BFLDLEN)len;
	}
	if (len > 0) {
		if (to->data == NULL)
			return -EINVAL;
		memcpy(to->data, f.data, len);
	}
	to->vflags = f.vflags;
	memcpy(to->vname, f.vname, sizeof(f.vname));
	return 0;
}

int ow_ubf_view_compare(struct ow_ubf_val a, struct ow_ubf_val b)
{
	const struct ow_view *view, *other;
	size_t n = a.len < b.len ? a.len : b.len;
	int r = strcmp(head_of(a)->name, head_of(b)->name);

	if (r == 0 && agrees(a, &view) && agrees(b, &other) && view != NULL)
		return ow_view_compare(view, data_of(a), data_of(b));
	if (r == 0)
		r = memcmp(data_of(a), data_of(b), n - HEAD);
	if (r == 0)
		return (a.len > b.len) - (a.len < b.len);
	return r < 0 ? -1 : 1;
}
