/* SPDX-License-Identifier: Apache-2.0 */
/* test_store.c - replies are kept in shared memory, and found by their key */
#include "tests/unit/libatmi/domain_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "libatmi/cache/cache.h"

static struct ow_cache_memory room;

static struct ow_cache_key key_of(const char *text)
{
	struct ow_cache_key k = { .row = 1, .epoch = 1, .bytes = text,
				  .len = strlen(text) };

	k.hash = ow_cache_hash(k.row, k.bytes, k.len);
	return k;
}

static int put_bytes(const struct ow_cache_key *k, uint64_t until,
		     const void *payload, size_t len)
{
	struct ow_cache_reply r = { .buftype = 5, .urcode = 7,
				    .payload = payload, .len = len };

	return ow_cache_put(dom, k, until, &r);
}

static void put(const struct ow_cache_key *k, uint64_t until, const char *reply)
{
	assert_int_equal(put_bytes(k, until, reply, strlen(reply)), 0);
}

/* What is kept, NULL: nothing. */
static const char *look(const struct ow_cache_key *k, uint64_t now)
{
	static char text[100];
	struct ow_cache_reply r;

	if (ow_cache_look(dom, k, now, &room, &r) != 0)
		return NULL;
	assert_int_equal(r.buftype, 5);
	assert_int_equal(r.urcode, 7);
	assert_in_range(r.len, 0, sizeof(text) - 1);
	memcpy(text, r.payload, r.len);
	text[r.len] = '\0';
	return text;
}

static void a_reply_is_found_until_it_is_too_old(void **state)
{
	struct ow_cache_key k = key_of("a");

	assert_null(look(&k, 1));
	put(&k, 100, "one");
	assert_string_equal(look(&k, 1), "one");
	assert_string_equal(look(&k, 99), "one");
	assert_null(look(&k, 100));
	put(&k, 200, "two");
	assert_string_equal(look(&k, 100), "two");
	put(&k, 300, "");
	assert_string_equal(look(&k, 100), "");
}

static void keys_of_equal_hashes_are_told_apart(void **state)
{
	char text[12][8];
	struct ow_cache_key k[12];
	int i, found = 0;

	for (i = 0; i < 12; i++) {
		snprintf(text[i], sizeof(text[i]), "k%d", i);
		k[i] = key_of(text[i]);
		k[i].hash = 12345;
		put(&k[i], 100, text[i]);
		assert_string_equal(look(&k[i], 1), text[i]);
	}
	for (i = 0; i < 12; i++) {
		const char *got = look(&k[i], 1);

		if (got != NULL)
			assert_string_equal(got, text[i]);
		found += got != NULL;
	}
	assert_int_equal(found, 4); /* the slots of a set */
	assert_non_null(look(&k[11], 1));
}

static void another_service_or_epoch_finds_nothing(void **state)
{
	struct ow_cache_key k = key_of("b"), other = k;

	put(&k, 100, "x");
	other.row = 2;
	assert_null(look(&other, 1));
	other = k;
	other.epoch = 2;
	assert_null(look(&other, 1));
	other = k;
	other.bytes = "c";
	assert_null(look(&other, 1));
	other = k;
	other.len = 0;
	assert_null(look(&other, 1));
	assert_string_equal(look(&k, 1), "x");
}

static void the_oldest_go_when_the_memory_is_full(void **state)
{
	static char big[100000];
	struct ow_cache_reply r;
	struct ow_cache_key k;
	char text[20];
	int i, found = 0;

	for (i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "big%d", i);
		memset(big, i, sizeof(big));
		k = key_of(text);
		assert_int_equal(put_bytes(&k, 100, big,
					   sizeof(big) - (size_t)i), 0);
		if (ow_cache_look(dom, &k, 1, &room, &r) != 0)
			fail_msg("%d is not found", i);
	}
	assert_in_range(ow_cache_bytes(dom), 32 << 20, 64 << 20);
	for (i = 0; i < 3000; i++) {
		snprintf(text, sizeof(text), "big%d", i);
		k = key_of(text);
		if (ow_cache_look(dom, &k, 1, &room, &r) != 0)
			continue;
		found++;
		assert_int_equal(r.len, sizeof(big) - (size_t)i);
		memset(big, i, sizeof(big));
		assert_memory_equal(r.payload, big, r.len);
	}
	assert_in_range(found, 300, 700);
	k = key_of("big0");
	assert_int_equal(ow_cache_look(dom, &k, 1, &room, &r),
			 OW_CACHE_ABSENT);
}

static void what_is_too_large_is_not_kept(void **state)
{
	static char big[OW_CACHE_MAX + 1];
	struct ow_cache_key k = key_of("large");
	struct ow_cache_reply r;

	assert_int_equal(put_bytes(&k, 100, big, sizeof(big)), OW_CACHE_BUSY);
	assert_int_equal(put_bytes(&k, 100, big, OW_CACHE_MAX),
			 OW_CACHE_BUSY); /* with its key */
	assert_null(look(&k, 1));
	assert_int_equal(put_bytes(&k, 100, big, OW_CACHE_MAX - 100), 0);
	assert_int_equal(ow_cache_look(dom, &k, 1, &room, &r), 0);
	assert_int_equal(r.len, OW_CACHE_MAX - 100);
}

/* ---- several threads ---- */

#define ROUNDS 20000u
#define KEYS   64u

/* The reply to a key repeats one number; its length follows from it. */
static void *reads_and_writes(void *arg)
{
	struct ow_cache_memory mine = { .size = 0 };
	uint32_t i, n, seed = (uint32_t)(uintptr_t)arg;
	uint64_t number, words[1024];
	struct ow_cache_reply r;
	struct ow_cache_key k;
	size_t w;

	for (i = 0; i < ROUNDS; i++) {
		seed = seed * 1664525u + 1013904223u;
		number = seed >> 16 & (KEYS - 1);
		k = (struct ow_cache_key){ .row = 1, .epoch = 9,
					   .hash = number % 3, /* collide */
					   .bytes = &number,
					   .len = sizeof(number) };
		n = 1 + (seed >> 8) % 1000;
		for (w = 0; w < n; w++)
			words[w] = number;
		r = (struct ow_cache_reply){ .payload = words,
					     .len = n * sizeof(*words) };
		ow_cache_put(dom, &k, 100, &r);
		if (ow_cache_look(dom, &k, 1, &mine, &r) != 0)
			continue;
		for (w = 0; w < r.len / sizeof(number); w++)
			if (memcmp((const char *)r.payload + w * 8, &number,
				   8) != 0)
				return arg;
	}
	free(mine.bytes);
	return NULL;
}

static void readers_never_see_half_of_two_replies(void **state)
{
	pthread_t threads[4];
	void *wrong;
	uintptr_t i;

	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						reads_and_writes,
						(void *)(i + 1)), 0);
	for (i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reply_is_found_until_it_is_too_old),
		cmocka_unit_test(keys_of_equal_hashes_are_told_apart),
		cmocka_unit_test(another_service_or_epoch_finds_nothing),
		cmocka_unit_test(what_is_too_large_is_not_kept),
		cmocka_unit_test(the_oldest_go_when_the_memory_is_full),
		cmocka_unit_test(readers_never_see_half_of_two_replies),
	};
	int r;

	dom_make();
	if (ow_cache_need(dom, true) != 0)
		return 1;
	r = cmocka_run_group_tests(tests, NULL, NULL);
	free(room.bytes);
	return r;
}
