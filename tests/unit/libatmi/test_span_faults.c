/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_span_faults.c - a kill of who writes spans, or of who reads them, tears at
 * most the one in hand
 */
#include "tests/unit/libatmi/faults.h"

#include <dirent.h>
#include <stdlib.h>

#include "libatmi/span/ring.h"

#define SIZE 8u

static char name[64];	 /* of the child's ring */
static uint64_t *shared; /* put so far, taken so far */

static struct ow_span span_of(uint64_t number)
{
	struct ow_span s = { .kind = OW_SPAN_CALL, .begin_ns = number,
			     .end_ns = ~number, .len = number * 7 };

	return s;
}

static bool is_whole(const struct ow_span *s, uint64_t number)
{
	struct ow_span want = span_of(number);

	return memcmp(s, &want, sizeof(want)) == 0;
}

static void child_writes(void)
{
	struct ow_span_ring *r;
	uint64_t i;
	struct ow_span s;

	if (ow_span_ring_make(dom, SIZE, &r) != 0)
		_exit(60);
	for (i = 0; i < 5; i++) {
		s = span_of(i);
		if (ow_span_ring_put(r, &s) != 0)
			_exit(61);
		shared[0] = i + 1;
	}
}

/* The ring that a child has left; false: it had made none. */
static bool find(void)
{
	char folder[256];
	struct dirent *e;
	DIR *dir;

	name[0] = '\0';
	ow_domain_folder(dom, folder, sizeof(folder));
	dir = opendir(folder);
	while ((e = readdir(dir)) != NULL)
		if (strncmp(e->d_name, "spans.", 6) == 0)
			snprintf(name, sizeof(name), "%.63s", e->d_name);
	closedir(dir);
	return name[0] != '\0';
}

static void a_killed_writer_tears_its_last_span_only(void **state)
{
	struct ow_span_ring *r = NULL;
	struct ow_span_from from;
	uint64_t got, torn = 0;
	struct ow_span s;
	long n;

	for (n = 1; n < POINTS_MAX; n++) {
		shared[0] = 0;
		if (!dies_at(n, child_writes))
			break;
		if (!find())
			continue;
		assert_int_equal(ow_span_ring_open(dom, name, &r), 0);
		for (got = 0; ow_span_ring_take(r, false, &s) == 0; got++)
			assert_true(is_whole(&s, got));
		/* Put, and not yet said so, is put. */
		assert_in_range(got, shared[0], shared[0] + 1);
		ow_span_ring_from(r, &from);
		assert_int_equal(from.torn, 0); /* it may live, so far */
		assert_int_equal(ow_span_ring_take(r, true, &s),
				 OW_SPAN_RING_EMPTY);
		ow_span_ring_from(r, &from);
		assert_int_equal(from.waiting, 0);
		assert_in_range(from.torn, 0, 1);
		torn += from.torn;
		ow_span_ring_close(r);
		ow_span_ring_remove(dom, name);
	}
	assert_int_equal(torn, 10); /* two points of each of five */
	assert_true(find());
	ow_span_ring_remove(dom, name);
}

static void child_reads(void)
{
	struct ow_span_ring *r;
	struct ow_span s;

	if (ow_span_ring_open(dom, name, &r) != 0)
		_exit(62);
	while (ow_span_ring_take(r, false, &s) == 0)
		if (is_whole(&s, s.begin_ns))
			shared[1]++;
}

static void the_next_reader_goes_on_where_a_killed_one_was(void **state)
{
	struct ow_span_ring *r = NULL;
	uint64_t i, got;
	struct ow_span s;
	long n;

	assert_int_equal(ow_span_ring_make(dom, SIZE, &r), 0);
	assert_true(find());
	for (n = 1; n < POINTS_MAX; n++) {
		for (i = 0; i < SIZE; i++) {
			s = span_of(i);
			assert_int_equal(ow_span_ring_put(r, &s), 0);
		}
		shared[1] = 0;
		if (!dies_at(n, child_reads))
			break;
		/* The place is the next writer's as soon as it is free. */
		s = span_of(SIZE);
		i = SIZE + (ow_span_ring_put(r, &s) == 0);
		for (got = 0; ow_span_ring_take(r, false, &s) == 0; got++)
			assert_true(is_whole(&s, s.begin_ns));
		/* None twice but the one in hand, none lost but that. */
		assert_in_range(shared[1] + got, i - 1, i + 1);
	}
	assert_int_equal(shared[1], SIZE);
	assert_in_range(n, 2 * SIZE, 3 * SIZE + 1);
	ow_span_ring_close(r);
	ow_span_ring_remove(dom, name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_writer_tears_its_last_span_only),
		cmocka_unit_test(the_next_reader_goes_on_where_a_killed_one_was),
	};

	if (fault_begin() < 0)
		return 1;
	shared = mmap(NULL, 64, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
