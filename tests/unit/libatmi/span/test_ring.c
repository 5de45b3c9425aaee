/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ring.c - spans of threads that write at once are read whole, in order of
 * each, or counted as dropped
 */
#include "tests/unit/libatmi/domain_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "libatmi/span/note.h"
#include "libatmi/span/ring.h"

#define THREADS 4
#define SIZE	64u
#define EACH	20000u

static struct ow_span_ring *ring;

static int setup(void **state)
{
	assert_int_equal(ow_span_ring_make(dom, SIZE, &ring), 0);
	return 0;
}

static int teardown(void **state)
{
	char name[64];

	ring = ow_span_ring_close(ring);
	snprintf(name, sizeof(name), "spans.%d.%llu", (int)getpid(),
		 (unsigned long long)ow_proc_start_self());
	ow_span_ring_remove(dom, name);
	return 0;
}

/* All its words are made of two numbers. */
static struct ow_span span_of(uint32_t thread, uint64_t number)
{
	struct ow_span s = { .kind = OW_SPAN_CALL, .srvid = thread,
			     .begin_ns = number, .end_ns = number + thread,
			     .sent_ns = ~number, .tran = number * 3,
			     .len = number ^ thread };

	snprintf(s.name, sizeof(s.name), "S%u.%llu", thread,
		 (unsigned long long)number);
	return s;
}

static void is_whole(const struct ow_span *s)
{
	struct ow_span want = span_of(s->srvid, s->begin_ns);

	assert_memory_equal(s, &want, sizeof(want));
}

static int put(uint64_t number)
{
	struct ow_span s = span_of(9, number);

	return ow_span_ring_put(ring, &s);
}

static void spans_come_in_the_order_in_which_they_were_put(void **state)
{
	struct ow_span s;
	uint64_t i;

	assert_int_equal(ow_span_ring_take(ring, false, &s),
			 OW_SPAN_RING_EMPTY);
	for (i = 0; i < 5 * SIZE; i++) {
		assert_int_equal(put(i), 0);
		if (i < SIZE / 2)
			continue; /* half full from now on */
		assert_int_equal(ow_span_ring_take(ring, false, &s), 0);
		assert_int_equal(s.begin_ns, i - SIZE / 2);
		is_whole(&s);
	}
}

/* Spans behind it wait for it: their order stays. */
static void a_claimed_place_is_read_when_it_is_filled(void **state)
{
	struct ow_span s, *place = ow_span_ring_claim(ring);

	assert_non_null(place);
	assert_int_equal(put(2), 0);
	assert_int_equal(ow_span_ring_take(ring, false, &s),
			 OW_SPAN_RING_EMPTY);
	*place = span_of(9, 1);
	ow_span_ring_fill(place);
	assert_int_equal(ow_span_ring_take(ring, false, &s), 0);
	assert_int_equal(s.begin_ns, 1);
	is_whole(&s);
	assert_int_equal(ow_span_ring_take(ring, false, &s), 0);
	assert_int_equal(s.begin_ns, 2);
	assert_int_equal(ow_span_ring_take(ring, false, &s),
			 OW_SPAN_RING_EMPTY);
}

static void a_full_ring_drops_new_spans_and_counts_them(void **state)
{
	struct ow_span_from from;
	struct ow_span s;
	uint64_t i;

	for (i = 0; i < SIZE; i++)
		assert_int_equal(put(i), 0);
	assert_int_equal(put(i), OW_SPAN_RING_FULL);
	assert_int_equal(put(i), OW_SPAN_RING_FULL);
	ow_span_ring_from(ring, &from);
	assert_int_equal(from.dropped, 2);
	assert_int_equal(from.waiting, SIZE);
	for (i = 0; i < SIZE; i++) {
		assert_int_equal(ow_span_ring_take(ring, false, &s), 0);
		assert_int_equal(s.begin_ns, i);
	}
	assert_int_equal(put(7), 0);
	assert_int_equal(ow_span_ring_take(ring, true, &s), 0);
	assert_int_equal(ow_span_ring_take(ring, true, &s),
			 OW_SPAN_RING_EMPTY);
	ow_span_ring_from(ring, &from);
	assert_int_equal(from.torn, 0);
	assert_int_equal(from.process, ow_proc_id_self());
}

