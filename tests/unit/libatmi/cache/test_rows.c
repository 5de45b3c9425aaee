/* SPDX-License-Identifier: Apache-2.0 */
/* test_rows.c - which services are cached: settings, epochs, keys */
#include "tests/unit/libatmi/domain_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "libatmi/cache/cache.h"
#include "libatmi/cache/key.h"

static struct ow_cache_service make(const char *name, const char *text)
{
	struct ow_cache_service s = { .name = name };
	char why[100] = "";

	if (ow_cache_parse(text, &s.settings, why, sizeof(why)) != 0)
		fail_msg("%s: %s", text, why);
	return s;
}

static void settings_are_read(void **state)
{
	struct ow_cache_settings s;

	s = make("", "ttl=5s key=A+B drop=X").settings;
	assert_int_equal(s.ttl_ns, 5 * OW_NS_PER_SEC);
	assert_string_equal(s.key, "A+B");
	assert_string_equal(s.drop, "X");
	s = make("", " drop=Y,ttl=250ms").settings;
	assert_int_equal(s.ttl_ns, 250 * OW_NS_PER_MS);
	assert_string_equal(s.key, "");
	assert_string_equal(s.drop, "Y");
	assert_int_equal(make("", "ttl=1.5").settings.ttl_ns,
			 1500 * OW_NS_PER_MS);
	assert_int_equal(make("", "ttl=2m").settings.ttl_ns,
			 120 * OW_NS_PER_SEC);
	assert_int_equal(make("", "none").settings.ttl_ns, 0);
}

static void wrong_settings_are_refused(void **state)
{
	static const char *const wrong[] = {
		"", "ttl", "ttl=", "ttl=0", "ttl=-1", "ttl=5x", "ttl=nan",
		"ttl=2e9", "ttl=inf", "5s", "key=A", "ttl=5 key=", "ttl=5 key=+A",
		"ttl=5 key=A+", "ttl=5 key=A++B", "ttl=5 key=A*B",
		"ttl=5 drop=", "ttl=5 else=1", "none ttl=5",
		"ttl=5 drop=1234567890123456789012345678901234567890123456789",
	};
	struct ow_cache_settings s = { .ttl_ns = 77 };
	char why[100];
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (ow_cache_parse(wrong[i], &s, why, sizeof(why)) != -EINVAL)
			fail_msg("\"%s\" is accepted", wrong[i]);
		assert_int_equal(s.ttl_ns, 77);
	}
}

static uint32_t row_of(const char *name)
{
	uint32_t row = UINT32_MAX;

	assert_int_equal(ow_cache_find(dom, name, &row), 0);
	return row;
}

static uint64_t epoch_of(const char *name)
{
	struct ow_cache_settings s;
	uint32_t row = row_of(name), seq = 1;
	uint64_t epoch = 0;

	assert_int_equal(ow_cache_read(dom, row, &s, &seq), 0);
	assert_true(ow_cache_current(dom, row, seq, &epoch));
	return epoch;
}

static void a_change_of_settings_drops_what_is_kept(void **state)
{
	struct ow_cache_service s[2] = { make("ONE", "ttl=5 drop=E1"),
					 make("TWO", "ttl=5 drop=E2") };
	struct ow_cache_settings got;
	uint64_t one, two;
	uint32_t seq = 0;

	assert_int_equal(ow_cache_publish(dom, s, 2), 0);
	one = epoch_of("ONE");
	two = epoch_of("TWO");
	assert_int_equal(ow_cache_publish(dom, s, 2), 0);
	assert_int_equal(epoch_of("ONE"), one);
	s[0] = make("ONE", "ttl=6 drop=E1");
	assert_int_equal(ow_cache_publish(dom, s, 2), 0);
	assert_int_not_equal(epoch_of("ONE"), one);
	assert_int_equal(epoch_of("TWO"), two);
	assert_int_equal(ow_cache_publish(dom, s, 1), 0);
	assert_int_equal(ow_cache_read(dom, row_of("TWO"), &got, &seq), 0);
	assert_int_equal(got.ttl_ns, 0);
	assert_int_not_equal(epoch_of("TWO"), two);
}

