/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpputfields.c - a UBF buffer of an array of fields, as large as it takes
 */
#include <string.h>
#include <tpbind.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"

#define BASE  1024L /* of an empty buffer, and more */
#define ENTRY 32L   /* of a value beside its bytes */
#define MOST  (1L << 30)

static long estimate(const struct Bfield *fields, int n)
{
	long size = BASE;
	int i;

	for (i = 0; i < n; i++)
		if (fields[i].len >= 0 && fields[i].len < MOST && size < MOST)
			size += fields[i].len + ENTRY;
	return size;
}

/* Have a buffer of at least `size` bytes: 0, or -1 with tperrno. */
static int make_room(char **data, long size)
{
	char *b;

	if (*data != NULL && Bsizeof((UBFH *)*data) >= size)
		return 0;
	b = *data == NULL ? tpalloc("UBF", NULL, size)
			  : tprealloc(*data, size);
	if (b == NULL)
		return -1;
	*data = b;
	return 0;
}

int tpputfields(char **data, const struct Bfield *fields, int n, int *bad)
{
	struct ow_buf_info info;
	long size;

	ow_tp_clear();
	if (bad != NULL)
		*bad = -1;
	if (data == NULL || n < 0 || (fields == NULL && n > 0))
		return ow_tp_fail(TPEINVAL, "no place for a buffer, or no "
				  "array of %d fields", n);
	if (*data != NULL && (ow_buf_find(*data, &info) != 0 ||
			      info.type != OW_BUF_UBF))
		return ow_tp_fail(TPEINVAL, "*data %p is not a UBF buffer of "
				  "tpalloc()", (void *)*data);
	for (size = estimate(fields, n); size <= MOST; size *= 2) {
		if (make_room(data, size) != 0)
			return -1;
		if (Bputfields((UBFH *)*data, fields, n, bad) == 0)
			return 0;
		if (Berror != BNOSPACE)
			return ow_tp_fail(TPEINVAL, "%s", Bstrerror(Berror));
	}
	return ow_tp_fail(TPELIMIT, "a buffer of more than %ld bytes", MOST);
}
