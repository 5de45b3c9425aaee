/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_json.c - fuzz the JSON that tpjsontoubf() and tpimport() read
 *
 * The buffer must stay valid. It is written, read and written, which rounds
 * reals to six decimals; from then on the text must stay the same. Fields are
 * named by number, since there is no table.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <atmi.h>
#include <ubf.h>

#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/json/ubf.h"

#define SIZE 16384

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	setenv("FLDTBLDIR", "/nowhere", 1);
	setenv("FIELDTBLS", "none", 1);
	setenv("NDRX_APIFLAGS", "ubf_ptrparse", 1);
	return 0;
}

static void read_written(const struct ow_json_out *from, UBFH *q,
			 struct ow_json_out *to)
{
	char error[OW_JSON_ERROR_MAX];

	must(Binit(q, 2 * SIZE) == 0);
	must(ow_json_to_ubf(q, from->text, from->len, error) == 0);
	to->len = 0;
	must(ow_json_from_ubf(to, q, error) == 0);
}

static void again(UBFH *p, UBFH *q)
{
	struct ow_json_out a = { .grows = true }, b = { .grows = true };
	char error[OW_JSON_ERROR_MAX];
	int r = ow_json_from_ubf(&a, p, error);

	/* Infinity: a number with a large exponent. */
	must(r == 0 || r == -EILSEQ);
	if (r == 0) {
		read_written(&a, q, &b);
		read_written(&b, q, &a);
		must(a.len == b.len && memcmp(a.text, b.text, a.len) == 0);
	}
	free(a.text);
	free(b.text);
}

static void export_again(char *data, long len)
{
	static char text[1 << 20];
	long olen = sizeof(text);
	char *copy = NULL;

	if (tpexport(data, len, text, &olen, TPEX_STRING) != 0)
		return;
	must(tpimport(text, olen, &copy, &len, TPEX_STRING) == 0);
	tpfree(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	UBFH *p = Balloc(100, SIZE), *q = Balloc(200, 2 * SIZE);
	char *text = malloc(size + 1), *buf = NULL;
	char error[OW_JSON_ERROR_MAX];
	long len = 0;

	memcpy(text, data, size);
	text[size] = '\0';
	if (ow_json_to_ubf(p, text, size, error) == 0)
		again(p, q);
	must(ow_ubf_check(p, ow_ubf_used(p)) == 0);
	must(ow_ubf_check(q, ow_ubf_used(q)) == 0);
	if (tpimport(text, (long)size, &buf, &len, 0) == 0)
		export_again(buf, len);
	tpfree(buf);
	free(text);
	Bfree(p);
	Bfree(q);
	return 0;
}
