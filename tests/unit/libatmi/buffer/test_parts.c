/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts.c - buffers that point to each other, sent and received */
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
#include <ubf.h>
#include <xatmi.h>

#include "libatmi/buffer/buf.h"
#include "libatmi/buffer/parts.h"
#include "tests/unit/libatmi/scratch.h"

#define F_STRING ((BFLDID)(BFLD_STRING << 25 | 106))
#define F_PTR ((BFLDID)(BFLD_PTR << 25 | 108))
#define F_UBF ((BFLDID)(BFLD_UBF << 25 | 109))

static int setup(void **state)
{
	scratch_views("VIEW PAIR\nshort a - 1 - - 5\nchar b - 1 - - -\nEND\n");
	return 0;
}

static char *alloc(const char *type, const char *text)
{
	char *p = tpalloc((char *)type, NULL, 1024);

	assert_non_null(p);
	if (strcmp(type, "UBF") == 0)
		assert_int_equal(Bchg((UBFH *)p, F_STRING, 0, (char *)text, 0),
				 0);
	else
		strcpy(p, text);
	return p;
}

static void point(char *from, BFLDOCC occ, const void *to)
{
	assert_int_equal(Bchg((UBFH *)from, F_PTR, occ, (char *)&to, 0), 0);
}

static char *pointee(char *from, BFLDOCC occ)
{
	char *to = NULL;

	assert_int_equal(Bget((UBFH *)from, F_PTR, occ, (char *)&to, NULL), 0);
	return to;
}

static const char *text_of(char *p)
{
	return Bfind((UBFH *)p, F_STRING, 0, NULL);
}

static int registered(const char *p)
{
	struct ow_buf_info info;

	return ow_buf_find(p, &info) == 0;
}

/* Send `from` as a message and receive it into *to. */
static int send_to(char *from, char **to)
{
	char *flat = NULL, *copy;
	size_t len = Bused((UBFH *)from);
	long got = -1;
	int r = ow_parts_flatten(from, &flat, &len);

	if (r != 0)
		return r;
	/* Of exactly that size: the sanitizer sees a read beyond it. */
	copy = malloc(len);
	memcpy(copy, flat != NULL ? flat : from, len);
	r = ow_buf_from_wire(OW_BUF_UBF, copy, len, to, &got);
	if (r == 0)
		assert_int_equal(got, Bused((UBFH *)*to));
	free(flat);
	free(copy);
	return r;
}

static void buffers_of_every_type_are_sent_along(void **state)
{
	char *p = alloc("UBF", "first"), *q = NULL, *view, *got;
	struct { short a; char b; } *pair;
	char type[16], sub[40];

	point(p, 0, alloc("STRING", "text"));
	point(p, 1, alloc("CARRAY", "bytes"));
	point(p, 2, alloc("UBF", "second"));
	point(pointee(p, 2), 0, alloc("JSON", "{}"));
	view = tpalloc("VIEW", "PAIR", 0);
	point(p, 3, view);
	((short *)view)[0] = 42;
	point(p, 4, tpalloc("NULL", NULL, 0));
	assert_int_equal(send_to(p, &q), 0);
	assert_string_equal(text_of(q), "first");
	assert_string_equal(pointee(q, 0), "text");
	assert_string_equal(pointee(q, 1), "bytes");
	assert_string_equal(text_of(pointee(q, 2)), "second");
	assert_string_equal(pointee(pointee(q, 2), 0), "{}");
	got = pointee(q, 3);
	assert_true(tptypes(got, type, sub) > 0);
	assert_string_equal(sub, "PAIR");
	pair = (void *)got;
	assert_int_equal(pair->a, 42);
	assert_int_equal(tptypes(pointee(q, 4), type, NULL) >= 0, 1);
	assert_string_equal(type, "NULL");
	assert_ptr_not_equal(pointee(p, 0), pointee(q, 0));
	tpfree(p);
	tpfree(q);
	assert_false(registered(got));
}

static void pointers_in_embedded_buffers_are_followed(void **state)
{
	char *p = alloc("UBF", "out"), *in = alloc("UBF", "in"), *q = NULL;
	char *s = alloc("STRING", "deep");
	UBFH *sub;

	point(in, 0, s);
	assert_int_equal(Badd((UBFH *)p, F_UBF, in, 0), 0);
	assert_int_equal(send_to(p, &q), 0);
	sub = (UBFH *)Bfind((UBFH *)q, F_UBF, 0, NULL);
	assert_string_equal(pointee((char *)sub, 0), "deep");
	tpfree(p);
	tpfree(in);
	tpfree(q);
}

static void shared_buffers_and_circles_are_preserved(void **state)
{
	char *p = alloc("UBF", "a"), *b = alloc("UBF", "b"), *q = NULL;

	point(p, 0, b);
	point(p, 1, b);
	point(b, 0, p);
	point(b, 1, b);
	assert_int_equal(send_to(p, &q), 0);
	assert_ptr_equal(pointee(q, 0), pointee(q, 1));
	assert_ptr_not_equal(pointee(q, 0), b);
	assert_ptr_equal(pointee(pointee(q, 0), 0), q);
	assert_ptr_equal(pointee(pointee(q, 0), 1), pointee(q, 0));
	tpfree(p);
	tpfree(q);
	assert_false(registered(b));
}

