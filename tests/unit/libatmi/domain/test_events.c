/* SPDX-License-Identifier: Apache-2.0 */
/* test_events.c - the event ring: order, overwriting, readers, crashes */
#include "tests/unit/libatmi/domain_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "libatmi/domain/events.h"

static struct ow_events *writer(const char *name)
{
	struct ow_events *e = NULL;

	assert_int_equal(ow_events_open(scratch_path(name), true, &e), 0);
	return e;
}

static struct ow_events *reader(const char *name)
{
	struct ow_events *e = NULL;

	assert_int_equal(ow_events_open(scratch_path(name), false, &e), 0);
	return e;
}

static void add_event(struct ow_events *e, uint32_t srvid, const char *text)
{
	struct ow_event ev = {
		.kind = OW_EVENT_DIED,
		.about = OW_EVENT_SERVER,
		.srvid = srvid,
	};

	snprintf(ev.who, sizeof(ev.who), "banksv");
	snprintf(ev.text, sizeof(ev.text), "%s", text);
	ow_events_add(e, &ev);
}

/* ---- one after the other ---- */

static void counts_include_overwritten_events(void **state)
{
	struct ow_events *w = writer("count"), *r = reader("count");
	struct ow_event ev = { .kind = OW_EVENT_NDRXD };
	uint32_t i;

	for (i = 0; i < OW_EVENTS_MAX + 10; i++)
		add_event(w, 1, "x");
	ow_events_add(w, &ev);
	ow_events_close(w);
	w = writer("count"); /* a new ndrxd continues the count */
	add_event(w, 1, "x");
	assert_int_equal(ow_events_count(r, OW_EVENT_DIED),
			 OW_EVENTS_MAX + 11);
	assert_int_equal(ow_events_count(r, OW_EVENT_NDRXD), 1);
	assert_int_equal(ow_events_count(r, OW_EVENT_START), 0);
	assert_int_equal(ow_events_count(r, OW_EVENT_KIND_END), 0);
	ow_events_close(r);
	ow_events_close(w);
}

static void an_event_comes_back_as_it_was_written(void **state)
{
	struct ow_events *w = writer("one"), *r = reader("one");
	struct ow_event ev;

	assert_int_equal(ow_events_next(r), 0);
	assert_int_equal(ow_events_read(r, 0, &ev), OW_EVENTS_GONE);
	add_event(w, 7, "killed by signal 9");
	assert_int_equal(ow_events_next(r), 1);
	assert_int_equal(ow_events_read(r, 0, &ev), 0);
	assert_int_equal(ev.number, 0);
	assert_int_equal(ev.kind, OW_EVENT_DIED);
	assert_int_equal(ev.about, OW_EVENT_SERVER);
	assert_int_equal(ev.srvid, 7);
	assert_string_equal(ev.who, "banksv");
	assert_string_equal(ev.text, "killed by signal 9");
	assert_true(ev.real_ns > 0 && ev.mono_ns > 0);
	ow_events_close(r);
	ow_events_close(w);
}

static void a_full_ring_overwrites_the_oldest_events(void **state)
{
	struct ow_events *w = writer("full"), *r = reader("full");
	struct ow_event ev;
	uint32_t i;

	for (i = 0; i < OW_EVENTS_MAX + 10; i++)
		add_event(w, i % 60000 + 1, "x");
	assert_int_equal(ow_events_next(r), OW_EVENTS_MAX + 10);
	assert_int_equal(ow_events_read(r, 9, &ev), OW_EVENTS_GONE);
	for (i = 10; i < OW_EVENTS_MAX + 10; i++) {
		assert_int_equal(ow_events_read(r, i, &ev), 0);
		assert_int_equal(ev.srvid, i % 60000 + 1);
	}
	ow_events_close(r);
	ow_events_close(w);
}

static void a_new_writer_continues_the_count(void **state)
{
	struct ow_events *w = writer("heir"), *r;
	struct ow_event ev;

	add_event(w, 1, "before");
	ow_events_close(w);
	w = writer("heir");
	add_event(w, 2, "after");
	r = reader("heir");
	assert_int_equal(ow_events_next(r), 2);
	assert_int_equal(ow_events_read(r, 0, &ev), 0);
	assert_string_equal(ev.text, "before");
	assert_int_equal(ow_events_read(r, 1, &ev), 0);
	assert_string_equal(ev.text, "after");
	ow_events_close(r);
	ow_events_close(w);
}

static void a_reader_cannot_write(void **state)
{
	struct ow_events *w = writer("ro"), *r = reader("ro");

	add_event(r, 1, "not mine");
	add_event(NULL, 1, "no ring");
	assert_int_equal(ow_events_next(r), 0);
	ow_events_close(r);
	ow_events_close(w);
}

/* ---- the file ---- */

static void a_reader_makes_no_segment(void **state)
{
	struct ow_events *e = NULL;

	assert_int_equal(ow_events_open(scratch_path("none"), false, &e),
			 OW_EVENTS_ABSENT);
	assert_null(e);
	assert_int_not_equal(access(scratch_path("none"), F_OK), 0);
}

