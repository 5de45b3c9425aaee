/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_export_alloc.c - export, import and messages when allocations fail
 *
 * A buffer that points to others and has a view in it is exported, imported and
 * sent; the n-th allocation fails. Every failure is TPEOS (-ENOMEM) and leaves
 * the caller's buffer unchanged; the sanitizer reports leaks.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <atmi.h>
#include <ubf.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/parts.h"
#include "tests/unit/libubf/failing_alloc.h"
#include "tests/unit/libubf/tmpdir.h"

#define ID(type, number) ((BFLDID)((type) << 25 | (number)))

static char text[65536];
static struct tmpdir dir;

static UBFH *new_ubf(void)
{
	return (UBFH *)(void *)tpalloc((char *)"UBF", NULL, 1024);
}

static void point(UBFH *from, void *to)
{
	assert_int_equal(Badd(from, ID(BFLD_PTR, 1), (char *)&to, 0), 0);
}

/* p { a view, -> q { -> "text" } } */
static char *pointing_buffer(void)
{
	UBFH *p = new_ubf(), *q = new_ubf();
	char *s = tpalloc((char *)"STRING", NULL, 20);
	BVIEWFLD f = { 0, "V", calloc(1, 100) };

	strcpy(s, "text");
	point(q, s);
	point(p, q);
	assert_int_equal(Bvsinit(f.data, f.vname), 0);
	assert_int_equal(Badd(p, ID(BFLD_VIEW, 1), (char *)&f, 0), 0);
	free(f.data);
	return (char *)p;
}

/* Run `call` with its n-th allocation failing. 0: it has fewer allocations.
 * Some may fail without harm, so success does not mean that. */
static int with_failure(long n, int (*call)(void), int *ret)
{
	int reached;

	countdown = n;
	*ret = call();
	reached = countdown < 0;
	countdown = -1;
	return reached;
}

static char *given, *mine;

static int export(void)
{
	long len = sizeof(text);

	return tpexport(given, 0, text, &len, 0);
}

static int import(void)
{
	return tpimport(text, 0, &mine, NULL, 0);
}

static void export_survives_every_failure(void **state)
{
	long n;
	int r;

	given = pointing_buffer();
	for (n = 0; with_failure(n, export, &r); n++)
		assert_true(r == 0 || tperrno == TPEOS);
	assert_int_equal(r, 0);
	assert_true(n > 0);
	tpfree(given);
}

static void import_survives_every_failure(void **state)
{
	char *was;
	long n;
	int r;

	for (n = 0;; n++) {
		mine = was = tpalloc((char *)"STRING", NULL, 20);
		strcpy(mine, "mine");
		if (!with_failure(n, import, &r))
			break;
		assert_true(r == 0 || tperrno == TPEOS);
		if (r < 0) {
			assert_ptr_equal(mine, was);
			assert_string_equal(mine, "mine");
		}
		tpfree(mine);
	}
	assert_int_equal(r, 0);
	assert_true(n > 8);
	assert_int_equal(Bnum((UBFH *)(void *)mine), 2);
	tpfree(mine);
}

static char *flat;
static size_t flat_len;

static int flatten(void)
{
	return ow_parts_flatten(given, &flat, &flat_len);
}

static int receive(void)
{
	long len;

	return ow_buf_from_wire(OW_BUF_UBF, flat, flat_len, &mine, &len);
}

static void messages_survive_every_failure(void **state)
{
	char *was;
	long n;
	int r;

	given = pointing_buffer();
	for (n = 0; with_failure(n, flatten, &r); n++)
		assert_int_equal(r, -ENOMEM);
	assert_int_equal(r, 0);
	assert_true(n > 2);
	for (n = 0;; n++) {
		mine = was = tpalloc((char *)"UBF", NULL, 2000);
		if (!with_failure(n, receive, &r))
			break;
		assert_true(r == 0 || r == -ENOMEM);
		if (r < 0) {
			assert_ptr_equal(mine, was);
			assert_int_equal(Bnum((UBFH *)(void *)mine), 0);
		}
		tpfree(mine);
	}
	assert_int_equal(r, 0);
	assert_true(n > 2);
	assert_int_equal(Bnum((UBFH *)(void *)mine), 2);
	tpfree(mine);
	tpfree(given);
	free(flat);
}

static int setup(void **state)
{
	if (tmpdir_make(&dir) < 0 ||
	    tmpdir_write(&dir, "t.v", "VIEW V\nlong a - 1 - - -\nEND\n") < 0 ||
	    tmpdir_write(&dir, "t.fd", "PTR 1 ptr\n") < 0)
		return -1;
	setenv("FLDTBLDIR", dir.path, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	setenv("VIEWDIR", dir.path, 1);
	setenv("VIEWFILES", "t.v", 1);
	return 0;
}

static int teardown(void **state)
{
	tmpdir_remove(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(export_survives_every_failure),
		cmocka_unit_test(import_survives_every_failure),
		cmocka_unit_test(messages_survive_every_failure),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
