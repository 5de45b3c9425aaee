/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ubf.c - JSON into a UBF buffer
 *
 * A state machine that takes one event at a time. Each open buffer has a frame;
 * the top frame has the field of the last key and the number of its next
 * occurrence. An embedded buffer is read into separate memory, as large as the
 * buffer around it; the frame keeps that memory for the next embedded buffer.
 * Of values of unknown fields only the nesting is counted.
 */
#include "libubf/json/ubf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libubf/base/apiflag.h"
#include "libubf/base/cleanup.h"
#include "libubf/tables/fldtbl.h"
#include "libubf/json/value.h"
#include "libubf/json/view.h"
#include "libubf/access/value.h"
#include "libubf/viewdef/field.h"

#define NOWHERE UINT32_MAX

/* Messages about field tables are passed on unchanged. */
_Static_assert(OW_JSON_ERROR_MAX >= OW_TABFILE_ERROR_MAX, "room for both");

struct frame {
	struct Ubfh *ub;
	BFLDID id;	/* of the last key; BBADFLDID: ignore its value */
	BFLDOCC occ;	/* of the next value */
	uint32_t last;	/* rank of the value before it, if that was added
			 * behind all others; else NOWHERE */
	bool array;	/* in an array of its values */
	void *mem;	/* for embedded buffers */
	size_t size;
};

struct ow_json_reader {
	const struct ow_fldtbl *names;	/* NULL: not needed yet */
	struct ow_json_value value;
	struct ow_json_view *view;	/* if set, it takes the events, */
	void *pointee;			/* else this reader of `pointers` */
	const struct ow_json_pointers *pointers;
	int depth;	/* of the top frame; -1: no event yet */
	int skip;	/* open arrays and objects of an ignored value */
	char *error;
	struct frame frames[OW_UBF_DEPTH_MAX + 1];
};

static int wrong(struct ow_json_reader *r, const char *what)
{
	const struct frame *f = &r->frames[r->depth];
	const char *name = NULL;

	if (r->names != NULL)
		name = ow_fldtbl_name(r->names, f->id);
	if (name != NULL)
		snprintf(r->error, OW_JSON_ERROR_MAX, "field %s: %s", name,
			 what);
	else
		snprintf(r->error, OW_JSON_ERROR_MAX, "field %d: %s", f->id,
			 what);
	return -EBADMSG;
}

/* ---- names ---- */

/* The id in ((BFLDID32)number), written for fields without a name. */
static BFLDID number_name(const char *name)
{
	int id, end = 0;

	if (sscanf(name, "((BFLDID32)%9d)%n", &id, &end) != 1 || end == 0 ||
	    name[end] != '\0' || !ow_ubf_id_ok(id))
		return BBADFLDID;
	return id;
}

static int find_name(struct ow_json_reader *r, const struct ow_json_event *ev,
		     BFLDID *ret_id)
{
	char name[UBFFLDMAX + 1];

	*ret_id = BBADFLDID;
	if (ow_json_name(ev, name, sizeof(name)) < 0)
		return 0;
	if (name[0] == '(') {
		*ret_id = number_name(name);
		return 0;
	}
	if (r->names == NULL) {
		int res = ow_fldtbl_get(&r->names, r->error);

		if (res < 0)
			return res == -ENOMEM ? res : -EIO;
	}
	*ret_id = ow_fldtbl_id_now(&r->names, name);
	return 0;
}

static int take_key(struct ow_json_reader *r, const struct ow_json_event *ev)
{
	struct frame *f = &r->frames[r->depth];

	f->occ = 0;
	f->last = NOWHERE;
	f->array = false;
	return find_name(r, ev, &f->id);
}

/* ---- values ---- */

/* Whether the next value goes behind all others. Text from tpubftojson() has
 * its fields in order: then nothing needs to be searched. */
static bool goes_last(const struct frame *f)
{
	uint32_t count = ow_ubf_count(f->ub);

	if (f->occ > 0)
		return f->last != NOWHERE && f->last == count - 1;
	return count == 0 || ow_ubf_id_at(f->ub, count - 1) < f->id;
}

