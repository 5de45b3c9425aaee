/* SPDX-License-Identifier: Apache-2.0 */
/* test_difference.c - a state is read back as it was, and from bad bytes nothing */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

#include "libatmi/base/clock.h"
#include "libndrx/blackbox/difference.h"
#include "libndrx/blackbox/shapes.h"

#define SECONDS 60
#define MS	OW_NS_PER_MS

static struct ow_bb_state before, now, back, none;
static struct ow_bb_bytes bytes;

static int begin(void **state)
{
	srand(7);
	return 0;
}

static int end(void **state)
{
	ow_bb_free(&before);
	ow_bb_free(&now);
	ow_bb_free(&back);
	ow_bb_bytes_free(&bytes);
	return 0;
}

static void fill(struct ow_bb_state *s, unsigned int second)
{
	struct ow_bb_server *v;
	struct ow_bb_offer *o;
	struct ow_bb_client *c;
	unsigned int i, k;

	ow_bb_empty(s);
	s->now_ns = (1000 + second) * OW_NS_PER_SEC + second * MS;
	s->real_ns = s->now_ns + 17;
	for (i = 1; i < 20; i++) {
		if ((i + second) % 7 == 0)
			continue; /* this row comes and goes */
		v = ow_bb_add(s, OW_BB_SERVER, i * 10);
		v->v.pid = (int32_t)(i * second / 9);
		v->v.requests = (uint64_t)second * i * 1000;
		v->v.busy_since_ns = second % 3 ? s->now_ns - i * MS : 0;
		v->v.busy_since_ns -= v->v.busy_since_ns % MS;
		v->v.ctl_exit = -(int32_t)second;
		snprintf(v->v.bin, sizeof(v->v.bin), "sv%u.%u", i, second / 5);
		o = ow_bb_add(s, OW_BB_OFFER, (uint64_t)i * 10 << 32 | 3);
		for (k = 0; k < OW_CNT_END; k += 5)
			o->v.counts.n[k] = second * k * i;
		c = ow_bb_add(s, OW_BB_CLIENT, i);
		c->v.calls = UINT64_MAX - second;
	}
}

static void same_states(const struct ow_bb_state *a,
			const struct ow_bb_state *b)
{
	int k;

	for (k = 0; k < OW_BB_KINDS; k++) {
		size_t n = a->table[k].n * ow_bb_shapes[k].size;

		assert_int_equal(a->table[k].n, b->table[k].n);
		if (n > 0)
			assert_memory_equal(a->table[k].rows, b->table[k].rows,
					    n);
	}
}

static struct ow_bb_rest rest_of(size_t n)
{
	return (struct ow_bb_rest){ bytes.p, bytes.p + n, false };
}

static void states_are_read_back_as_they_were(void **state)
{
	unsigned int i;

	for (i = 0; i < SECONDS; i++) {
		struct ow_bb_rest r;

		fill(&now, i);
		bytes.n = 0;
		ow_bb_differ(&bytes, &before, &now);
		ow_bb_put_number(&bytes, 4711);
		r = rest_of(bytes.n);
		back.now_ns = now.now_ns;
		assert_int_equal(ow_bb_apply(&back, &r), 0);
		assert_int_equal(ow_bb_get_number(&r), 4711);
		assert_ptr_equal(r.p, r.end);
		same_states(&now, &back);
		fill(&before, i);
	}
}

static void a_state_that_did_not_change_is_a_byte_a_kind(void **state)
{
	fill(&now, 3);
	fill(&before, 3);
	bytes.n = 0;
	ow_bb_differ(&bytes, &before, &now);
	assert_int_equal(bytes.n, OW_BB_KINDS);
}

static void cut_bytes_are_refused(void **state)
{
	size_t n;

	fill(&now, 5);
	bytes.n = 0;
	ow_bb_differ(&bytes, &none, &now);
	for (n = 0; n < bytes.n; n++) {
		struct ow_bb_rest r = rest_of(n);

		ow_bb_free(&back);
		assert_int_equal(ow_bb_apply(&back, &r), -EBADMSG);
	}
}

/* The CRC keeps them away: this is for the sanitizer. */
static void changed_bytes_do_no_harm(void **state)
{
	unsigned int i, good = 0;

	fill(&now, 5);
	bytes.n = 0;
	ow_bb_differ(&bytes, &none, &now);
	for (i = 0; i < 3000; i++) {
		size_t at = (size_t)rand() % bytes.n;
		unsigned char was = bytes.p[at];
		struct ow_bb_rest r = rest_of(bytes.n);

		bytes.p[at] = (unsigned char)rand();
		ow_bb_free(&back);
		good += ow_bb_apply(&back, &r) == 0;
		bytes.p[at] = was;
	}
	assert_in_range(good, 1, 2999);
}

static void details_are_held_back_of_the_same_process_only(void **state)
{
	struct ow_bb_offer *o;

	fill(&before, 1);
	fill(&now, 1);
	o = ow_bb_find(&now, OW_BB_OFFER, (uint64_t)10 << 32 | 3);
	o->v.counts.n[5] = 99;
	o = ow_bb_find(&now, OW_BB_OFFER, (uint64_t)20 << 32 | 3);
	o->v.counts.n[5] = 99;
	((struct ow_bb_server *)ow_bb_find(&now, OW_BB_SERVER, 20))->v.pid = 77;
	ow_bb_hold_back(&before, &now);
	o = ow_bb_find(&now, OW_BB_OFFER, (uint64_t)10 << 32 | 3);
	assert_int_equal(o->v.counts.n[5], 5);
	o = ow_bb_find(&now, OW_BB_OFFER, (uint64_t)20 << 32 | 3);
	assert_int_equal(o->v.counts.n[5], 99);
}

static void of_rows_with_the_same_key_one_stays(void **state)
{
	ow_bb_empty(&now);
	ow_bb_add(&now, OW_BB_TRAN, 9);
	ow_bb_add(&now, OW_BB_TRAN, 5);
	ow_bb_add(&now, OW_BB_TRAN, 9);
	ow_bb_sort(&now);
	assert_int_equal(now.table[OW_BB_TRAN].n, 2);
	assert_int_equal(ow_bb_key(ow_bb_row(&now, OW_BB_TRAN, 0)), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    states_are_read_back_as_they_were, begin, end),
		cmocka_unit_test_setup_teardown(
		    a_state_that_did_not_change_is_a_byte_a_kind, begin, end),
		cmocka_unit_test_setup_teardown(cut_bytes_are_refused, begin,
						end),
		cmocka_unit_test_setup_teardown(changed_bytes_do_no_harm, begin,
						end),
		cmocka_unit_test_setup_teardown(
		    details_are_held_back_of_the_same_process_only, begin, end),
		cmocka_unit_test_setup_teardown(
		    of_rows_with_the_same_key_one_stays, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
