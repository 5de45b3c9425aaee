/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_preallocation.c - room for the file of a queue space, and for its map
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "servers/tmqueue/store.h"
#include "libatmi/base/fault.h"
#include "tests/unit/servers/folder.h"

void ow_fault_hit(const char *name);
void ow_fault_hit(const char *name)
{
	(void)name;
}

static struct store s;
static char folder[64];

static int setup(void **state)
{
	char why[1024] = "";

	folder_make(folder, "/tmp/ow_tmqueue");
	assert_int_equal(store_open(&s, folder, "S", why, sizeof(why)), 0);
	return 0;
}

static int teardown(void **state)
{
	store_close(&s);
	return folder_remove(folder);
}

/* A transaction of its own, with one record. */
static void put(char key)
{
	assert_int_equal(store_begin(&s, 4096, false), 0);
	assert_int_equal(store_put(&s, s.order, &key, 1, "x", 2), 0);
	assert_int_equal(store_commit(&s), 0);
	assert_int_equal(store_checkpoint(&s), 0);
}

static bool has(char key)
{
	MDB_val v;
	int r;

	assert_int_equal(store_begin(&s, 0, true), 0);
	r = store_get(&s, s.order, &key, 1, &v);
	store_abort(&s);
	assert_int_equal(store_checkpoint(&s), 0);
	return r == 0;
}

static void the_disk_is_full(bool is)
{
	s.full = is;
	s.retry_ns = is ? UINT64_MAX : 0;
}

static void a_full_disk_limits_the_map_until_it_has_room_again(void **state)
{
	size_t whole = s.map;

	put('a');
	the_disk_is_full(true);
	assert_true(has('a'));
	assert_true(s.map < whole);
	the_disk_is_full(false);
	put('b');
	assert_true(has('a') && has('b'));
#ifndef __SANITIZE_THREAD__ /* its own maps leave no room for so much */
	assert_int_equal(s.map, whole);
#endif
}

#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
/* Of this process: `more` bytes of address space than it has now. */
static void limit_addresses(struct rlimit *was, rlim_t more)
{
	struct rlimit now;
	long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld", &pages), 1);
	fclose(f);
	assert_int_equal(getrlimit(RLIMIT_AS, was), 0);
	now = *was;
	now.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
	assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
}

static void where_the_map_finds_no_addresses_it_grows_less(void **state)
{
	size_t whole = s.map;
	struct rlimit was;
	int i;

	put('a');
	the_disk_is_full(true);
	assert_true(has('a'));
	limit_addresses(&was, 512 << 20);
	the_disk_is_full(false);
	for (i = 'b'; i < 'h'; i++)
		put((char)i);
	assert_true(has('a') && has('g'));
	assert_true(s.map < whole);
	assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
	put('h');
	assert_true(has('a') && has('g') && has('h'));
	assert_int_equal(s.map, whole);
}

static void a_map_that_cannot_grow_at_all_stays(void **state)
{
	size_t small;
	struct rlimit was;

	put('a');
	the_disk_is_full(true);
	assert_true(has('a'));
	small = s.map;
	limit_addresses(&was, 1 << 20);
	the_disk_is_full(false);
	assert_true(has('a'));
	assert_true(s.map == small);
	assert_false(s.broken);
	assert_int_equal(setrlimit(RLIMIT_AS, &was), 0);
	put('b');
	assert_true(has('a') && has('b'));
}
#endif

int main(void)
{
#define FACT(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		FACT(a_full_disk_limits_the_map_until_it_has_room_again),
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
		FACT(where_the_map_finds_no_addresses_it_grows_less),
		FACT(a_map_that_cannot_grow_at_all_stays),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
