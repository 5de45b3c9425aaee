/* SPDX-License-Identifier: Apache-2.0 */
/* test_file.c - records of the ring: wrapped, torn, damaged */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "libndrx/blackbox/file.h"

#define SEC    UINT64_C(1000000000)
#define LENGTH 5000u
#define HEAD   4096

static char path[64];
static struct ow_bb_writer *w;
static struct ow_bb_file *f;
static unsigned char contents[OW_BB_SEGMENT];
static uint64_t written;

static int begin(void **state)
{
	snprintf(path, sizeof(path), "/tmp/blackbox.%d", (int)getpid());
	unlink(path);
	written = 0;
	return ow_bb_writer_open(path, OW_BB_MIB_MIN, "test", &w);
}

static int end(void **state)
{
	w = ow_bb_writer_close(w);
	f = ow_bb_close(f);
	return unlink(path);
}

static int add(uint8_t flags)
{
	struct ow_bb_head h = { .flags = flags,
				.len = LENGTH,
				.real_ns = (written + 1) * SEC };
	int r;

	memset(contents, (int)(written + 1) & 0xff, LENGTH);
	r = ow_bb_append(w, &h, contents);
	if (r == OW_BB_SEGMENT_FULL) {
		h.flags |= OW_BB_WHOLE;
		r = ow_bb_append(w, &h, contents);
	}
	written += r == 0;
	return r;
}

static void add_many(unsigned int n)
{
	while (n-- > 0)
		assert_int_equal(add(0), 0);
}

/* All records that can be read have their own contents. Their number, the
 * number of the first and the last. */
static unsigned int read_all(uint64_t *ret_first, uint64_t *ret_last)
{
	struct ow_bb_place at = { 0 };
	struct ow_bb_record r;
	unsigned int n = 0;
	size_t i;

	f = ow_bb_close(f);
	assert_int_equal(ow_bb_open(path, &f), 0);
	while (ow_bb_next(f, &at, &r)) {
		if (n++ == 0)
			*ret_first = r.head.number;
		else
			assert_true(r.head.number > *ret_last);
		*ret_last = r.head.number;
		assert_int_equal(r.head.real_ns, r.head.number * SEC);
		for (i = 0; i < r.head.len; i++)
			assert_int_equal(r.contents[i], r.head.number & 0xff);
	}
	return n;
}

static void reopen(void)
{
	w = ow_bb_writer_close(w);
	assert_int_equal(ow_bb_writer_open(path, OW_BB_MIB_MIN, "test", &w), 0);
}

static void flip(off_t at)
{
	unsigned char c;
	int fd = open(path, O_RDWR);

	assert_int_equal(pread(fd, &c, 1, at), 1);
	c ^= 0x40;
	assert_int_equal(pwrite(fd, &c, 1, at), 1);
	close(fd);
}

static void records_are_read_as_they_were_written(void **state)
{
	uint64_t first, last;

	add_many(10);
	assert_int_equal(read_all(&first, &last), 10);
	assert_int_equal(first, 1);
	assert_int_equal(last, 10);
	assert_false(ow_bb_is_torn(f));
}

static void the_oldest_make_room_and_the_file_stays_small(void **state)
{
	uint64_t first, last;
	struct stat st;
	unsigned int n;

	add_many(2000);
	n = read_all(&first, &last);
	assert_int_equal(last, 2000);
	assert_int_equal(n, last - first + 1);
	assert_in_range(n, 6 * (OW_BB_SEGMENT / (LENGTH + 80)),
			7 * (OW_BB_SEGMENT / (LENGTH + 64)));
	assert_int_equal(stat(path, &st), 0);
	assert_in_range(st.st_size, 0, OW_BB_MIB_MIN * 1024 * 1024);
}

static void a_new_writer_goes_on_behind_the_last(void **state)
{
	uint64_t first, last;
	unsigned int i;

	for (i = 0; i < 300; i++) {
		add_many(1);
		reopen();
	}
	assert_int_equal(read_all(&first, &last), 300);
	assert_int_equal(last, 300);
	assert_int_equal(ow_bb_writer_last(w), 300 * SEC);
}

