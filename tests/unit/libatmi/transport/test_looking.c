/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_looking.c - looks before a sleep, as far as the domain allows
 */
#include "tests/unit/libatmi/domain_fixture.h"

#include "libatmi/base/clock.h"
#include "libatmi/base/cpus.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/looking.h"

#define MS OW_NS_PER_MS

static struct ow_looks *looks(void)
{
	return &dom->tables->head->looks;
}

/* As if other processes never wanted the CPU: what a busy machine does is not
 * what is tested here. */
static int be_alone(void **state)
{
	dom->waking = ow_waking_defaults;
	dom->waking.look_alone_ns = 10 * OW_NS_PER_SEC;
	dom->waking.look_gap_ns = 10 * OW_NS_PER_SEC;
	dom->waking.look_seat_ns = 10 * OW_NS_PER_SEC;
	dom->waking.look_credit_ns = 100 * OW_NS_PER_SEC;
	memset(looks(), 0, sizeof(*looks()));
	return 0;
}

static struct ow_looker looker(enum ow_look_kind kind)
{
	struct ow_looker l;

	ow_looker_init(&l, dom, kind);
	l.learned.limit_ns = dom->waking.look_max_ns;
	return l;
}

static bool never(void *arg)
{
	return false;
}

/* True from the call with this number on. */
static bool in_some_calls(void *left)
{
	return --*(int *)left <= 0;
}

static uint64_t word(const _Atomic uint64_t *p)
{
	return atomic_load(p);
}

static void a_look_finds_what_comes_meanwhile(void **state)
{
	struct ow_looker l = looker(OW_LOOK_SERVER);
	int left = 10;

	l.learned.limit_ns = 10 * OW_NS_PER_SEC;
	assert_true(ow_looker_begin(&l));
	assert_true(ow_looker_look(&l, in_some_calls, &left));
	assert_int_equal(left, 0);
}

/* What the process does then is no part of the wait. */
static void after_a_hit_nothing_is_learned(void **state)
{
	struct ow_looker l = looker(OW_LOOK_SERVER);
	struct timespec nap = { .tv_nsec = 1000000 };
	uint64_t limit = l.learned.limit_ns;
	int left = 1;

	assert_true(ow_looker_begin(&l));
	assert_true(ow_looker_look(&l, in_some_calls, &left));
	nanosleep(&nap, NULL); /* a service that takes longer than any look */
	ow_looker_end(&l);
	assert_int_equal(l.learned.limit_ns, limit);
}

static void a_look_in_vain_ends_at_the_limit(void **state)
{
	struct ow_looker l = looker(OW_LOOK_SERVER);
	uint64_t begin = ow_clock_mono_ns();

	assert_true(ow_looker_begin(&l));
	assert_false(ow_looker_look(&l, never, NULL));
	assert_true(ow_clock_mono_ns() - begin >= l.learned.limit_ns);
}

static void looks_are_counted_in_the_tables(void **state)
{
	struct ow_looker l = looker(OW_LOOK_CALLER);
	const struct ow_look_figures *f =
		&looks()->kind[OW_LOOK_CALLER].figures;
	int left = 1;

	assert_true(ow_looker_begin(&l));
	assert_true(ow_looker_look(&l, in_some_calls, &left));
	assert_true(ow_looker_begin(&l));
	assert_false(ow_looker_look(&l, never, NULL));
	assert_int_equal(word(&f->looks), 2);
	assert_int_equal(word(&f->hits), 1);
	assert_true(word(&f->ns) >= l.learned.limit_ns);
}

