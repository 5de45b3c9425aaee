/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_json.c - buffers as JSON and back, at random and under failures
 *
 * What users see of JSON is tested in tests/unit/libatmi.
 */
#include "tests/unit/libubf/ubf_test.h"

#include <errno.h>
#include <stdio.h>

#include "libubf/base/base64.h"
#include "libubf/store/check.h"
#include "libubf/store/header.h"
#include "libubf/json/ubf.h"
#include "tests/unit/libubf/failing_alloc.h"
#include "tests/unit/libubf/tmpdir.h"

#define SIZE 65536

static char error[OW_JSON_ERROR_MAX];

/* ---- random buffers ---- */

static void random_text(uint64_t *seed, int escape, char *to)
{
	static const char *const pieces[] = {
		"a",	"Zebra", "\"", "\\", "/",  "\n",     "\x01",
		"\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
		"plain text of more than eight bytes", " ",  "\\41",
		"\xff", "\x80",
	};
	int n = (int)rnd_below(seed, 8);

	for (*to = '\0'; n > 0; n--)
		strcat(to, pieces[rnd_below(seed, escape ? 16 : 14)]);
}

static void add_real(UBFH *p, uint64_t *seed)
{
	double d = (double)(int32_t)rnd(seed);
	float f;

	switch (rnd_below(seed, 4)) {
	case 0:
		d /= 1000;
		break;
	case 1:
		d *= 1e290;
		break;
	case 2:
		d /= 1e9;
		break;
	default:
		break;
	}
	f = (float)((double)(int32_t)rnd(seed) / 4096);
	assert_int_equal(Badd(p, F_DOUBLE, (char *)&d, 0), 0);
	assert_int_equal(Badd(p, F_FLOAT, (char *)&f, 0), 0);
}

static void add_one(UBFH *p, uint64_t *seed, int escape)
{
	char text[512];
	long l = (long)((uint64_t)rnd(seed) << 32 | rnd(seed));
	short s = (short)l;
	int id = (int)rnd_below(seed, 3);
	char c = (char)(escape ? l : l & 0x7f);

	random_text(seed, escape, text);
	switch (rnd_below(seed, 6)) {
	case 0:
		assert_int_equal(Badd(p, F_SHORT + id, (char *)&s, 0), 0);
		break;
	case 1:
		assert_int_equal(Badd(p, F_LONG + id, (char *)&l, 0), 0);
		break;
	case 2:
		assert_int_equal(Badd(p, F_CHAR + id, &c, 0), 0);
		break;
	case 3:
		add_real(p, seed);
		break;
	case 4:
		assert_int_equal(Badd(p, F_STRING + id, text, 0), 0);
		break;
	default:
		assert_int_equal(Badd(p, F_CARRAY + id, (char *)&l,
				      (BFLDLEN)rnd_below(seed, 9)), 0);
	}
}

static UBFH *random_buffer(uint64_t *seed, int escape, int depth)
{
	UBFH *p = malloc(SIZE >> 2 * depth), *sub;
	int n = (int)rnd_below(seed, 12);

	assert_int_equal(Binit(p, SIZE >> 2 * depth), 0);
	for (; n > 0; n--) {
		if (depth < 3 && rnd_below(seed, 6) == 0) {
			sub = random_buffer(seed, escape, depth + 1);
			(void)Badd(p, F_UBF, (char *)sub, 0);
			free(sub);
		} else {
			add_one(p, seed, escape);
		}
	}
	return p;
}

static void check_buffer(const UBFH *p)
{
	assert_int_equal(ow_ubf_check(p, ow_ubf_used(p)), 0);
}