static void one_process_writes(void **state)
{
	struct ow_bb_writer *other;

	assert_int_equal(ow_bb_writer_open(path, OW_BB_MIB_MIN, "x", &other),
			 -EBUSY);
}

static void half_a_record_is_dropped_and_said_at_any_length(void **state)
{
	uint64_t first, last;
	struct ow_bb_head h;
	size_t cut;

	for (cut = 1; cut < LENGTH; cut += 397) {
		off_t at = HEAD + 3 * (off_t)((LENGTH + 64 + 15) / 16 * 16);
		unsigned char zeros[LENGTH + 64] = { 0 };
		int fd;

		end(state);
		begin(state);
		add_many(4);
		w = ow_bb_writer_close(w);
		fd = open(path, O_RDWR);
		assert_int_equal(pread(fd, &h, sizeof(h), at), sizeof(h));
		assert_int_equal(h.number, 4);
		assert_int_equal(pwrite(fd, zeros, sizeof(zeros) - cut,
					at + (off_t)cut), sizeof(zeros) - cut);
		close(fd);
		assert_int_equal(read_all(&first, &last), 3);
		/* without the number nobody can say what it was */
		if (cut >= 24)
			assert_true(ow_bb_is_torn(f));
		assert_int_equal(
		    ow_bb_writer_open(path, OW_BB_MIB_MIN, "test", &w), 0);
		written = 3;
		assert_int_equal(add(OW_BB_WHOLE), 0);
		assert_int_equal(read_all(&first, &last), 4);
		assert_false(ow_bb_is_torn(f));
	}
}

static void no_flipped_byte_shows_a_wrong_record(void **state)
{
	uint64_t first, last;
	unsigned int i, n, all, lost = 0;

	add_many(700);
	all = read_all(&first, &last);
	srand(11);
	for (i = 0; i < 60; i++) {
		off_t at = HEAD + rand() % (6 * (int)OW_BB_SEGMENT);

		flip(at);
		n = read_all(&first, &last); /* compares all contents */
		assert_in_range(n, all - 1, all);
		lost += all - n;
		flip(at);
	}
	assert_in_range(lost, 30, 60);
	for (i = 0; i < 64; i++) { /* the first head of the first segment */
		flip(HEAD + (off_t)i);
		assert_in_range(read_all(&first, &last), all - 1, all);
		flip(HEAD + (off_t)i);
	}
	assert_int_equal(read_all(&first, &last), all);
}

static void a_damaged_head_of_the_file_hides_nothing(void **state)
{
	uint64_t first, last;

	add_many(20);
	flip(3);
	assert_int_equal(read_all(&first, &last), 20);
}

/* How many records a file has. */
static unsigned int count(const char *name)
{
	struct ow_bb_place at = { 0 };
	struct ow_bb_record r;
	unsigned int n = 0;

	f = ow_bb_close(f);
	assert_int_equal(ow_bb_open(name, &f), 0);
	while (ow_bb_next(f, &at, &r))
		n++;
	f = ow_bb_close(f);
	return n;
}

static void what_was_recorded_in_another_form_is_kept(void **state)
{
	struct ow_bb_writer *other;
	char old[80];

	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);
	add_many(20);
	assert_false(ow_bb_writer_replaced(w));
	w = ow_bb_writer_close(w);
	/* another size */
	assert_int_equal(ow_bb_writer_open(path, 2 * OW_BB_MIB_MIN, "test", &w),
			 0);
	assert_true(ow_bb_writer_replaced(w));
	assert_int_equal(count(old), 20);
	assert_int_equal(ow_bb_writer_open(path, 2 * OW_BB_MIB_MIN, "test",
					   &other), -EBUSY);
	written = 0;
	add_many(5);
	/* a head of another version, or none */
	w = ow_bb_writer_close(w);
	flip(3);
	assert_int_equal(ow_bb_writer_open(path, 2 * OW_BB_MIB_MIN, "test", &w),
			 0);
	assert_true(ow_bb_writer_replaced(w));
	assert_int_equal(count(old), 5);
	/* of another domain, with the same NDRX_APPHOME */
	written = 0;
	add_many(7);
	w = ow_bb_writer_close(w);
	assert_int_equal(ow_bb_writer_open(path, 2 * OW_BB_MIB_MIN, "other",
					   &w), 0);
	assert_true(ow_bb_writer_replaced(w));
	assert_int_equal(count(old), 7);
	/* nothing was recorded yet */
	w = ow_bb_writer_close(w);
	assert_int_equal(ow_bb_writer_open(path, OW_BB_MIB_MIN, "test", &w), 0);
	assert_false(ow_bb_writer_replaced(w));
	assert_int_equal(count(old), 7);
	assert_int_equal(unlink(old), 0);
}