static int store(struct ow_json_reader *r, struct ow_ubf_val v)
{
	struct frame *f = &r->frames[r->depth];
	int res;

	if (goes_last(f)) {
		res = ow_ubf_add(f->ub, f->id, v);
		f->last = ow_ubf_count(f->ub) - 1;
	} else {
		res = ow_ubf_chg_value(f->ub, f->id, f->occ, v);
		f->last = NOWHERE;
	}
	f->occ++;
	return res;
}

static int take_scalar(struct ow_json_reader *r,
		       const struct ow_json_event *ev)
{
	struct frame *f = &r->frames[r->depth];
	unsigned int type = ow_ubf_id_type(f->id);
	struct ow_ubf_conv c;
	int res;

	if (f->id == BBADFLDID)
		return 0;
	if (ev->kind == OW_JSON_NULL ||
	    (type == BFLD_PTR && !ow_apiflag("ubf_ptrparse"))) {
		f->occ++;	/* the occurrence keeps its value */
		f->last = NOWHERE;
		return 0;
	}
	res = ow_json_value(&r->value, ev, type, &c);
	if (res == -EBADMSG)
		return wrong(r, r->value.why);
	return res < 0 ? res : store(r, c.val);
}

/* ---- embedded buffers ---- */

static int push(struct ow_json_reader *r)
{
	struct frame *up = &r->frames[r->depth], *f = up + 1;
	void *mem;

	if (r->depth == OW_UBF_DEPTH_MAX)
		return wrong(r, "buffers are nested too deep");
	if (f->size < up->ub->size) {
		mem = malloc(up->ub->size);
		if (mem == NULL)
			return -ENOMEM;
		free(f->mem);
		f->mem = mem;
		f->size = up->ub->size;
	}
	f->ub = f->mem;
	(void)ow_ubf_init(f->ub, up->ub->size);
	f->id = BBADFLDID;
	f->array = false;
	r->depth++;
	return 0;
}

/* Add the embedded buffer to the one around it, without its spare slots. */
static int pop(struct ow_json_reader *r)
{
	struct Ubfh *ub = r->frames[r->depth].ub;
	struct ow_ubf_val v;
	int res = 0;

	if (r->depth == 0)
		return 1;
	if (ow_ubf_live(ub) < ub->used)
		res = ow_ubf_compact(ub, NULL);
	r->depth--;
	if (res == 0)
		res = ow_ubf_measure(BFLD_UBF, (const char *)ub, 0, &v);
	return res < 0 ? res : store(r, v);
}

/* ---- views ---- */

static int push_view(struct ow_json_reader *r, const struct ow_json_event *ev)
{
	int res = ow_json_view_open(r->error, &r->view);

	return res < 0 ? res : ow_json_view_event(r->view, ev);
}

static int pop_view(struct ow_json_reader *r)
{
	OW_CLEANUP(ow_cleanup_freep) void *copy = NULL;
	const struct ow_view *view;
	BVIEWFLD f = { 0 };
	struct ow_ubf_val v;
	int res;

	f.data = (char *)ow_json_view_result(r->view, &view);
	if (view != NULL)
		snprintf(f.vname, sizeof(f.vname), "%s", ow_view_name(view));
	res = ow_ubf_view_gather(&f, &copy, &v);
	if (res == 0)
		res = store(r, v);
	ow_json_view_closep(&r->view);
	return res == -ENXIO || res == -EINVAL ? wrong(r, "no such view")
					       : res;
}

static int in_view(struct ow_json_reader *r, const struct ow_json_event *ev)
{
	int res = ow_json_view_event(r->view, ev);

	if (res == 1)
		return pop_view(r);
	return res == -ENXIO ? -EBADMSG : res;
}

/* ---- what pointers point to ---- */

static void close_pointee(struct ow_json_reader *r)
{
	if (r->pointee != NULL)
		r->pointers->close(r->pointee);
	r->pointee = NULL;
}

static int in_pointee(struct ow_json_reader *r, const struct ow_json_event *ev)
{
	void *to = NULL;
	int res = r->pointers->event(r->pointee, ev, &to);

	if (res != 1)
		return res;
	close_pointee(r);
	res = store(r, (struct ow_ubf_val){ &to, sizeof(to) });
	if (res < 0)
		r->pointers->drop(to);
	return res;
}

static int push_pointee(struct ow_json_reader *r,
			const struct ow_json_event *ev)
{
	int res = r->pointers->open(r->pointers->ctx, &r->pointee);

	return res < 0 ? res : in_pointee(r, ev);
}