static void round_trips(int escape)
{
	struct ow_json_out a = { .grows = true, .escape = escape };
	struct ow_json_out b = { .grows = true, .escape = escape };
	uint64_t seed = 42;
	UBFH *p, *q = malloc(2 * SIZE);
	int i;

	for (i = 0; i < 20000; i++) {
		p = random_buffer(&seed, escape, 0);
		a.len = b.len = 0;
		assert_int_equal(ow_json_from_ubf(&a, p, error), 0);
		assert_int_equal(Binit(q, 2 * SIZE), 0);
		assert_int_equal(ow_json_to_ubf(q, a.text, a.len, error), 0);
		check_buffer(q);
		assert_int_equal(Bnum(q), Bnum(p));
		assert_int_equal(ow_json_from_ubf(&b, q, error), 0);
		assert_int_equal(a.len, b.len);
		assert_memory_equal(a.text, b.text, a.len);
		/* Reading it again into the same buffer changes nothing. */
		assert_int_equal(ow_json_to_ubf(q, a.text, a.len, error), 0);
		check_buffer(q);
		assert_int_equal(Bnum(q), Bnum(p));
		free(p);
	}
	free(a.text);
	free(b.text);
	free(q);
}

static void random_buffers_survive_the_round_trip(void **state)
{
	round_trips(0);
}

static void with_json_escape_any_bytes_survive(void **state)
{
	setenv("NDRX_APIFLAGS", "json_escape", 1);
	round_trips(1);
	unsetenv("NDRX_APIFLAGS");
}

static void exactly_enough_memory_is_enough(void **state)
{
	struct ow_json_out a = { .grows = true }, b = { .grows = false };
	uint64_t seed = 7;
	UBFH *p;
	int i;

	for (i = 0; i < 300; i++) {
		p = random_buffer(&seed, 0, 0);
		a.len = 0;
		assert_int_equal(ow_json_from_ubf(&a, p, error), 0);
		b.text = malloc(a.len);
		b.len = 0;
		b.cap = a.len;
		assert_int_equal(ow_json_from_ubf(&b, p, error), 0);
		b.len = 0;
		b.cap = a.len - 1;
		assert_int_equal(ow_json_from_ubf(&b, p, error), -ENOSPC);
		free(b.text);
		free(p);
	}
	free(a.text);
}

/* ---- failures ---- */

#define HARD                                                              \
	"{\"((BFLDID32)167772266)\":[\"x\\u00e9\\n\",5,true],"            \
	"\"((BFLDID32)134217836)\":[1],\"unknown\":{\"a\":[1,{}]},"       \
	"\"((BFLDID32)335544429)\":[{\"((BFLDID32)167772266)\":\"in\"},{}]}"

/* The message fits its memory. */
static void malformed_field_tables_are_reported(void **state)
{
	struct {
		char error[OW_JSON_ERROR_MAX], guard[512];
	} m;
	struct ow_json_out out = { .grows = true };
	struct tmpdir dir;
	UBFH *p = Balloc(10, 100);
	size_t i;

	memset(&m, 'g', sizeof(m));
	assert_int_equal(tmpdir_make(&dir), 0);
	assert_int_equal(tmpdir_write(&dir, "t.fd", "A 1 nosuchtype\n"), 0);
	setenv("FLDTBLDIR", dir.path, 1);
	setenv("FIELDTBLS", "t.fd", 1);
	assert_int_equal(ow_json_to_ubf(p, "{\"A\":1}", 7, m.error), -EIO);
	assert_non_null(strstr(m.error, "t.fd:1: 'nosuchtype'"));
	assert_int_equal(ow_json_from_ubf(&out, p, m.error), 0);
	for (i = 0; i < sizeof(m.guard); i++)
		assert_int_equal(m.guard[i], 'g');
	free(out.text);
	Bfree(p);
	tmpdir_remove(&dir);
}

static void every_failed_allocation_is_reported(void **state)
{
	struct ow_json_out out = { .grows = true };
	UBFH *p = malloc(4096);
	long n;
	int r;

	setenv("FLDTBLDIR", "/tmp", 1);
	setenv("FIELDTBLS", "", 1);
	for (n = 0, r = -ENOMEM; r == -ENOMEM; n++) {
		assert_int_equal(Binit(p, 4096), 0);
		countdown = n;
		r = ow_json_to_ubf(p, HARD, strlen(HARD), error);
		countdown = -1;
		check_buffer(p);
	}
	assert_int_equal(r, 0);
	assert_true(n > 2);
	for (n = 0, r = -ENOMEM; r == -ENOMEM; n++) {
		countdown = n;
		r = ow_json_from_ubf(&out, p, error);
		countdown = -1;
	}
	assert_int_equal(r, 0);
	free(out.text);
	free(p);
}