static void other_pointers_become_null(void **state)
{
	char *p = alloc("UBF", "a"), *gone = alloc("STRING", "gone");
	char *q = NULL, *init = tpalloc("TPINIT", NULL, 0);

	point(p, 0, p + 8);
	point(p, 1, gone);
	point(p, 2, NULL);
	point(p, 3, init);
	tpfree(gone);
	assert_int_equal(send_to(p, &q), 0);
	assert_null(pointee(q, 0));
	assert_null(pointee(q, 1));
	assert_null(pointee(q, 2));
	assert_null(pointee(q, 3));
	tpfree(q);
	point(p, 4, alloc("STRING", "here"));
	q = NULL;
	assert_int_equal(send_to(p, &q), 0);
	assert_null(pointee(q, 0));
	assert_string_equal(pointee(q, 4), "here");
	tpfree(p);
	tpfree(q);
}

/* A client that calls again and again with one buffer loses no memory, and
 * none of its own buffers. */
static void the_next_message_frees_buffers_that_came_together(void **state)
{
	char *p = alloc("UBF", "p"), *q = alloc("UBF", "q"), *old, *kept;
	char *own = alloc("STRING", "own");

	point(q, 0, own);
	point(p, 0, alloc("STRING", "one"));
	point(p, 1, alloc("STRING", "two"));
	assert_int_equal(send_to(p, &q), 0);
	assert_true(registered(own));
	old = pointee(q, 0);
	kept = pointee(q, 1);
	point(q, 1, NULL);
	point(q, 2, own);
	assert_int_equal(send_to(p, &q), 0);
	assert_true(registered(own));
	assert_true(registered(kept));
	assert_true(!registered(old) || pointee(q, 0) == old ||
		    pointee(q, 1) == old);
	tpfree(kept);
	tpfree(own);
	tpfree(p);
	tpfree(q);
}

/* The address of a freed buffer may be that of another buffer now. */
static void freed_pointees_are_not_freed_again(void **state)
{
	char *p = alloc("UBF", "p"), *q = NULL, *r = NULL, *freed;

	point(p, 0, alloc("STRING", "one"));
	assert_int_equal(send_to(p, &q), 0);
	freed = pointee(q, 0);
	tpfree(freed);
	assert_int_equal(send_to(p, &r), 0);
	point(q, 0, pointee(r, 0)); /* as if it had the address of `freed` */
	tpfree(pointee(p, 0));
	assert_int_equal(send_to(p, &q), 0);
	assert_string_equal(pointee(r, 0), "one");
	tpfree(p);
	tpfree(q);
	tpfree(r);
}

static void damaged_pointees_are_refused(void **state)
{
	char *p = alloc("UBF", "p"), *s = alloc("STRING", ""), *flat = NULL;
	struct ow_buf_info info;
	size_t len = 77;

	assert_int_equal(ow_buf_find(s, &info), 0);
	memset(s, 'x', info.size);
	point(p, 0, s);
	assert_int_equal(ow_parts_flatten(p, &flat, &len), -EINVAL);
	assert_null(flat);
	assert_int_equal(len, 77);
	tpfree(p);
}

/* A message with each byte changed, and cut to each length. */
static void damaged_messages_are_refused_or_harmless(void **state)
{
	char *p = alloc("UBF", "p"), *flat = NULL, *copy, *q;
	size_t len = 0, i, image = Bused((UBFH *)p);
	long got;
	int bit;

	point(p, 0, alloc("STRING", "one"));
	point(p, 1, alloc("UBF", "two"));
	point(p, 2, tpalloc("VIEW", "PAIR", 0));
	image = Bused((UBFH *)p);
	assert_int_equal(ow_parts_flatten(p, &flat, &len), 0);
	for (i = image + 1; i < len; i++) {
		copy = malloc(i);
		memcpy(copy, flat, i);
		q = NULL;
		assert_int_equal(ow_buf_from_wire(OW_BUF_UBF, copy, i, &q,
						  &got), -EBADMSG);
		assert_null(q);
		free(copy);
	}
	for (i = image; i < len; i++) {
		for (bit = 0; bit < 8; bit++) {
			copy = malloc(len);
			memcpy(copy, flat, len);
			copy[i] = (char)(copy[i] ^ 1 << bit);
			q = NULL;
			(void)ow_buf_from_wire(OW_BUF_UBF, copy, len, &q,
					       &got);
			ow_buf_free_deep(q);
			free(copy);
		}
	}
	free(flat);
	tpfree(p);
}

static void many_buffers_take_no_quadratic_time(void **state)
{
	enum { MANY = 20000 };
	char *p = tpalloc("UBF", NULL, 64 * MANY), *q = NULL;
	char text[32];
	int i;

	for (i = 0; i < MANY; i++) {
		char *to;

		snprintf(text, sizeof(text), "%d", i);
		to = alloc("STRING", text);
		assert_int_equal(Badd((UBFH *)p, F_PTR, (char *)&to, 0), 0);
	}
	assert_int_equal(send_to(p, &q), 0);
	for (i = 0; i < MANY; i++)
		assert_int_equal(atoi(pointee(q, i)), i);
	tpfree(p);
	tpfree(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffers_of_every_type_are_sent_along),
		cmocka_unit_test(pointers_in_embedded_buffers_are_followed),
		cmocka_unit_test(shared_buffers_and_circles_are_preserved),
		cmocka_unit_test(other_pointers_become_null),
		cmocka_unit_test(
		    the_next_message_frees_buffers_that_came_together),
		cmocka_unit_test(freed_pointees_are_not_freed_again),
		cmocka_unit_test(damaged_pointees_are_refused),
		cmocka_unit_test(damaged_messages_are_refused_or_harmless),
		cmocka_unit_test(many_buffers_take_no_quadratic_time),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
