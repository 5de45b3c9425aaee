/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_alloc.c - when the n-th allocation fails, for every n
 *
 * malloc, calloc and realloc of the library are wrapped by the linker. Each
 * operation is repeated with the failure one allocation later, until it
 * succeeds. Every failure must be reported as BMALLOC and leave the buffer
 * valid and unchanged.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <stdio.h>

#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/store/layout.h"
#include "tests/unit/libubf/failing_alloc.h"
#include "tests/unit/libubf/tmpdir.h"

#define LARGE 400000	/* bytes */

/* A buffer just large enough, with holes: changes must compact it. */
static UBFH *tight(void)
{
	UBFH *p = malloc(640);
	int i;

	assert_int_equal(Binit(p, 640), 0);
	for (i = 0; Badds(p, F_STRING, (char *)"0123456789abcde") == 0; i++)
		;
	for (i = 0; i < 4; i++)
		assert_int_equal(Bdel(p, F_STRING, 2 + i), 0);
	return p;
}

/* A large buffer with holes, paged or about to become paged. */
static UBFH *large(int paged)
{
	UBFH *p = malloc(LARGE);
	int i;

	assert_non_null(p);
	assert_int_equal(Binit(p, LARGE), 0);
	for (i = 0; i < 7000; i++)
		assert_int_equal(Badds(p, paged && i % 2 ? F_STRING2 : F_STRING,
				       (char *)"0123456789abcde"), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(Bdel(p, F_STRING, 2 + i), 0);
	assert_int_equal(ow_ubf_paged(p), paged);
	return p;
}

/* Repeat `call` with a later failure each time, until it succeeds. */
static void exhaust(int (*call)(UBFH *p, UBFH *other), UBFH *p)
{
	UBFH *other = Balloc(20, 400), *was;
	long n, r, error, size = Bsizeof(p);

	assert_int_equal(Badds(other, F_LONG, (char *)"7"), 0);
	assert_int_equal(Badds(other, F_STRING, (char *)"longer than 16 bytes "
			       "each"), 0);
	for (n = 0;; n++) {
		was = malloc((size_t)size);
		assert_non_null(was);
		memcpy(was, p, (size_t)Bused(p));
		assert_int_equal(ow_ubf_adopt(was, (size_t)Bused(p),
					      (size_t)size), 0);
		countdown = n;
		r = call(p, other);
		error = Berror;
		countdown = -1;
		assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
		if (r == 0)
			break;
		assert_int_equal(error, BMALLOC);
		assert_int_equal(Bcmp(p, was), 0);
		free(was);
		assert_true(n < 100);
	}
	free(was);
	free(p);
	Bfree(other);
}

static int call_add(UBFH *p, UBFH *other)
{
	return Badds(p, F_STRING2, (char *)"0123456789abcde0123456789");
}

static int call_add_own(UBFH *p, UBFH *other)
{
	return Badd(p, F_STRING2, Bfind(p, F_STRING, 0, NULL), 0);
}

static int call_cbadd_own(UBFH *p, UBFH *other)
{
	return CBadd(p, F_CARRAY, Bfind(p, F_STRING, 0, NULL), 0,
		     BFLD_STRING);
}

static int call_change(UBFH *p, UBFH *other)
{
	return Bchgs(p, F_STRING, 0, (char *)"a value longer than sixteen");
}

static int call_change_beyond(UBFH *p, UBFH *other)
{
	return Bchgs(p, F_STRING2, 1, (char *)"a value longer than sixteen");
}

static int call_update(UBFH *p, UBFH *other)
{
	return Bupdate(p, other);
}

static int call_concat(UBFH *p, UBFH *other)
{
	return Bconcat(p, other);
}

static int call_project(UBFH *p, UBFH *other)
{
	BFLDID list[] = { F_STRING, BBADFLDID };

	return Bproj(p, list);
}

static int call_delete(UBFH *p, UBFH *other)
{
	BFLDID list[] = { F_LONG, BBADFLDID };

	int r = Bdelete(p, list);

	return r == -1 && Berror == BNOTPRES ? 0 : r;
}

static int call_find(UBFH *p, UBFH *other)
{
	return Bfinds(other, F_LONG, 0) == NULL ? -1 : 0;
}

static int call_getalloc(UBFH *p, UBFH *other)
{
	char *s = Bgetsa(p, F_STRING, 0, NULL);

	free(s);
	return s == NULL ? -1 : 0;
}

static int call_print(UBFH *p, UBFH *other)
{
	FILE *f = fopen("/dev/null", "w");
	int r = f == NULL ? -1 : Bfprint(p, f);

	if (f != NULL)
		fclose(f);
	return r;
}

static int call_delete_middle(UBFH *p, UBFH *other)
{
	return Bdel(p, F_STRING, 3400);
}

static int call_join(UBFH *p, UBFH *other)
{
	return Bjoin(p, other);
}

static int call_project_copy(UBFH *p, UBFH *other)
{
	BFLDID list[] = { F_LONG, BBADFLDID };

	return Bprojcpy(other, p, list);
}

static int (*const calls[])(UBFH *, UBFH *) = {
	call_add,    call_add_own,  call_cbadd_own, call_change,
	call_update, call_concat,   call_project,   call_delete,
	call_find,   call_getalloc, call_print,	    call_change_beyond,
};

static void every_call_survives_every_failure(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		exhaust(calls[i], tight());
}

/* Making a directory paged or flat needs memory; without it, a call still
 * succeeds. */
static void large_buffers_survive_every_failure(void **state)
{
	static int (*const more[])(UBFH *, UBFH *) = {
		call_delete_middle, call_join, call_project_copy,
	};
	size_t i;
	int paged;

	for (paged = 0; paged < 2; paged++) {
		for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
			exhaust(calls[i], large(paged));
		for (i = 0; i < sizeof(more) / sizeof(*more); i++)
			exhaust(more[i], large(paged));
	}
}

/* Insert into the middle of a large buffer while every other allocation
 * fails. */
static void without_memory_for_pages_directories_stay_flat(void **state)
{
	UBFH *p = large(0);
	int i;

	for (i = 0; i < 200; i++) {
		countdown = i % 2;
		assert_int_equal(Badds(p, ID(BFLD_LONG, 1 + i), (char *)"7"),
				 0);
		countdown = i % 2;
		assert_int_equal(Bdel(p, F_STRING, 3400), 0);
	}
	countdown = -1;
	assert_int_equal(ow_ubf_check(p, (size_t)Bused(p)), 0);
	assert_int_equal(Boccur(p, F_STRING), 7000 - 4 - 200);
	free(p);
}

static void failed_allocations_of_buffers_give_bmalloc(void **state)
{
	UBFH *p;

	countdown = 0;
	p = Balloc(1, 10);
	assert_null(p);
	assert_int_equal(Berror, BMALLOC);
	p = Balloc(1, 10);
	assert_non_null(p);
	countdown = 0;
	assert_null(Brealloc(p, 100, 1000));
	assert_int_equal(Berror, BMALLOC);
	assert_int_equal(Bsizeof(p), Bneeded(1, 10));
	Bfree(p);
}

static void field_tables_load_after_a_failure(void **state)
{
	struct tmpdir dir;
	BFLDID id = BBADFLDID;
	long n;

	assert_int_equal(tmpdir_make(&dir), 0);
	assert_int_equal(tmpdir_write(&dir, "t.fd", "A 1 long\nB 2 long\n"),
			 0);
	setenv("FLDTBLDIR", dir.path, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	for (n = 0; id == BBADFLDID && n < 100; n++) {
		countdown = n;
		id = Bfldid((char *)"B");
		countdown = -1;
		if (id == BBADFLDID)
			assert_int_equal(Berror, BMALLOC);
	}
	assert_int_equal(id, Bmkfldid(BFLD_LONG, 2));
	assert_true(n > 4);
	tmpdir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_survives_every_failure),
		cmocka_unit_test(large_buffers_survive_every_failure),
		cmocka_unit_test(
			without_memory_for_pages_directories_stay_flat),
		cmocka_unit_test(failed_allocations_of_buffers_give_bmalloc),
		cmocka_unit_test(field_tables_load_after_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