static void a_foreign_file_is_refused_to_readers_and_replaced(void **state)
{
	struct ow_events *e = NULL;

	scratch_write(scratch_path("foreign"), "something else");
	assert_int_equal(chmod(scratch_path("foreign"), 0600), 0);
	assert_int_equal(ow_events_open(scratch_path("foreign"), false, &e),
			 OW_EVENTS_FOREIGN);
	assert_null(e);
	e = writer("foreign");
	add_event(e, 1, "x");
	assert_int_equal(ow_events_next(e), 1);
	ow_events_close(e);
}

static void a_removed_ring_is_stale(void **state)
{
	struct ow_events *w = writer("old"), *r = reader("old");

	assert_false(ow_events_stale(r));
	unlink(scratch_path("old"));
	assert_true(ow_events_stale(r));
	ow_events_close(w);
	w = writer("old");
	assert_true(ow_events_stale(r));
	ow_events_close(r);
	ow_events_close(w);
}

/* ---- crashes ---- */

/* The words of the slots, changed without the writer. */
static uint64_t *raw(const char *name)
{
	size_t size = 4096 + 512 * (size_t)OW_EVENTS_MAX;
	int fd = open(scratch_path(name), O_RDWR | O_CLOEXEC);
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_true(fd >= 0 && p != MAP_FAILED);
	close(fd);
	return (uint64_t *)(p + 4096);
}

static void a_half_written_event_is_hidden_and_written_again(void **state)
{
	struct ow_events *w = writer("torn"), *r = reader("torn");
	uint64_t *slots;
	struct ow_event ev;

	add_event(w, 1, "whole");
	add_event(w, 2, "half");
	slots = raw("torn");
	assert_int_equal(slots[64], 2 * 1 + 2);
	slots[64] = 2 * 1 + 1; /* died before step 3 */
	assert_int_equal(ow_events_read(r, 1, &ev), OW_EVENTS_GONE);
	assert_int_equal(ow_events_read(r, 0, &ev), 0);
	ow_events_close(w);
	w = writer("torn");
	add_event(w, 3, "next");
	assert_int_equal(ow_events_read(r, 2, &ev), 0);
	assert_int_equal(ev.srvid, 3);
	munmap((char *)slots - 4096, 4096 + 512 * (size_t)OW_EVENTS_MAX);
	ow_events_close(r);
	ow_events_close(w);
}

/* ---- at the same time ---- */

#define STORM 200000

static _Atomic bool storm_over;

static void *storm(void *arg)
{
	char text[200];
	uint32_t i;

	for (i = 1; i <= STORM; i++) {
		memset(text, 'a' + (int)(i % 26), sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		add_event(arg, i, text);
	}
	atomic_store(&storm_over, true);
	return NULL;
}

/* The srvid of an event determines all its other fields. */
static bool whole(const struct ow_event *ev)
{
	char want = (char)('a' + (int)(ev->srvid % 26));
	size_t i;

	for (i = 0; i < 199; i++)
		if (ev->text[i] != want)
			return false;
	return ev->text[199] == '\0' && ev->number == ev->srvid - 1;
}

static void no_reader_sees_a_torn_event(void **state)
{
	struct ow_events *w = writer("storm"), *r = reader("storm");
	uint64_t n, read = 0, gone = 0;
	struct ow_event ev;
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, storm, w), 0);
	while (!atomic_load(&storm_over)) {
		n = ow_events_next(r);
		/* The oldest event is overwritten next. */
		n = n > OW_EVENTS_MAX ? n - OW_EVENTS_MAX : 0;
		if (ow_events_read(r, n, &ev) == 0) {
			assert_true(whole(&ev));
			assert_int_equal(ev.number, n);
			read++;
		} else {
			gone++;
		}
	}
	pthread_join(t, NULL);
	assert_true(read + gone > 0);
	assert_int_equal(ow_events_next(r), STORM);
	assert_int_equal(ow_events_read(r, STORM - 1, &ev), 0);
	assert_true(whole(&ev));
	ow_events_close(r);
	ow_events_close(w);
}

static void every_kind_has_a_word_and_a_grade(void **state)
{
	uint32_t k;

	for (k = OW_EVENT_NONE + 1; k < OW_EVENT_KIND_END; k++) {
		assert_true(strlen(ow_event_word(k)) > 1);
		assert_in_range(ow_event_grade(k), 0, 2);
	}
	assert_string_equal(ow_event_word(OW_EVENT_KIND_END), "?");
	assert_string_equal(ow_event_word(OW_EVENT_GAVE_UP), "gave up");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_comes_back_as_it_was_written),
		cmocka_unit_test(counts_include_overwritten_events),
		cmocka_unit_test(a_full_ring_overwrites_the_oldest_events),
		cmocka_unit_test(a_new_writer_continues_the_count),
		cmocka_unit_test(a_reader_cannot_write),
		cmocka_unit_test(a_reader_makes_no_segment),
		cmocka_unit_test(
		    a_foreign_file_is_refused_to_readers_and_replaced),
		cmocka_unit_test(a_removed_ring_is_stale),
		cmocka_unit_test(
		    a_half_written_event_is_hidden_and_written_again),
		cmocka_unit_test(no_reader_sees_a_torn_event),
		cmocka_unit_test(every_kind_has_a_word_and_a_grade),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
