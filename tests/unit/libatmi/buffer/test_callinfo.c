/* SPDX-License-Identifier: Apache-2.0 */
/* test_callinfo.c - call headers, set, read, sent and received */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ubf.h>
#include <xatmi.h>

#include "libatmi/buffer/callinfo.h"
#include "libatmi/buffer/notes.h"
#include "libatmi/call/content.h"

#define F_STRING ((BFLDID)(BFLD_STRING << 25 | 106))
#define F_PTR ((BFLDID)(BFLD_PTR << 25 | 108))

static UBFH *header_of(const char *text)
{
	UBFH *p = (UBFH *)tpalloc("UBF", NULL, 1024);

	assert_int_equal(Bchg(p, F_STRING, 0, (char *)text, 0), 0);
	return p;
}

static char *string_of(const char *text)
{
	char *p = tpalloc("STRING", NULL, (long)strlen(text) + 1);

	strcpy(p, text);
	return p;
}

static void set(char *msg, const char *text)
{
	UBFH *h = header_of(text);

	assert_int_equal(tpsetcallinfo(msg, h, 0), 0);
	tpfree((char *)h);
}

/* The text of the header, "" if there is none; static. */
static const char *get(const char *msg)
{
	static char text[100];
	UBFH *h = NULL;
	int r = tpgetcallinfo(msg, &h, TPCI_NOEOFERR);

	text[0] = '\0';
	if (r == 1)
		assert_int_equal(Bget(h, F_STRING, 0, text, NULL), 0);
	else
		assert_int_equal(r, 0);
	if (h != NULL)
		tpfree((char *)h);
	return text;
}

static void a_header_is_kept_with_its_buffer(void **state)
{
	char *p = string_of("hello"), *q = string_of("plain");

	set(p, "one");
	assert_string_equal(get(p), "one");
	assert_string_equal(get(q), "");
	set(p, "two");
	assert_string_equal(get(p), "two");
	assert_string_equal(p, "hello");
	p = tprealloc(p, 100000);
	assert_non_null(p);
	assert_string_equal(get(p), "two");
	assert_string_equal(p, "hello");
	assert_int_equal(tptypes(p, NULL, NULL), 100000);
	tpfree(p);
	tpfree(q);
}

static void a_header_goes_with_its_buffer(void **state)
{
	char *p = string_of("hello");

	set(p, "one");
	assert_int_equal(ow_notes_count, 1);
	tpfree(p);
	assert_int_equal(ow_notes_count, 0);
}