static void a_text_cut_anywhere_is_refused(void **state)
{
	UBFH *p = malloc(4096);
	size_t i;

	assert_int_equal(Binit(p, 4096), 0);
	for (i = 0; i < strlen(HARD); i++) {
		assert_int_equal(ow_json_to_ubf(p, HARD, i, error), -EBADMSG);
		check_buffer(p);
	}
	assert_int_equal(ow_json_to_ubf(p, HARD, i, error), 0);
	free(p);
}

static void a_small_buffer_reports_full_and_stays_valid(void **state)
{
	UBFH *p = malloc(4096);
	BFLDLEN size;
	int r = -ENOSPC;

	for (size = 96; r == -ENOSPC && size < 4096; size += 8) {
		assert_int_equal(Binit(p, size), 0);
		r = ow_json_to_ubf(p, HARD, strlen(HARD), error);
		check_buffer(p);
	}
	assert_int_equal(r, 0);
	free(p);
}

static void deep_nesting_is_refused(void **state)
{
	static const char open_sub[] = "{\"((BFLDID32)335544429)\":";
	char *text = calloc(1, 100000);
	UBFH *p = malloc(SIZE);
	int i;

	assert_int_equal(Binit(p, SIZE), 0);
	for (i = 0; i < 100; i++)
		strcat(text, open_sub);
	assert_int_equal(ow_json_to_ubf(p, text, strlen(text), error),
			 -EBADMSG);
	strcpy(text, "{\"unknown\":");
	for (i = 0; i < 5000; i++)
		strcat(text, "[");
	assert_int_equal(ow_json_to_ubf(p, text, strlen(text), error),
			 -EBADMSG);
	check_buffer(p);
	free(text);
	free(p);
}

static void long_strings_with_escapes_are_read(void **state)
{
	size_t n = 3000000, i;
	char *text = malloc(n + 64);
	UBFH *p = malloc(2 * n);
	int len = sprintf(text, "{\"((BFLDID32)167772266)\":[\"");

	assert_int_equal(Binit(p, (BFLDLEN)(2 * n)), 0);
	for (i = 0; i < n; i += 2)
		memcpy(text + len + i, "\\n", 2);
	strcpy(text + len + n, "\"]}");
	assert_int_equal(ow_json_to_ubf(p, text, strlen(text), error), 0);
	assert_int_equal(Blen(p, F_STRING, 0), n / 2 + 1);
	free(text);
	free(p);
}

static void base64_of_every_length_is_read_back(void **state)
{
	char text[64], back[64], bytes[32];
	size_t n;

	for (n = 0; n < sizeof(bytes); n++)
		bytes[n] = (char)(n * 37);
	for (n = 0; n <= sizeof(bytes); n++) {
		ow_base64_encode(text, bytes, n);
		assert_int_equal(ow_base64_decode(back, text,
						  ow_base64_size(n)), n);
		assert_memory_equal(back, bytes, n);
	}
	assert_int_equal(ow_base64_decode(back, "A===", 4), -EBADMSG);
	assert_int_equal(ow_base64_decode(back, "AA=A", 4), -EBADMSG);
	assert_int_equal(ow_base64_decode(back, "AAA", 3), -EBADMSG);
	assert_int_equal(ow_base64_decode(back, "AA==AAAA", 8), -EBADMSG);
	assert_int_equal(ow_base64_decode(back, "====", 4), -EBADMSG);
	assert_int_equal(ow_base64_decode(back, "A\xffZZ", 4), -EBADMSG);
	assert_int_equal(ow_base64_decode(back, "TWFu", 4), 3);
	assert_memory_equal(back, "Man", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_field_tables_are_reported),
		cmocka_unit_test(every_failed_allocation_is_reported),
		cmocka_unit_test(random_buffers_survive_the_round_trip),
		cmocka_unit_test(with_json_escape_any_bytes_survive),
		cmocka_unit_test(exactly_enough_memory_is_enough),
		cmocka_unit_test(a_text_cut_anywhere_is_refused),
		cmocka_unit_test(a_small_buffer_reports_full_and_stays_valid),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(long_strings_with_escapes_are_read),
		cmocka_unit_test(base64_of_every_length_is_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
