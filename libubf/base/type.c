/* SPDX-License-Identifier: Apache-2.0 */
/*
 * type.c - field types, the upper part of field ids
 */
#include "libubf/base/type.h"

#include <errno.h>
#include <string.h>

#include "libubf/base/error.h"

const struct ow_ubf_type ow_ubf_types[BFLD_MAX + 1] = {
	[BFLD_SHORT] = { "short", sizeof(short), 1 },
	[BFLD_LONG] = { "long", sizeof(long), 1 },
	[BFLD_CHAR] = { "char", 1, 1 },
	[BFLD_FLOAT] = { "float", sizeof(float), 1 },
	[BFLD_DOUBLE] = { "double", sizeof(double), 1 },
	[BFLD_STRING] = { "string", 0, 1 },
	[BFLD_CARRAY] = { "carray", 0, 1 },
	[BFLD_INT] = { "int", sizeof(int), 0 },
	[BFLD_RFU0] = { "rfu0", 0, 0 },
	[BFLD_PTR] = { "ptr", sizeof(void *), 1 },
	[BFLD_UBF] = { "ubf", 0, 1 },
	[BFLD_VIEW] = { "view", 0, 1 },
};

int ow_ubf_type_by_name(const char *name)
{
	static const struct {
		const char *name;
		int type;
	} others[] = {
		{ "fml32", BFLD_UBF },
		{ "mbstring", BFLD_CARRAY }, /* its bytes */
		{ "ubf32", BFLD_UBF },
		{ "view32", BFLD_VIEW },
	};
	int t;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strcmp(name, others[i].name) == 0)
			return others[i].type;
	}
	for (t = BFLD_MIN; t <= BFLD_MAX; t++) {
		if (ow_ubf_types[t].in_buffer &&
		    strcmp(name, ow_ubf_types[t].name) == 0)
			return t;
	}
	return -ENOENT;
}

BFLDID Bmkfldid(int fldtype, BFLDID bfldid)
{
	ow_ubf_clear();
	if (fldtype < BFLD_MIN || fldtype > BFLD_MAX) {
		ow_ubf_fail(BTYPERR, "%d is not a field type", fldtype);
		return BBADFLDID;
	}
	if (bfldid < 1 || bfldid > OW_UBF_NUMBER_MAX) {
		ow_ubf_fail(BBADFLD, "field number %d is not in 1..%d", bfldid,
			    OW_UBF_NUMBER_MAX);
		return BBADFLDID;
	}
	return fldtype << OW_UBF_TYPE_SHIFT | bfldid;
}

int Bfldtype(BFLDID bfldid)
{
	ow_ubf_clear();
	return (int)ow_ubf_id_type(bfldid);
}

BFLDOCC Bfldno(BFLDID bfldid)
{
	ow_ubf_clear();
	return bfldid & OW_UBF_NUMBER_MAX;
}

char *Btype(BFLDID bfldid)
{
	unsigned int type = ow_ubf_id_type(bfldid);

	ow_ubf_clear();
	if (type > BFLD_MAX || type == BFLD_RFU0)
		return ow_ubf_fail_null(BTYPERR, "field id %d has the type %u",
					bfldid, type);
	return (char *)ow_ubf_types[type].name;
}