static void wrong_arguments_are_refused(void **state)
{
	char foreign[10] = "", *p = string_of("x");
	UBFH *h = header_of("h"), *none = NULL;

	assert_int_equal(tpsetcallinfo(NULL, h, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpsetcallinfo(p, NULL, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpsetcallinfo(foreign, h, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpsetcallinfo(p, (UBFH *)(void *)p, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpgetcallinfo(NULL, &none, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpgetcallinfo(p, NULL, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpgetcallinfo(foreign, &none, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpgetcallinfo(p, (UBFH **)(void *)&p, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpgetcallinfo(p, &none, 0), -1);
	assert_int_equal(tperrno, TPESYSTEM);
	assert_int_equal(tpgetcallinfo(p, &none, TPCI_NOEOFERR), 0);
	tpfree(p);
	tpfree((char *)h);
}

static void a_header_is_read_into_a_buffer_that_grows(void **state)
{
	char *p = string_of("x"), *text = malloc(20000);
	UBFH *big = (UBFH *)tpalloc("UBF", NULL, 32000);
	UBFH *to = (UBFH *)tpalloc("UBF", NULL, 1024);

	memset(text, 'a', 19999);
	text[19999] = '\0';
	assert_int_equal(Bchg(big, F_STRING, 0, text, 0), 0);
	assert_int_equal(tpsetcallinfo(p, big, 0), 0);
	assert_int_equal(tpgetcallinfo(p, &to, 0), 0);
	assert_string_equal(Bfind(to, F_STRING, 0, NULL), text);
	tpfree((char *)big);
	tpfree((char *)to);
	tpfree(p);
	free(text);
}

static void pointers_of_a_header_become_null(void **state)
{
	char *p = string_of("x"), *to = NULL;
	UBFH *h = header_of("h"), *got = NULL;

	assert_int_equal(Bchg(h, F_PTR, 0, (char *)&p, 0), 0);
	assert_int_equal(tpsetcallinfo(p, h, 0), 0);
	assert_int_equal(tpgetcallinfo(p, &got, 0), 0);
	assert_int_equal(Bget(got, F_PTR, 0, (char *)&to, NULL), 0);
	assert_null(to);
	tpfree((char *)got);
	tpfree((char *)h);
	tpfree(p);
}

/* ---- in messages ---- */

/* Send `from`, receive into *to: the result of receiving. */
static int pass(char *from, long len, char **to)
{
	struct ow_sending s;
	struct ow_msg m = { .kind = OW_MSG_REPLY };
	char *payload;
	long got = 0;
	int r;

	assert_int_equal(ow_content_begin(&s, from, len), 0);
	m.buftype = s.content.type;
	m.sub_len = s.content.sub_len;
	m.len = s.content.sub_len + s.content.payload.len;
	payload = malloc(m.len + 1);
	memcpy(payload, s.content.subtype, m.sub_len);
	memcpy(payload + m.sub_len, s.content.payload.data,
	       s.content.payload.len);
	r = ow_buf_from_msg(&m, payload, to, &got);
	ow_content_end(&s);
	free(payload);
	return r;
}

static void a_header_travels_with_every_type(void **state)
{
	static const char *const types[] = { "STRING", "JSON", "CARRAY",
					     "UBF", "NULL" };
	char *p, *q, type[XATMI_TYPE_LEN + 1] = "";
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		p = tpalloc((char *)types[i], NULL, 100);
		q = NULL;
		if (strcmp(types[i], "UBF") == 0)
			Bchg((UBFH *)p, F_STRING, 0, "text", 0);
		else if (strcmp(types[i], "NULL") != 0)
			strcpy(p, "text");
		set(p, types[i]);
		assert_int_equal(pass(p, 5, &q), 0);
		assert_string_equal(get(q), types[i]);
		tptypes(q, type, NULL);
		assert_string_equal(type, types[i]);
		if (strcmp(types[i], "UBF") == 0)
			assert_string_equal(Bfind((UBFH *)q, F_STRING, 0, NULL),
					    "text");
		else if (strcmp(types[i], "NULL") != 0)
			assert_string_equal(q, "text");
		tpfree(p);
		tpfree(q);
	}
	assert_int_equal(ow_notes_count, 0);
}

static void a_message_without_a_header_takes_the_old_one_off(void **state)
{
	char *p = string_of("new"), *q = string_of("old"), *before = q;

	set(q, "old header");
	assert_int_equal(pass(p, 0, &q), 0);
	assert_ptr_equal(q, before);
	assert_string_equal(q, "new");
	assert_string_equal(get(q), "");
	tpfree(p);
	tpfree(q);
	assert_int_equal(ow_notes_count, 0);
}

static void damaged_headers_are_refused(void **state)
{
	char *p = string_of("text"), *q = NULL;
	struct ow_sending s;
	struct ow_msg m = { .kind = OW_MSG_REPLY };
	size_t i, n;
	char *copy;
	long got;

	set(p, "header");
	assert_int_equal(ow_content_begin(&s, p, 0), 0);
	n = s.content.payload.len;
	copy = malloc(n);
	m.buftype = OW_BUF_NOTED;
	for (i = 0; i < n; i++) {
		memcpy(copy, s.content.payload.data, n);
		m.len = n;
		copy[i] = (char)~copy[i];
		ow_buf_from_msg(&m, copy, &q, &got); /* no harm */
		memcpy(copy, s.content.payload.data, n);
		m.len = i;
		assert_int_not_equal(ow_buf_from_msg(&m, copy, &q, &got), 0);
	}
	free(copy);
	ow_content_end(&s);
	tpfree(p);
	if (q != NULL)
		tpfree(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_is_kept_with_its_buffer),
		cmocka_unit_test(a_header_goes_with_its_buffer),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(a_header_is_read_into_a_buffer_that_grows),
		cmocka_unit_test(pointers_of_a_header_become_null),
		cmocka_unit_test(a_header_travels_with_every_type),
		cmocka_unit_test(
		    a_message_without_a_header_takes_the_old_one_off),
		cmocka_unit_test(damaged_headers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