static void other_files_are_refused(void **state)
{
	int fd = open(path, O_RDWR | O_TRUNC);

	assert_int_equal(ow_bb_open(path, &f), -EBADMSG);
	memset(contents, 'x', sizeof(contents));
	assert_int_equal(write(fd, contents, sizeof(contents)),
			 sizeof(contents));
	assert_int_equal(ow_bb_open(path, &f), -EBADMSG);
	assert_int_equal(ow_bb_open("/dev/null", &f), -EBADMSG);
	close(fd);
}

static uint64_t number_at(struct ow_bb_place at)
{
	struct ow_bb_record r;

	return ow_bb_next(f, &at, &r) ? r.head.number : 0;
}

static void a_time_that_came_twice_is_the_second_one(void **state)
{
	struct ow_bb_place at = { 0 };
	struct ow_bb_record r;
	uint64_t at_s;
	unsigned int n = 0;

	add_many(10);
	/* The clock is set back to the third second. */
	for (at_s = 3; at_s <= 5; at_s++) {
		struct ow_bb_head h = { .flags = OW_BB_WHOLE,
					.len = LENGTH,
					.real_ns = at_s * SEC };

		assert_int_equal(ow_bb_append(w, &h, contents), 0);
	}
	assert_int_equal(ow_bb_writer_last(w), 5 * SEC);
	assert_int_equal(ow_bb_open(path, &f), 0);
	while (ow_bb_next(f, &at, &r))
		n++;
	assert_int_equal(n, 13);
	assert_int_equal(ow_bb_earliest(f), SEC);
	assert_int_equal(number_at(ow_bb_seek(f, 2 * SEC)), 1);
	assert_int_equal(number_at(ow_bb_seek(f, 3 * SEC)), 11);
	assert_int_equal(number_at(ow_bb_seek(f, 4 * SEC)), 12);
	assert_int_equal(number_at(ow_bb_seek(f, 9 * SEC)), 13);
	at = (struct ow_bb_place){ 0 };
	assert_false(ow_bb_skip(f, &at, 2 * SEC));
	assert_true(ow_bb_skip(f, &at, 3 * SEC));
	assert_int_equal(number_at(at), 11);
	assert_false(ow_bb_skip(f, &at, 9 * SEC));
}

static void a_place_is_found_by_time(void **state)
{
	struct ow_bb_place at;
	struct ow_bb_record r;
	uint64_t first, last, t;

	for (t = 0; t < 900; t++)
		assert_int_equal(add(t % 20 == 0 ? OW_BB_WHOLE : 0), 0);
	read_all(&first, &last);
	for (t = first + 20; t <= last; t += 13) {
		at = ow_bb_seek(f, t * SEC + 5);
		assert_true(ow_bb_next(f, &at, &r));
		assert_true(r.head.flags & OW_BB_WHOLE);
		assert_in_range(r.head.number, t - 20, t);
	}
	at = ow_bb_seek(f, 0);
	assert_true(ow_bb_next(f, &at, &r));
	assert_int_equal(r.head.number, first);
}

#define FACT(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(records_are_read_as_they_were_written),
		FACT(the_oldest_make_room_and_the_file_stays_small),
		FACT(a_new_writer_goes_on_behind_the_last),
		FACT(one_process_writes),
		FACT(half_a_record_is_dropped_and_said_at_any_length),
		FACT(no_flipped_byte_shows_a_wrong_record),
		FACT(a_damaged_head_of_the_file_hides_nothing),
		FACT(what_was_recorded_in_another_form_is_kept),
		FACT(other_files_are_refused),
		FACT(a_time_that_came_twice_is_the_second_one),
		FACT(a_place_is_found_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