static void events_and_orders_drop(void **state)
{
	struct ow_cache_service s[3] = { make("ONE", "ttl=5 drop=E1"),
					 make("TWO", "ttl=5 drop=E2"),
					 make("THREE", "ttl=5") };
	struct ow_cache_figures f;
	uint64_t one, two, three;

	assert_int_equal(ow_cache_publish(dom, s, 3), 0);
	one = epoch_of("ONE");
	two = epoch_of("TWO");
	three = epoch_of("THREE");
	ow_cache_event(dom, "E1");
	ow_cache_event(dom, "E");
	ow_cache_event(dom, "E11");
	ow_cache_event(dom, "");
	assert_int_equal(epoch_of("ONE"), one + 1);
	assert_int_equal(epoch_of("TWO"), two);
	assert_int_equal(epoch_of("THREE"), three);
	assert_int_equal(ow_cache_drop(dom, "TWO"), 1);
	assert_int_equal(ow_cache_drop(dom, "NOSUCH"), 0);
	assert_int_equal(epoch_of("TWO"), two + 1);
	assert_int_equal(ow_cache_drop(dom, NULL), 3);
	assert_int_equal(epoch_of("THREE"), three + 1);
	assert_true(ow_cache_figures(dom, "TWO", &f));
	assert_int_equal(f.drops, 2);
	assert_false(ow_cache_figures(dom, "NOSUCH", &f));
}

static void more_services_than_rows_are_refused(void **state)
{
	enum { N = 1100 };
	static struct ow_cache_service all[N];
	static char names[N][16];
	uint32_t row = 0;
	int i;

	for (i = 0; i < N; i++) {
		snprintf(names[i], sizeof(names[i]), "S%d", i);
		all[i] = make(names[i], "ttl=5");
	}
	assert_int_equal(ow_cache_publish(dom, all, 1000), 0);
	for (i = 0; i < 1000; i++)
		row_of(names[i]);
	assert_int_equal(ow_cache_find(dom, "T", &row), OW_CACHE_ABSENT);
	assert_int_equal(ow_cache_publish(dom, all, N), -ENOSPC);
	assert_int_equal(ow_cache_publish(dom, all, 1000), 0);
}

/* ---- keys ---- */

#define LONG_A	((BFLDID)(BFLD_LONG << 25 | 5001))
#define TEXT_B	((BFLDID)(BFLD_STRING << 25 | 5002))
#define BYTES_C ((BFLDID)(BFLD_CARRAY << 25 | 5003))
#define OTHER	((BFLDID)(BFLD_LONG << 25 | 5004))

static struct ow_cache_bytes key_of(UBFH *b)
{
	const struct ow_cache_fields f = { { LONG_A, TEXT_B, BYTES_C }, 3 };
	struct ow_cache_bytes k = { .len = 0 };

	assert_int_equal(ow_cache_bytes_fields(&k, &f, b), 0);
	return k;
}

static bool same(UBFH *a, UBFH *b)
{
	struct ow_cache_bytes x = key_of(a), y = key_of(b);
	bool r = x.len == y.len &&
		 (x.len == 0 || memcmp(x.room.bytes, y.room.bytes, x.len) == 0);

	free(x.room.bytes);
	free(y.room.bytes);
	return r;
}

static void only_the_fields_of_the_key_count(void **state)
{
	char a[1024], b[1024];
	long n = 1, m = 2;

	Binit((UBFH *)a, sizeof(a));
	Binit((UBFH *)b, sizeof(b));
	assert_true(same((UBFH *)a, (UBFH *)b));
	Badd((UBFH *)a, LONG_A, (char *)&n, 0);
	assert_false(same((UBFH *)a, (UBFH *)b));
	Badd((UBFH *)b, LONG_A, (char *)&n, 0);
	Badd((UBFH *)b, OTHER, (char *)&m, 0);
	assert_true(same((UBFH *)a, (UBFH *)b));
	Badd((UBFH *)a, LONG_A, (char *)&m, 0); /* one more occurrence */
	assert_false(same((UBFH *)a, (UBFH *)b));
	Badd((UBFH *)b, LONG_A, (char *)&m, 0);
	assert_true(same((UBFH *)a, (UBFH *)b));
	Badd((UBFH *)a, TEXT_B, "xy", 0);
	Badd((UBFH *)a, BYTES_C, "z", 1);
	Badd((UBFH *)b, TEXT_B, "x", 0);
	Badd((UBFH *)b, BYTES_C, "yz", 2);
	assert_false(same((UBFH *)a, (UBFH *)b));
}

static void too_long_a_key_is_none(void **state)
{
	static char big[OW_CACHE_KEY_MAX];
	struct ow_cache_bytes k = { .len = 0 };

	assert_int_equal(ow_cache_bytes_add(&k, big, sizeof(big)), 0);
	assert_int_equal(ow_cache_bytes_add(&k, big, 1), OW_CACHE_BUSY);
	assert_int_equal(k.len, sizeof(big));
	free(k.room.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_are_read),
		cmocka_unit_test(wrong_settings_are_refused),
		cmocka_unit_test(a_change_of_settings_drops_what_is_kept),
		cmocka_unit_test(events_and_orders_drop),
		cmocka_unit_test(only_the_fields_of_the_key_count),
		cmocka_unit_test(too_long_a_key_is_none),
		cmocka_unit_test(more_services_than_rows_are_refused),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