static int take_object(struct ow_json_reader *r,
		       const struct ow_json_event *ev)
{
	struct frame *f = &r->frames[r->depth];

	if (f->id == BBADFLDID) {
		r->skip = 1;
		return 0;
	}
	if (ow_ubf_id_type(f->id) == BFLD_VIEW)
		return push_view(r, ev);
	if (ow_ubf_id_type(f->id) == BFLD_PTR && r->pointers != NULL)
		return push_pointee(r, ev);
	if (ow_ubf_id_type(f->id) != BFLD_UBF)
		return wrong(r, "an object, where the field is no buffer");
	return push(r);
}

static int take_array(struct ow_json_reader *r)
{
	struct frame *f = &r->frames[r->depth];

	if (f->id == BBADFLDID) {
		r->skip = 1;
		return 0;
	}
	if (f->array)
		return wrong(r, "an array in an array");
	f->array = true;
	return 0;
}

/* ---- the machine ---- */

static int begin(struct ow_json_reader *r, const struct ow_json_event *ev)
{
	if (ev->kind == OW_JSON_OBJECT) {
		r->depth = 0;
		return 0;
	}
	snprintf(r->error, OW_JSON_ERROR_MAX,
		 "a buffer is an object: {\"FIELD\":value, ...}");
	return -EBADMSG;
}

/* Ignore an event of an ignored value. */
static int ignore(struct ow_json_reader *r, const struct ow_json_event *ev)
{
	if (ev->kind == OW_JSON_OBJECT || ev->kind == OW_JSON_ARRAY)
		r->skip++;
	if (ev->kind == OW_JSON_OBJECT_END || ev->kind == OW_JSON_ARRAY_END)
		r->skip--;
	return 0;
}

int ow_json_reader_event(struct ow_json_reader *r,
			 const struct ow_json_event *ev)
{
	if (r->depth < 0)
		return begin(r, ev);
	if (r->skip > 0)
		return ignore(r, ev);
	if (r->view != NULL)
		return in_view(r, ev);
	if (r->pointee != NULL)
		return in_pointee(r, ev);
	switch (ev->kind) {
	case OW_JSON_KEY:
		return take_key(r, ev);
	case OW_JSON_OBJECT:
		return take_object(r, ev);
	case OW_JSON_OBJECT_END:
		return pop(r);
	case OW_JSON_ARRAY:
		return take_array(r);
	case OW_JSON_ARRAY_END:
		r->frames[r->depth].array = false;
		return 0;
	default:
		return take_scalar(r, ev);
	}
}

int ow_json_reader_open(UBFH *p_ub, char *error,
			struct ow_json_reader **ret_reader)
{
	struct ow_json_reader *r;

	error[0] = '\0';
	if (!ow_ubf_is(p_ub)) {
		snprintf(error, OW_JSON_ERROR_MAX, "not a UBF buffer");
		return -EINVAL;
	}
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	r->depth = -1;
	r->error = error;
	r->frames[0].ub = p_ub;
	r->value.escape = ow_apiflag("json_escape");
	*ret_reader = r;
	return 0;
}

void ow_json_reader_pointers(struct ow_json_reader *r,
			     const struct ow_json_pointers *pointers)
{
	r->pointers = pointers;
}

void ow_json_reader_closep(struct ow_json_reader **rp)
{
	struct ow_json_reader *r = *rp;
	int i;

	if (r == NULL)
		return;
	for (i = 1; i <= OW_UBF_DEPTH_MAX; i++)
		free(r->frames[i].mem);
	ow_json_view_closep(&r->view);
	close_pointee(r);
	free(r->value.text);
	free(r);
	*rp = NULL;
}

static int take_event(void *ctx, const struct ow_json_event *ev)
{
	int r = ow_json_reader_event(ctx, ev);

	return r > 0 ? 0 : r;
}

int ow_json_to_ubf(UBFH *p_ub, const char *text, size_t len, char *error)
{
	OW_CLEANUP(ow_json_reader_closep) struct ow_json_reader *r = NULL;
	int res = ow_json_reader_open(p_ub, error, &r);

	if (res < 0)
		return res;
	return ow_json_parse(text, len, take_event, r, error);
}
