/* SPDX-License-Identifier: Apache-2.0 */
/* test_block_slots.c - slots of processes that have, or had, blocks */
#include "tests/unit/libatmi/transport/block/blocks.h"

#include "libatmi/domain/prc.h"

#define NOBODY ow_proc_id_make(0x3ffffe, 1) /* no such process */

static uint32_t slots_of_the_dead(uint32_t from, uint32_t n)
{
	uint32_t i, found = 0;

	for (i = from; i < from + n; i++)
		found += atomic_load(&dom->tables->prc[i].owner) != 0;
	return found;
}

/* Give slots to a dead process; returns the first. */
static uint32_t bury(uint32_t n)
{
	struct ow_tables *t = dom->tables;
	uint32_t i, from = atomic_load(&t->head->prc_high);

	assert_int_equal(ow_tables_reserve(t, &t->prc[from],
					   n * sizeof(t->prc[0])), 0);
	for (i = from; i < from + n; i++)
		atomic_store(&t->prc[i].owner, NOBODY);
	atomic_store(&t->head->prc_high, from + n);
	return from;
}

/* Each sweep checks some slots, all in time, and keeps those of living
 * processes. */
static void slots_of_dead_processes_are_freed_in_several_sweeps(void **state)
{
	enum { DEAD = 9000 };
	struct ow_tables *t = dom->tables;
	uint32_t me = ow_prc_self(t), from = bury(DEAD), i, left, was = DEAD;

	for (i = 0; i < 4; i++, was = left) {
		ow_blocks_sweep(dom->blocks, 0, free_after_second, NULL);
		left = slots_of_the_dead(from, DEAD);
		assert_in_range(was - left, 0, 4096);
	}
	assert_int_equal(left, 0);
	assert_int_equal(ow_proc_id_pid(t->prc[me].owner), getpid());
}

/* ---- the slots of processes that end ---- */

static uint32_t slots_in_use(void)
{
	return slots_of_the_dead(1, atomic_load(&dom->tables->head->prc_high));
}

static void use_and_exit(void *unused)
{
	char *p;

	ow_block_free(dom->blocks, alloc(100, &p));
	exit(0); /* the destructors run */
}

static void keep_and_exit(void *unused)
{
	char *p;

	alloc(100, &p);
	exit(0);
}

static void post_and_exit(void *unused)
{
	char *p;
	uint64_t ref = alloc(100, &p);

	if (ow_block_post(dom->blocks, ref, OW_BLOCK_QUEUED) != OW_BLOCK_HELD)
		_exit(1);
	exit(0);
}

static void a_process_gives_its_slot_back_when_it_exits(void **state)
{
	uint32_t before;

#ifdef __SANITIZE_THREAD__
	print_message("ThreadSanitizer adds a thread to each process\n");
	skip();
#endif
	ow_blocks_sweep(dom->blocks, 0, free_all, NULL);
	before = slots_in_use();
	assert_int_equal(in_child(use_and_exit, NULL), 0);
	assert_int_equal(slots_in_use(), before);
	/* The program may still use the block: both stay until the sweep. */
	assert_int_equal(in_child(keep_and_exit, NULL), 0);
	assert_int_equal(slots_in_use(), before + 1);
	assert_int_equal(used(), 1);
	ow_blocks_sweep(dom->blocks, 0, free_all, NULL); /* it is still named */
	assert_int_equal(used(), 0);
	ow_blocks_sweep(dom->blocks, 0, free_all, NULL);
	assert_int_equal(slots_in_use(), before);
	/* A request in a queue goes on without its sender. */
	assert_int_equal(in_child(post_and_exit, NULL), 0);
	assert_int_equal(slots_in_use(), before);
	assert_int_equal(used(), 1);
	ow_blocks_sweep(dom->blocks, 0, free_all, NULL);
	assert_int_equal(used(), 0);
}

/* A process that has a slot, takes a block when told, and waits for its end. */
struct late {
	pid_t pid;
	int to[2], from[2];
};

static void take_block_when_told(const struct late *l)
{
	uint32_t prc = ow_prc_self(dom->tables);
	char c, *p;

	if (write(l->from[1], &prc, sizeof(prc)) != sizeof(prc) ||
	    read(l->to[0], &c, 1) != 1)
		_exit(1);
	alloc(64, &p);
	if (write(l->from[1], &c, 1) != 1)
		_exit(2);
	pause();
}

