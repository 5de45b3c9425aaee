/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - buffers of UBF and VIEW from JSON and back, as the library converts
 * them
 */
#include "bridge.h"

#include <atmi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#define LARGEST (64L << 20) /* of a message, too */

static int failed(struct gow_out *out)
{
	gow_failed(out);
	return -1;
}

static char *grown(char *data, long size)
{
	return data == NULL ? tpalloc((char *)"UBF", NULL, size)
			    : tprealloc(data, size);
}

static int fill_ubf(char **data, struct gow_in in, struct gow_out *out)
{
	long size = in.len * 2 + 1024;
	char *p;

	/* The request before, maybe a larger one: no room is taken for it. */
	if (*data != NULL)
		Binit((UBFH *)*data, Bsizeof((UBFH *)*data));
	for (; size <= LARGEST; size *= 2) {
		p = grown(*data, size);
		if (p == NULL)
			return failed(out);
		*data = p;
		Binit((UBFH *)p, size);
		if (tpjsontoubf((UBFH *)p, (char *)in.data) == 0)
			return 0;
		if (tperrno != TPEOS)
			return failed(out);
	}
	return failed(out);
}

int gow_fill_json(char **data, struct gow_in in, struct gow_out *out)
{
	char view[34], *made;

	if (in.kind == GOW_UBF_OF_JSON)
		return fill_ubf(data, in, out);
	made = tpjsontoview(view, (char *)in.data);
	if (made == NULL)
		return failed(out);
	tpfree(*data);
	*data = made;
	return 0;
}

static int print(char *data, char *view, char *text, long size, int notnull)
{
	if (view == NULL)
		return tpubftojson((UBFH *)data, text, (int)size);
	return tpviewtojson(data, view, text, (int)size,
			    notnull ? BVACCESS_NOTNULL : 0);
}

/* Its size; *view: the name of its view, empty if it is none. */
static long size_of(char *data, char view[XATMI_SUBTYPE_LEN + 1])
{
	char type[XATMI_TYPE_LEN + 1] = "";
	long size = tptypes(data, type, view);

	if (strncmp(type, "VIEW", 4) != 0 && strncmp(type, "X_C", 3) != 0)
		view[0] = '\0';
	return size;
}

long gow_json_into(char *data, int notnull, char *text, long size,
		   struct gow_out *out)
{
	char view[XATMI_SUBTYPE_LEN + 1] = "";

	if (size_of(data, view) < 0)
		return failed(out);
	if (print(data, view[0] != '\0' ? view : NULL, text, size,
		  notnull) == 0)
		return (long)strlen(text);
	return tperrno == TPEOS ? -2 : failed(out);
}

char *gow_json(char *data, int notnull, struct gow_out *out)
{
	char view[XATMI_SUBTYPE_LEN + 1] = "";
	long size = size_of(data, view);
	char *text = NULL, *p;

	out->err = 0;
	if (size < 0)
		return failed(out), NULL;
	for (size = size * 2 + 1024; size <= LARGEST * 4; size *= 4) {
		p = realloc(text, (size_t)size);
		if (p == NULL)
			break;
		text = p;
		if (print(data, view[0] != '\0' ? view : NULL, text, size,
			  notnull) == 0)
			return text;
		if (tperrno != TPEOS)
			break;
	}
	failed(out);
	free(text);
	return NULL;
}
