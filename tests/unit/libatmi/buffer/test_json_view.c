/* SPDX-License-Identifier: Apache-2.0 */
/* test_json_view.c - views as JSON: structures, fields, exported buffers */
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

#include "tests/unit/libatmi/scratch.h"

struct PERSON {
	long number;
	short C_tags;
	char tags[3][8];
	int age;
	double weight;
	unsigned short L_photo;
	char photo[16];
};

#define F_VIEW ((BFLDID)(BFLD_VIEW << 25 | 7))

static char text[2048], name[34];

static int setup(void **state)
{
	scratch_views("VIEW PERSON\nlong number - 1 - - -1\nstring tags - 3 C 8 -\n"
	      "int age - 1 - - -\ndouble weight - 1 - - -\n"
	      "carray photo - 1 L 16 -\nEND\n");
	setenv("FLDTBLDIR", scratch_dir, 1);
	setenv("FIELDTBLS", "none", 1);
	return 0;
}

static struct PERSON *person(void)
{
	struct PERSON *p = (void *)tpalloc((char *)"VIEW", (char *)"PERSON",
					   0);

	assert_non_null(p);
	assert_int_equal(Bvsizeof((char *)"PERSON"), sizeof(*p));
	p->number = 7;
	p->C_tags = 2;
	strcpy(p->tags[0], "a/b");
	strcpy(p->tags[1], "c");
	p->weight = 70.5;
	p->L_photo = 3;
	memcpy(p->photo, "\0\1\2", 3);
	return p;
}

#define FULL "{\"PERSON\":{\"number\":7,\"tags\":[\"a\\/b\",\"c\"]," \
	     "\"age\":0,\"weight\":70.500000,\"photo\":\"AAEC\"}}"

static void to_json(struct PERSON *p, long flags, const char *want)
{
	assert_int_equal(tpviewtojson((char *)p, (char *)"PERSON", text,
				      sizeof(text), flags), 0);
	assert_string_equal(text, want);
}

static void a_structure_is_an_object_in_an_object(void **state)
{
	struct PERSON *p = person(), *q;

	to_json(p, 0, FULL);
	q = (void *)tpjsontoview(name, text);
	assert_non_null(q);
	assert_string_equal(name, "PERSON");
	assert_int_equal(Bvcmp((char *)p, name, (char *)q, name), 0);
	assert_int_equal(q->C_tags, 2);
	assert_int_equal(q->L_photo, 3);
	tpfree((char *)p);
	tpfree((char *)q);
}

static void notnull_leaves_out_what_is_null(void **state)
{
	struct PERSON *p = (void *)tpalloc((char *)"VIEW", (char *)"PERSON",
					   0);

	to_json(p, BVACCESS_NOTNULL, "{\"PERSON\":{}}");
	p->age = 9;
	p->C_tags = 3;
	strcpy(p->tags[1], "x");
	to_json(p, BVACCESS_NOTNULL,
		"{\"PERSON\":{\"tags\":[null,\"x\"],\"age\":9}}");
	tpfree((char *)p);
}

static void one_element_is_a_scalar(void **state)
{
	struct PERSON *p = person(), *q;

	p->C_tags = 1;
	to_json(p, 0, "{\"PERSON\":{\"number\":7,\"tags\":\"a\\/b\",\"age\":0,"
		"\"weight\":70.500000,\"photo\":\"AAEC\"}}");
	q = (void *)tpjsontoview(name, text);
	assert_non_null(q);
	assert_int_equal(q->C_tags, 1);
	assert_string_equal(q->tags[0], "a/b");
	assert_int_equal(Bvcmp((char *)p, name, (char *)q, name), 0);
	tpfree((char *)p);
	tpfree((char *)q);
}

static void a_view_is_a_field_of_a_buffer(void **state)
{
	UBFH *p = Balloc(10, 1000), *q = Balloc(10, 1000);
	struct PERSON *v = person();
	BVIEWFLD f = { .vname = "PERSON", .data = (char *)v };
	char want[512];

	assert_int_equal(Badd(p, F_VIEW, (char *)&f, 0), 0);
	assert_int_equal(Badd(p, F_VIEW, (char *)&f, 0), 0);
	assert_int_equal(tpubftojson(p, text, sizeof(text)), 0);
	snprintf(want, sizeof(want), "{\"((BFLDID32)%d)\":[%s,%s]}", F_VIEW,
		 FULL, FULL);
	assert_string_equal(text, want);
	assert_int_equal(tpjsontoubf(q, text), 0);
	assert_int_equal(Bcmp(p, q), 0);
	assert_int_equal(tpjsontoubf(q, text), 0);
	assert_int_equal(Bcmp(p, q), 0);
	snprintf(want, sizeof(want), "{\"((BFLDID32)%d)\":{}}", F_VIEW);
	assert_int_equal(tpjsontoubf(q, want), 0);
	snprintf(want, sizeof(want), "{\"((BFLDID32)%d)\":{\"NONE\":{}}}",
		 F_VIEW);
	assert_int_equal(tpjsontoubf(q, want), -1);
	assert_int_equal(tperrno, TPEINVAL);
	Bfree(p);
	Bfree(q);
	tpfree((char *)v);
}