static void only_as_many_look_as_there_are_seats(void **state)
{
	uint32_t i, n = 0, seats = ow_look_seats(ow_cpus_usable());
	struct ow_looker l[OW_LOOK_SEATS + 1];

	if (seats > OW_LOOK_SEATS)
		seats = OW_LOOK_SEATS;
	for (i = 0; i <= seats; i++) {
		l[i] = looker(OW_LOOK_SERVER);
		n += ow_looker_begin(&l[i]);
	}
	assert_int_equal(n, seats);
	/* Callers have seats of their own. */
	l[0] = looker(OW_LOOK_CALLER);
	assert_int_equal(ow_looker_begin(&l[0]), seats > 0);
}

static void a_process_without_a_seat_waits_before_it_asks_again(void **state)
{
	struct ow_looker l = looker(OW_LOOK_SERVER);
	uint32_t i, refused = 0;

	for (i = 0; i < OW_LOOK_SEATS; i++)
		atomic_store(&looks()->kind[OW_LOOK_SERVER].seat[i],
			     ow_clock_mono_ns() + 10 * OW_NS_PER_SEC);
	assert_false(ow_looker_begin(&l));
	memset(looks(), 0, sizeof(*looks()));
	while (refused < 100 && !ow_looker_begin(&l))
		refused++;
	assert_int_equal(refused, dom->waking.look_pause_min);
}

static void a_seat_whose_time_is_over_is_free(void **state)
{
	struct ow_looker l = looker(OW_LOOK_SERVER);
	uint32_t i;

	for (i = 0; i < OW_LOOK_SEATS; i++)
		atomic_store(&looks()->kind[OW_LOOK_SERVER].seat[i],
			     ow_clock_mono_ns() - 1);
	assert_true(ow_looker_begin(&l));
}

static void looks_in_vain_use_up_what_is_allowed(void **state)
{
	struct ow_looker l = looker(OW_LOOK_SERVER);
	uint64_t looked;
	int n = 0;

	dom->waking.look_credit_ns = ow_waking_defaults.look_credit_ns;
	while (n < 10000 && ow_looker_begin(&l)) {
		assert_false(ow_looker_look(&l, never, NULL));
		n++;
	}
	looked = word(&looks()->kind[OW_LOOK_SERVER].figures.ns);
	/* A credit of 10 ms, at five times the price: 2 ms, and a fifth of the
	 * time that has passed. Where the CPU is wanted one look may last for
	 * all of that. */
	assert_in_range(n, 1, 9999);
	assert_true(looked >= 2 * MS);
}

static void spin_0_is_no_look_at_all(void **state)
{
	struct ow_looker l = looker(OW_LOOK_SERVER);

	atomic_store(&looks()->spin, 1 + 0);
	assert_false(ow_looker_begin(&l));
}

static void spin_always_needs_neither_seat_nor_payment(void **state)
{
	struct ow_looker l = looker(OW_LOOK_SERVER);
	uint32_t i;

	atomic_store(&looks()->spin, 1 + OW_SPIN_ALWAYS);
	atomic_store(&looks()->paid_ns,
		     ow_clock_mono_ns() + 1000 * OW_NS_PER_SEC);
	for (i = 0; i < OW_LOOK_SEATS; i++)
		atomic_store(&looks()->kind[OW_LOOK_SERVER].seat[i],
			     ow_clock_mono_ns() + 10 * OW_NS_PER_SEC);
	assert_true(ow_looker_begin(&l));
}

int main(void)
{
#define FACT(f) cmocka_unit_test_setup(f, be_alone)
	const struct CMUnitTest tests[] = {
		FACT(a_look_finds_what_comes_meanwhile),
		FACT(after_a_hit_nothing_is_learned),
		FACT(a_look_in_vain_ends_at_the_limit),
		FACT(looks_are_counted_in_the_tables),
		FACT(only_as_many_look_as_there_are_seats),
		FACT(a_process_without_a_seat_waits_before_it_asks_again),
		FACT(a_seat_whose_time_is_over_is_free),
		FACT(looks_in_vain_use_up_what_is_allowed),
		FACT(spin_0_is_no_look_at_all),
		FACT(spin_always_needs_neither_seat_nor_payment),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
