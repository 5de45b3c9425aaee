/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_fldtbl.c - fuzz a field table file
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/tables/fldtbl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ow_fldtbl_reader r = { .in.path = "fuzz.fd" };
	struct ow_fldtbl_item item;
	struct ow_fldtbl *t = NULL;
	int res;

	if (size == 0)
		return 0;
	r.in.file = fmemopen((void *)data, size, "r");
	must(r.in.file != NULL && ow_fldtbl_new(&t) == 0);
	while ((res = ow_fldtbl_next(&r, &item)) > 0) {
		if (item.text != NULL || ow_fldtbl_add(t, &r, &item) < 0)
			continue;
		must(ow_fldtbl_id(t, item.name) == item.id);
		must(strcmp(ow_fldtbl_name(t, item.id), item.name) == 0);
	}
	must(res == 0 || strncmp(r.in.error, "fuzz.fd:", 8) == 0);
	ow_fldtbl_close(&r);
	ow_fldtbl_freep(&t);
	return 0;
}