/* Null members are left out: age. */
#define NOT_NULL "{\"PERSON\":{\"number\":7,\"tags\":[\"a\\/b\",\"c\"]," \
		 "\"weight\":70.500000,\"photo\":\"AAEC\"}}"

static void a_view_buffer_is_exported(void **state)
{
	struct PERSON *p = person();
	char *q = NULL, type[9] = "", sub[34];
	long len = sizeof(text);

	assert_int_equal(tpexport((char *)p, 0, text, &len, 0), 0);
	assert_string_equal(text, "{\"buftype\":\"VIEW\",\"version\":1,"
			    "\"subtype\":\"PERSON\",\"data\":" NOT_NULL "}");
	assert_int_equal(tpimport(text, len, &q, &len, 0), 0);
	assert_int_equal(len, sizeof(*p));
	assert_true(tptypes(q, type, sub) > 0);
	assert_string_equal(type, "VIEW");
	assert_string_equal(sub, "PERSON");
	assert_int_equal(Bvcmp((char *)p, sub, q, sub), 0);
	tpfree((char *)p);
	tpfree(q);
}

/* Elements behind the count are read as they are, unless NULL ones are not
 * wanted. */
static void an_element_beyond_the_count_is_read(void **state)
{
	struct PERSON *p = person();
	BFLDLEN len = 8;
	char tag[8] = "x";

	assert_int_equal(CBvget((char *)p, (char *)"PERSON", (char *)"tags", 2,
				tag, &len, BFLD_STRING, 0), 0);
	assert_string_equal(tag, "");
	assert_int_equal(CBvget((char *)p, (char *)"PERSON", (char *)"tags", 2,
				tag, &len, BFLD_STRING, BVACCESS_NOTNULL), -1);
	assert_int_equal(Berror, BNOTPRES);
	tpfree((char *)p);
}

static void refuse(const char *json, int error)
{
	assert_null(tpjsontoview(name, (char *)json));
	assert_int_equal(tperrno, error);
}

static void faulty_text_is_refused(void **state)
{
	refuse("", TPEINVAL);
	refuse("{}", TPEINVAL);
	refuse("[]", TPEINVAL);
	refuse("{\"PERSON\":1}", TPEINVAL);
	refuse("{\"PERSON\":{},\"PERSON\":{}}", TPEINVAL);
	refuse("{\"NOBODY\":{}}", TPEOTYPE);
	refuse("{\"PERSON\":{\"tags\":[1,2,3,4]}}", TPEINVAL);
	refuse("{\"PERSON\":{\"tags\":\"longer than eight\"}}", TPEINVAL);
	refuse("{\"PERSON\":{\"number\":{}}}", TPEINVAL);
	refuse("{\"PERSON\":{\"photo\":\"A\"}}", TPEINVAL);
	assert_null(tpjsontoview(NULL, text));
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpviewtojson(text, (char *)"NOBODY", text, 10, 0),
			 -1);
	assert_int_equal(tperrno, TPEOTYPE);
}

static void too_small_a_buffer_is_tpeos(void **state)
{
	struct PERSON *p = person();

	assert_int_equal(tpviewtojson((char *)p, (char *)"PERSON", text,
				      sizeof(FULL) - 1, 0), -1);
	assert_int_equal(tperrno, TPEOS);
	assert_int_equal(tpviewtojson((char *)p, (char *)"PERSON", text,
				      sizeof(FULL), 0), 0);
	tpfree((char *)p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_structure_is_an_object_in_an_object),
		cmocka_unit_test(one_element_is_a_scalar),
		cmocka_unit_test(notnull_leaves_out_what_is_null),
		cmocka_unit_test(a_view_is_a_field_of_a_buffer),
		cmocka_unit_test(a_view_buffer_is_exported),
		cmocka_unit_test(an_element_beyond_the_count_is_read),
		cmocka_unit_test(faulty_text_is_refused),
		cmocka_unit_test(too_small_a_buffer_is_tpeos),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