static void *write_many(void *arg)
{
	uint32_t i, dropped = 0;
	struct ow_span s;

	for (i = 1; i <= EACH; i++) {
		s = span_of(*(uint32_t *)arg, i);
		dropped += ow_span_ring_put(ring, &s) != 0;
	}
	*(uint32_t *)arg = dropped;
	return NULL;
}

static void threads_that_write_at_once_mix_nothing(void **state)
{
	uint64_t last[THREADS + 1] = { 0 }, taken = 0, dropped = 0;
	uint32_t arg[THREADS], i, running = THREADS;
	pthread_t thread[THREADS];
	struct ow_span_from from;
	struct ow_span s;

	for (i = 0; i < THREADS; i++) {
		arg[i] = i + 1;
		pthread_create(&thread[i], NULL, write_many, &arg[i]);
	}
	for (;;) {
		if (ow_span_ring_take(ring, false, &s) == 0) {
			is_whole(&s);
			assert_in_range(s.srvid, 1, THREADS);
			assert_true(s.begin_ns > last[s.srvid]);
			last[s.srvid] = s.begin_ns;
			taken++;
			continue;
		}
		if (running == 0)
			break;
		if (pthread_tryjoin_np(thread[running - 1], NULL) == 0)
			running--;
	}
	for (i = 0; i < THREADS; i++)
		dropped += arg[i];
	ow_span_ring_from(ring, &from);
	assert_int_equal(from.dropped, dropped);
	assert_int_equal(taken + dropped, THREADS * EACH);
	assert_true(taken >= SIZE);
}

static void what_is_no_ring_is_refused(void **state)
{
	struct ow_span_ring *r = NULL;
	char path[256];
	FILE *f;

	assert_int_equal(ow_span_ring_open(dom, "tables", &r), -EBADMSG);
	assert_int_equal(ow_span_ring_open(dom, "spans.1/../tables", &r),
			 -EBADMSG);
	assert_int_equal(ow_span_ring_open(dom, "spans.1.1", &r), -ENOENT);
	ow_domain_shm_path(dom, "spans.1.1", path, sizeof(path));
	f = fopen(path, "w");
	fprintf(f, "%10000d", 1);
	fclose(f);
	chmod(path, 0600);
	assert_int_equal(ow_span_ring_open(dom, "spans.1.1", &r), -EBADMSG);
	unlink(path);
}

static void one_process_reads(void **state)
{
	int fd = ow_span_reader_begin(dom);

	assert_true(fd >= 0);
	assert_int_equal(ow_span_reader_begin(dom), -EAGAIN);
	close(fd);
	fd = ow_span_reader_begin(dom);
	assert_true(fd >= 0);
	close(fd);
}

static void spans_are_noted_only_while_they_are_wanted(void **state)
{
	uint64_t now = ow_clock_mono_ns();
	struct ow_span_from from;
	struct ow_span s = span_of(1, 1);

	assert_false(ow_span_follow(dom, now));
	ow_span_note(&s);
	assert_false(ow_span_is_on());
	atomic_store(&dom->tables->head->spans_until, now + OW_NS_PER_SEC);
	assert_true(ow_span_follow(dom, now));
	assert_true(ow_span_is_on());
	assert_non_null(atomic_load(&ow_span_direct));
	ow_span_note(&s);
	/* The reader has died: nobody says so, the time does. */
	assert_false(ow_span_follow(dom, now + OW_NS_PER_SEC));
	assert_null(atomic_load(&ow_span_direct));
	ow_span_note(&s);
	ow_span_ring_close(ring);
	assert_int_equal(ow_span_ring_make(dom, SIZE, &ring), 0);
	ow_span_ring_from(ring, &from);
	assert_int_equal(from.waiting, 1);
	atomic_store(&dom->tables->head->spans_until, 0);
}

int main(void)
{
#define FACT(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		FACT(spans_come_in_the_order_in_which_they_were_put),
		FACT(a_claimed_place_is_read_when_it_is_filled),
		FACT(a_full_ring_drops_new_spans_and_counts_them),
		FACT(threads_that_write_at_once_mix_nothing),
		FACT(what_is_no_ring_is_refused),
		FACT(one_process_reads),
		FACT(spans_are_noted_only_while_they_are_wanted),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