/* The sweep has passed the place where the block will be. */
static bool take_and_die(const struct ow_orphan *o, void *arg)
{
	struct late *l = arg;
	char c = 'x';

	if (l->pid == 0)
		return true;
	assert_int_equal(write(l->to[1], &c, 1), 1);
	assert_int_equal(read(l->from[0], &c, 1), 1);
	kill(l->pid, SIGKILL);
	waitpid(l->pid, NULL, 0);
	l->pid = 0;
	return true;
}

static void a_slot_is_not_freed_while_a_block_names_it(void **state)
{
	struct late l;
	uint32_t prc;

	ow_blocks_sweep(dom->blocks, 0, free_all, NULL);
	assert_int_equal(pipe(l.to) | pipe(l.from), 0);
	l.pid = test_fork();
	if (l.pid == 0)
		take_block_when_told(&l);
	assert_int_equal(read(l.from[0], &prc, sizeof(prc)), sizeof(prc));
	orphan(); /* of a larger class: visited after the small blocks */
	ow_blocks_sweep(dom->blocks, 0, take_and_die, &l);
	assert_int_equal(l.pid, 0);
	assert_int_equal(used(), 1);
	assert_int_not_equal(dom->tables->prc[prc].owner, 0);
	ow_blocks_sweep(dom->blocks, 0, free_all, NULL);
	assert_int_equal(used(), 0);
	ow_blocks_sweep(dom->blocks, 0, free_all, NULL);
	assert_int_equal(dom->tables->prc[prc].owner, 0);
	close(l.to[0]);
	close(l.to[1]);
	close(l.from[0]);
	close(l.from[1]);
}

static void join_crowded(void *unused)
{
	uint32_t slot;

	if (ow_prc_self(dom->tables) != 0 ||
	    ow_clt_take(dom->tables, &slot) != OW_TABLES_CROWDED)
		_exit(1);
	if (ow_reap_need_slot(dom) != 0 || ow_prc_self(dom->tables) == 0 ||
	    ow_clt_take(dom->tables, &slot) != 0)
		_exit(2);
	ow_clt_clear(dom->tables, slot);
}

static void join_full(void *unused)
{
	if (ow_reap_need_slot(dom) != OW_TABLES_CROWDED)
		_exit(1);
}

/* All slots that are free are those of a dead process. */
static void crowd(void)
{
	struct ow_tables *t = dom->tables;
	uint32_t high = atomic_load(&t->head->prc_high), i;
	ow_proc_id none;

	if (high < OW_PRC_MAX)
		bury(OW_PRC_MAX - high);
	for (i = 1; i < high; i++) {
		none = 0;
		atomic_compare_exchange_strong(&t->prc[i].owner, &none,
					       NOBODY);
	}
}

static void hoard(void *unused)
{
	char *p;
	int i;

	for (i = 0; i < 20000; i++)
		alloc(100, &p);
}

static void sweep_crowded(void *unused)
{
	uint64_t t0 = ow_clock_mono_ns();

	if (ow_prc_self(dom->tables) != 0 ||
	    ow_blocks_sweep(dom->blocks, 0, free_all, NULL) != 20000)
		_exit(1);
	if (ow_clock_mono_ns() - t0 > 3 * OW_NS_PER_SEC)
		_exit(2);
}

/* It looks for a slot once, not once for each block that it frees. */
static void a_sweep_without_a_slot_takes_no_longer(void **state)
{
	assert_int_equal(in_child(hoard, NULL), 0);
	crowd();
	assert_int_equal(in_child(sweep_crowded, NULL), 0);
	assert_int_equal(used(), 0);
}

/* Nobody has swept: the process that needs a slot does. */
static void a_process_finds_a_slot_among_those_of_the_dead(void **state)
{
	struct ow_tables *t = dom->tables;
	uint32_t i;

	crowd();
	assert_int_equal(in_child(join_crowded, NULL), 0);
	for (i = 1; i < OW_PRC_MAX; i++) /* all of a living process */
		atomic_store(&t->prc[i].owner, ow_proc_id_self());
	assert_int_equal(in_child(join_full, NULL), 0);
	for (i = 1; i < OW_PRC_MAX; i++)
		if (i != ow_prc_self(t))
			atomic_store(&t->prc[i].owner, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    slots_of_dead_processes_are_freed_in_several_sweeps),
		cmocka_unit_test(a_process_gives_its_slot_back_when_it_exits),
		cmocka_unit_test(a_slot_is_not_freed_while_a_block_names_it),
		cmocka_unit_test(a_sweep_without_a_slot_takes_no_longer),
		cmocka_unit_test(
		    a_process_finds_a_slot_among_those_of_the_dead),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
