/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_races.c - a process that is slow between two instructions does no harm
 *
 * The sources are compiled once more with fault points
 * (libatmi/base/fault.h). Here no process is killed at them: they run what
 * another process does meanwhile.
 */
#include "tests/unit/libatmi/domain_fixture.h"

#include "libatmi/base/fault.h"
#include "libatmi/transport/shm/ring.h"

#define CELLS 4

struct test_ring {
	_Atomic uint64_t head, tail, cells[CELLS];
	struct ow_ring r;
};

static const char *place; /* fault point at which `other` runs; NULL: none */
static void (*other)(void); /* what another process does */
static struct test_ring first, second;

void ow_fault_hit(const char *name)
{
	if (place == NULL || strcmp(name, place) != 0)
		return;
	place = NULL;
	other();
}

static void make(struct test_ring *t)
{
	memset(t, 0, sizeof(*t));
	t->r = (struct ow_ring){ .head = &t->head, .tail = &t->tail,
				 .cells = t->cells, .size = CELLS };
}

static void put(struct test_ring *t, uint64_t ref)
{
	assert_int_not_equal(ow_block_post(dom->blocks, ref, OW_BLOCK_QUEUED),
			     OW_BLOCK_FREE);
	assert_int_equal(ow_ring_put(&t->r, ref), 0);
}

static int take(struct test_ring *t, uint64_t *ret_ref)
{
	return ow_ring_take(&t->r, dom->blocks, OW_BLOCK_QUEUED,
			    OW_BLOCK_TAKEN, ret_ref);
}

/* Another server takes the message, and forwards it in the same block. */
static void take_and_forward(void)
{
	uint64_t ref = 0;

	assert_int_equal(take(&first, &ref), 0);
	put(&second, ref);
}

static void a_slow_taker_does_not_get_a_forwarded_message(void **state)
{
	uint64_t ref = 0, got = 0;
	void *data;

	make(&first);
	make(&second);
	assert_int_equal(ow_block_alloc(dom->blocks, 100, 0, &ref, &data), 0);
	put(&first, ref);
	place = "block.claim";
	other = take_and_forward;
	assert_int_equal(take(&first, &got), OW_RING_EMPTY);
	assert_null(place);
	assert_int_equal(take(&second, &got), 0);
	assert_int_equal(got, ref);
	assert_int_equal(take(&second, &got), OW_RING_EMPTY);
	ow_block_free(dom->blocks, ref);
}

/* Another server takes the message; the queue to which it would forward it is
 * full, so it has the message in hand again. */
static void take_and_be_refused(void)
{
	enum ow_block_kind was;
	uint64_t ref = 0;

	assert_int_equal(take(&first, &ref), 0);
	was = ow_block_post(dom->blocks, ref, OW_BLOCK_QUEUED);
	assert_int_equal(was, OW_BLOCK_TAKEN);
	ow_block_unpost(dom->blocks, ref, was);
}

static void a_slow_taker_does_not_get_a_message_in_hand_elsewhere(void **state)
{
	uint64_t ref = 0, got = 0;
	void *data;

	make(&first);
	assert_int_equal(ow_block_alloc(dom->blocks, 100, 0, &ref, &data), 0);
	put(&first, ref);
	place = "block.claim";
	other = take_and_be_refused;
	assert_int_equal(take(&first, &got), OW_RING_EMPTY);
	assert_true(ow_block_is(dom->blocks, ref, OW_BLOCK_TAKEN));
	ow_block_free(dom->blocks, ref);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    a_slow_taker_does_not_get_a_forwarded_message),
		cmocka_unit_test(
		    a_slow_taker_does_not_get_a_message_in_hand_elsewhere),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
