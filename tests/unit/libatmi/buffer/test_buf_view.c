/* SPDX-License-Identifier: Apache-2.0 */
/* test_buf_view.c - VIEW buffers: made, resized, sent and received */
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
#include "tests/unit/libatmi/scratch.h"

struct BIG {
	long number;
	char text[3000];
};

static struct ow_buf_info info;

static int setup(void **state)
{
	scratch_views("VIEW BIG\nlong number - 1 - - -1\nstring text - 1 - 3000 -\n"
	      "END\nVIEW PAIR\nshort a - 1 - - 5\nchar b - 1 - - -\nEND\n");
	return 0;
}

static char *make(const char *view)
{
	char *p = tpalloc("VIEW", (char *)view, 0);

	assert_non_null(p);
	assert_int_equal(ow_buf_find(p, &info), 0);
	return p;
}

static void a_new_buffer_is_null_and_large_enough(void **state)
{
	char *p = make("BIG"), type[9] = "", sub[40];

	assert_int_equal(info.size, sizeof(struct BIG));
	assert_int_equal(((struct BIG *)p)->number, -1);
	assert_int_equal(tptypes(p, type, sub), sizeof(struct BIG));
	assert_string_equal(type, "VIEW");
	assert_string_equal(sub, "BIG");
	tpfree(p);
	p = tpalloc("VIEW32", "PAIR", 1);
	assert_int_equal(tptypes(p, NULL, sub), 1024);
	assert_string_equal(sub, "PAIR");
	assert_int_equal(*(short *)p, 5);
	tpfree(p);
	p = tpalloc("VIEW", "PAIR", 5000);
	assert_int_equal(tptypes(p, NULL, NULL), 5000);
	tpfree(p);
}

static void unknown_views_are_refused(void **state)
{
	assert_null(tpalloc("VIEW", NULL, 0));
	assert_int_equal(tperrno, TPEINVAL);
	assert_null(tpalloc("VIEW", "", 0));
	assert_int_equal(tperrno, TPEINVAL);
	assert_null(tpalloc("VIEW", "NOSUCH", 0));
	assert_int_equal(tperrno, TPENOENT);
	assert_null(tpalloc("VIEW", "PAIR", -1));
	assert_int_equal(tperrno, TPEINVAL);
}

static void resizing_keeps_the_structure(void **state)
{
	char *p = make("BIG"), *q;

	((struct BIG *)p)->number = 7;
	assert_null(tprealloc(p, sizeof(struct BIG) - 1));
	assert_int_equal(tperrno, TPEINVAL);
	q = tprealloc(p, 9000);
	assert_non_null(q);
	assert_int_equal(((struct BIG *)q)->number, 7);
	assert_int_equal(q[8999], 0);
	assert_int_equal(ow_buf_find(q, &info), 0);
	assert_string_equal(info.subtype, "BIG");
	tpfree(q);
}

/* The payload of a view, in memory of exactly its size. */
static uint8_t *payload(const char *view, size_t *ret_len, uint8_t *ret_sub)
{
	char *p = make(view);
	uint8_t *wire;

	assert_int_equal(ow_buf_wire_len(p, &info, 0, ret_len), 0);
	wire = malloc(*ret_len);
	*ret_sub = ow_buf_to_wire(info.view, p, *ret_len, wire);
	tpfree(p);
	return wire;
}

static void a_view_is_sent_with_its_name(void **state)
{
	size_t len;
	uint8_t sub;
	uint8_t *wire = payload("PAIR", &len, &sub);
	char *data = NULL, *was;
	long got = 0;

	assert_int_equal(len, sub + 4u);
	assert_string_equal((char *)wire, "PAIR");
	assert_int_equal(ow_buf_from_view(wire, len, sub, &data, &got), 0);
	assert_int_equal(got, 4);
	assert_int_equal(*(short *)data, 5);
	/* The same buffer again, another one for another view. */
	was = data;
	assert_int_equal(ow_buf_from_view(wire, len, sub, &data, &got), 0);
	assert_ptr_equal(data, was);
	tpfree(data);
	data = make("BIG");
	assert_int_equal(ow_buf_from_view(wire, len, sub, &data, &got), 0);
	assert_int_equal(ow_buf_find(data, &info), 0);
	assert_string_equal(info.subtype, "PAIR");
	tpfree(data);
	free(wire);
}

static void foreign_payloads_are_refused(void **state)
{
	size_t len, i;
	uint8_t sub;
	uint8_t *wire = payload("PAIR", &len, &sub);
	char *data = NULL;
	long got = -1;

	for (i = 0; i < len; i++) {
		uint8_t *cut = malloc(i + 1);

		memcpy(cut, wire, i);
		assert_true(ow_buf_from_view(cut, i, i < sub ? i : sub, &data,
					     &got) < 0);
		free(cut);
	}
	for (i = 0; i < 256; i++)
		if (i != sub)
			assert_int_not_equal(ow_buf_from_view(wire, len, i,
							      &data, &got), 0);
	for (i = 0; i < sub; i++) {
		wire[i] ^= 1;
		assert_true(ow_buf_from_view(wire, len, sub, &data, &got) <
			    0);
		wire[i] ^= 1;
	}
	wire[sub - 1] ^= 1;
	assert_int_equal(ow_buf_from_view(wire, len, sub, &data, &got),
			 -EPROTOTYPE);
	assert_null(data);
	assert_int_equal(got, -1);
	free(wire);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_buffer_is_null_and_large_enough),
		cmocka_unit_test(unknown_views_are_refused),
		cmocka_unit_test(resizing_keeps_the_structure),
		cmocka_unit_test(a_view_is_sent_with_its_name),
		cmocka_unit_test(foreign_payloads_are_refused),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
