/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - take a request of MIB(5) apart
 */
#include "libatmi/mib/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tpadm.h>

#include "libubf/base/upper.h"

static const char *const operations[] = {
	[OW_MIB_GET] = "GET",
	[OW_MIB_GETNEXT] = "GETNEXT",
	[OW_MIB_SET] = "SET",
};

long ow_mib_refuse(struct ow_mib_refusal *f, long error, BFLDID field,
		   const char *fmt, ...)
{
	va_list ap;

	f->error = error;
	f->field = field;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return error;
}

bool ow_mib_read_text(UBFH *in, BFLDID id, char buf[OW_MIB_TEXT])
{
	BFLDLEN len = OW_MIB_TEXT;

	buf[0] = '\0';
	return Bpres(in, id, 0) == 0 || Bget(in, id, 0, buf, &len) == 0;
}

/* A text that the request must have: 0, or the error. */
static long need_text(UBFH *in, BFLDID id, const char *name,
		      char buf[OW_MIB_TEXT], struct ow_mib_refusal *f)
{
	if (!ow_mib_read_text(in, id, buf))
		return ow_mib_refuse(f, TAEINVAL, id, "%s is too long", name);
	return buf[0] != '\0' ? 0
			      : ow_mib_refuse(f, TAEREQUIRED, id,
					      "%s is missing", name);
}

static long read_operation(UBFH *in, struct ow_mib_request *r,
			   struct ow_mib_refusal *f)
{
	char text[OW_MIB_TEXT];
	long e = need_text(in, OW_TA_OPERATION, "TA_OPERATION", text, f);
	size_t i;

	if (e != 0)
		return e;
	for (i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (strcmp(operations[i], text) == 0) {
			r->op = (enum ow_mib_operation)i;
			return 0;
		}
	return ow_mib_refuse(f, TAEINVAL, OW_TA_OPERATION,
			     "operation %.40s: GET, GETNEXT and SET are known",
			     text);
}

static long read_class(UBFH *in, struct ow_mib_request *r,
		       struct ow_mib_refusal *f)
{
	char text[OW_MIB_TEXT];
	long e = need_text(in, OW_TA_CLASS, "TA_CLASS", text, f);

	if (e == TAEREQUIRED && r->op == OW_MIB_GETNEXT)
		return 0; /* the cursor knows */
	if (e != 0)
		return e;
	r->class = ow_mib_class_find(text);
	return r->class != NULL
		   ? 0
		   : ow_mib_refuse(f, TAEINVAL, OW_TA_CLASS,
				   "class %.40s is not known", text);
}

/* Which fields of the class TA_FILTER names; all without one. */
static long read_filter(struct ow_mib_request *r, struct ow_mib_refusal *f)
{
	long id = 0;
	BFLDOCC i;
	int at;

	r->shown = Bpres(r->in, OW_TA_FILTER, 0) ? 0 : UINT32_MAX;
	for (i = 0; Bget(r->in, OW_TA_FILTER, i, (char *)&id, NULL) == 0;
	     i++) {
		at = ow_mib_field_find(r->class, (BFLDID)id);
		if (at < 0)
			return ow_mib_refuse(f, TAEINVAL, OW_TA_FILTER,
					     "%s has no field %ld",
					     r->class->name, id);
		r->shown |= UINT32_C(1) << at;
	}
	return 0;
}

long ow_mib_read_request(UBFH *in, struct ow_mib_request *ret,
			 struct ow_mib_refusal *f)
{
	struct ow_mib_request r = { .in = in };
	long e = read_operation(in, &r, f);
	int i;

	if (e == 0)
		e = read_class(in, &r, f);
	if (e == 0 && r.class != NULL)
		e = read_filter(&r, f);
	if (e != 0)
		return e;
	for (i = 0; r.class != NULL && r.class->fields[i].name != NULL; i++)
		if (Bpres(in, r.class->fields[i].id, 0))
			r.keys |= UINT32_C(1) << i;
	*ret = r;
	return 0;
}

void ow_mib_short_state(char state[OW_MIB_TEXT])
{
	int i;

	for (i = 0; i < 3 && state[i] != '\0'; i++)
		state[i] = ow_upper(state[i]);
	state[i] = '\0';
}

/* Is the value one of the occurrences of the field in the request? */
static bool is_wanted(UBFH *in, BFLDID id, long number, const char *text)
{
	char want[OW_MIB_TEXT];
	BFLDLEN len;
	BFLDOCC i;
	long n;

	for (i = 0;; i++) {
		len = sizeof(want);
		if (Bfldtype(id) == BFLD_LONG) {
			if (Bget(in, id, i, (char *)&n, NULL) != 0)
				return false;
			if (n == number)
				return true;
			continue;
		}
		if (Bget(in, id, i, want, &len) != 0)
			return false;
		if (id == (BFLDID)OW_TA_STATE)
			ow_mib_short_state(want);
		if (strcmp(want, text) == 0)
			return true;
	}
}

bool ow_mib_matches(const struct ow_mib_request *r,
		    const struct ow_mib_object *o)
{
	int i;

	for (i = 0; i < o->n; i++)
		if ((r->keys >> i & 1) &&
		    !is_wanted(r->in, r->class->fields[i].id, o->v[i].number,
			       o->v[i].text))
			return false;
	return true;
}
