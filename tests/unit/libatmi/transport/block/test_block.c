/* SPDX-License-Identifier: Apache-2.0 */
/* test_block.c - blocks: sizes, references, owners, full disks, stress */
#include "tests/unit/libatmi/transport/block/blocks.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "libatmi/wire/msg.h"

#define STRESS_CHILDREN 6
#define STRESS_MS	1500

static bool free_unless(const struct ow_orphan *o, void *arg)
{
	return o->ref != *(uint64_t *)arg && free_after_second(o, NULL);
}

static void every_size_class_holds_its_size(void **state)
{
	uint64_t size, ref, len;
	char *p;
	int c, d;

	for (c = 0, size = 4096; c < 9; c++, size *= 4)
		for (d = -1; d <= 1; d++) {
			len = size + (uint64_t)d;
			ref = alloc(len, &p);
			p[0] = 'a';
			p[len - 1] = 'z';
			assert_ptr_equal(ow_block_adopt(dom->blocks, ref, len),
					 p);
			ow_block_free(dom->blocks, ref);
			assert_int_equal(used(), 0);
		}
}

static void one_byte_is_allocated_and_too_much_is_refused(void **state)
{
	uint64_t ref = 0;
	void *data = NULL;
	char *p;

	ref = alloc(1, &p);
	ow_block_free(dom->blocks, ref);
	assert_int_equal(ow_block_alloc(dom->blocks,
					(UINT64_C(4) << 30) + 1, 0, &ref,
					&data), OW_BLOCK_FULL);
	assert_int_equal(ow_block_alloc(dom->blocks, UINT64_MAX, 0, &ref,
					&data), OW_BLOCK_FULL);
	assert_null(data);
}

static void invented_and_stale_references_are_refused(void **state)
{
	unsigned int seed = 5;
	uint64_t ref, old, x;
	char *p;
	int i;

	old = alloc(100, &p);
	ow_block_free(dom->blocks, old);
	ref = alloc(100, &p); /* the same block again */
	assert_int_equal((uint32_t)ref, (uint32_t)old);
	assert_null(ow_block_adopt(dom->blocks, old, 100));
	ow_block_free(dom->blocks, old);
	assert_int_equal(used(), 1);
	for (i = 0; i < 200000; i++) {
		x = (uint64_t)rand_r(&seed) << 40 ^
		    (uint64_t)rand_r(&seed) << 20 ^ (uint64_t)rand_r(&seed);
		if (x == ref)
			continue;
		assert_null(ow_block_adopt(dom->blocks, x, 1));
		ow_block_free(dom->blocks, x);
	}
	for (i = 0; i < 64; i++)
		assert_null(ow_block_adopt(dom->blocks,
					   ref ^ UINT64_C(1) << i, 1));
	assert_null(ow_block_adopt(dom->blocks, 0, 0));
	assert_null(ow_block_adopt(dom->blocks, UINT64_MAX, 0));
	ow_block_free(dom->blocks, ref);
	assert_int_equal(used(), 0);
}

static void adopt_refuses_a_length_beyond_the_payload(void **state)
{
	char *p;
	uint64_t ref = alloc(100, &p);

	assert_null(ow_block_adopt(dom->blocks, ref, 101));
	assert_null(ow_block_adopt(dom->blocks, ref, UINT64_MAX));
	assert_ptr_equal(ow_block_adopt(dom->blocks, ref, 100), p);
	assert_ptr_equal(ow_block_adopt(dom->blocks, ref, 0), p);
	ow_block_free(dom->blocks, ref);
}

static void an_opened_block_tells_how_much_can_be_read(void **state)
{
	struct ow_msg head = { .magic = OW_MSG_MAGIC, .seq = 7 }, got;
	uint64_t ref, most = 0;
	char *p;

	ref = alloc(300, &p);
	*ow_block_msg(dom->blocks, ref) = head;
	assert_ptr_equal(ow_block_open(dom->blocks, ref, &got, &most), p);
	assert_int_equal(most, 300);
	assert_int_equal(got.seq, 7);
	ow_block_free(dom->blocks, ref);
	assert_null(ow_block_open(dom->blocks, ref, &got, &most));
	assert_null(ow_block_open(dom->blocks, 0, &got, &most));
	assert_null(ow_block_open(dom->blocks, UINT64_MAX, &got, &most));
}

static void freeing_twice_frees_once(void **state)
{
	char *a, *b;
	uint64_t ref = alloc(10, &a), other;

	ow_block_free(dom->blocks, ref);
	ow_block_free(dom->blocks, ref);
	ref = alloc(10, &a);
	other = alloc(10, &b);
	assert_ptr_not_equal(a, b);
	ow_block_free(dom->blocks, ref);
	ow_block_free(dom->blocks, other);
}

static void an_orphan_is_freed_after_a_second(void **state)
{
	uint64_t t0 = ow_clock_mono_ns();

	orphan();
	assert_int_equal(ow_blocks_sweep(dom->blocks, 0, free_after_second,
					 NULL), 0);
	WAIT_FOR(ow_blocks_sweep(dom->blocks, 0, free_after_second, NULL) == 1);
	assert_true(ow_clock_mono_ns() - t0 >= OW_NS_PER_SEC);
	assert_int_equal(used(), 0);
}

static void an_orphan_in_use_is_not_freed(void **state)
{
	uint64_t ref = orphan(), mine, until;
	char *p;

	mine = alloc(1, &p); /* its owner lives: not freed */
	ow_blocks_sweep(dom->blocks, 0, free_unless, &ref);
	until = ow_clock_mono_ns() + 1100 * OW_NS_PER_MS;
	WAIT_FOR(ow_clock_mono_ns() > until);
	assert_int_equal(ow_blocks_sweep(dom->blocks, 0, free_unless, &ref), 0);
	/* Adopted by a living process: a sweep does not free it. */
	assert_non_null(ow_block_adopt(dom->blocks, ref, 5000));
	assert_int_equal(ow_blocks_sweep(dom->blocks, 0, free_after_second,
					 NULL), 0);
	ow_block_free(dom->blocks, ref);
	ow_block_free(dom->blocks, mine);
	assert_int_equal(used(), 0);
}

/* ---- no room ---- */

static int fill_small(struct ow_blocks *b)
{
	uint64_t ref[64], i, n = 0;
	void *p;
	int r = 0;

	while (n < 64 && (r = ow_block_alloc(b, 100000, 0, &ref[n], &p)) == 0)
		memset(p, 'x', 100000), n++;
	if (n == 0 || n == 64 || r != OW_BLOCK_FULL)
		return 1;
	for (i = 0; i < n; i++)
		ow_block_free(b, ref[i]);
	ow_blocks_usage(b, &i, &n);
	if (i != 0)
		return 2;
	return ow_block_alloc(b, 100000, 0, &ref[0], &p) == 0 ? 0 : 3;
}

/* Run `fn` with a store in a file system of 2 MB; it must return 0. */
static void in_small_file_system(int (*fn)(struct ow_blocks *))
{
	struct ow_blocks *b = NULL;
	char dir[256], path[300];
	int r;

	snprintf(dir, sizeof(dir), "%s", scratch_path("small"));
	mkdir(dir, 0700);
	if (mount("small", dir, "tmpfs", 0, "size=2m") != 0) {
		print_message("needs root: no small tmpfs\n");
		skip();
	}
	snprintf(path, sizeof(path), "%s/b", dir);
	r = ow_blocks_open(path, dom->tables, &b);
	if (r == 0)
		r = fn(b);
	ow_blocks_close(b);
	umount2(dir, MNT_DETACH);
	assert_int_equal(r, 0);
}

static void a_full_file_system_is_an_error_and_leaks_nothing(void **state)
{
	in_small_file_system(fill_small);
}

/* Memory of free blocks of one class becomes available to other classes. */
static int use_in_turn(struct ow_blocks *b)
{
	static const uint64_t lens[] = { 1 << 20, 900000, 5000, 1200000 };
	uint64_t ref[200];
	unsigned int k, i, n;
	void *p;

	for (k = 0; k < 12; k++) {
		n = lens[k % 4] == 5000 ? 120 : 1;
		for (i = 0; i < n; i++) {
			if (ow_block_alloc(b, lens[k % 4], 0, &ref[i], &p) !=
			    0)
				return (int)(1 + k);
			memset(p, 'x', lens[k % 4]);
		}
		while (i > 0)
			ow_block_free(b, ref[--i]);
	}
	return 0;
}

static void memory_of_free_blocks_of_all_classes_is_used_first(void **state)
{
	in_small_file_system(use_in_turn);
}

static uint64_t bytes_of_store(void)
{
	struct stat st;
	char path[160];

	ow_domain_shm_path(dom, "blocks", path, sizeof(path));
	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

static void free_blocks_keep_their_memory_for_three_seconds(void **state)
{
	uint64_t now = ow_clock_mono_ns(), before, held, ref[4];
	unsigned int i, k;
	char *p;

	ow_blocks_return_idle(dom->blocks, now);
	ow_blocks_return_idle(dom->blocks, now + 4 * OW_NS_PER_SEC);
	before = bytes_of_store();
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 4; i++) {
			ref[i] = alloc(3 << 20, &p);
			memset(p, 'x', 3 << 20);
		}
		held = bytes_of_store();
		assert_true(held >= before + (12 << 20));
		while (i > 0)
			ow_block_free(dom->blocks, ref[--i]);
		assert_int_equal(bytes_of_store(), held);
	}
	ow_blocks_return_idle(dom->blocks, now);
	ow_blocks_return_idle(dom->blocks, now + 2 * OW_NS_PER_SEC);
	assert_int_equal(bytes_of_store(), held);
	ow_blocks_return_idle(dom->blocks, now + 4 * OW_NS_PER_SEC);
	assert_true(bytes_of_store() <= before + 4096 * 4);
}

static void a_process_of_a_removed_domain_does_not_open_the_next_ones_blocks(
    void **state)
{
	struct ow_blocks *b = NULL;
	char path[160];
	uint64_t ref;
	void *p;

	ow_domain_shm_path(dom, "blocks", path, sizeof(path));
	assert_int_equal(ow_blocks_open(path, dom->tables, &b), 0);
	atomic_store(&dom->tables->head->gone, 1);
	assert_int_equal(ow_block_alloc(b, 1, 0, &ref, &p), -ESTALE);
	atomic_store(&dom->tables->head->gone, 0);
	assert_int_equal(ow_block_alloc(b, 1, 0, &ref, &p), 0);
	ow_block_free(b, ref);
	ow_blocks_close(b);
}

static void a_damaged_segment_is_refused(void **state)
{
	struct ow_blocks *b = NULL;
	uint64_t ref;
	void *p;

	scratch_write(scratch_path("bad"), "not a segment");
	assert_int_equal(chmod(scratch_path("bad"), 0600), 0);
	assert_int_equal(ow_blocks_open(scratch_path("bad"), dom->tables,
					&b), 0);
	assert_int_equal(ow_block_alloc(b, 1, 0, &ref, &p), -EBADMSG);
	assert_null(ow_block_adopt(b, UINT64_C(1) << 56, 1));
	ow_blocks_close(b);
}

/* ---- stress ---- */

/* Allocate, write a pattern, check it later, free. */
static void stress(unsigned int seed)
{
	uint64_t ref[8] = { 0 }, len[8];
	char *data[8], mark;
	unsigned int i, k;

	for (k = 0;; k++) {
		i = (unsigned int)rand_r(&seed) % 8;
		mark = (char)(getpid() + (int)i);
		if (ref[i] != 0) {
			if (data[i][0] != mark || data[i][len[i] / 2] != mark ||
			    data[i][len[i] - 1] != mark)
				_exit(1);
			ow_block_free(dom->blocks, ref[i]);
			ref[i] = 0;
			continue;
		}
		len[i] = (uint64_t)1 << (rand_r(&seed) % 21);
		if (ow_block_alloc(dom->blocks, len[i], 0, &ref[i],
				   (void **)&data[i]) != 0)
			_exit(2);
		data[i][0] = data[i][len[i] / 2] = data[i][len[i] - 1] = mark;
	}
}

static pid_t start_stress(unsigned int seed)
{
	pid_t pid = test_fork();

	if (pid == 0)
		stress(seed);
	return pid;
}

static void blocks_of_killed_processes_are_freed(void **state)
{
	uint64_t end = ow_clock_mono_ns() + STRESS_MS * OW_NS_PER_MS;
	struct timespec nap = { .tv_nsec = 3000000 };
	pid_t pid[STRESS_CHILDREN];
	unsigned int seed = 11, kills = 0, i;
	int st;

	for (i = 0; i < STRESS_CHILDREN; i++)
		pid[i] = start_stress(i);
	while (kills < KILLS_MIN || ow_clock_mono_ns() < end) {
		i = (unsigned int)rand_r(&seed) % STRESS_CHILDREN;
		nap.tv_nsec = rand_r(&seed) % 5000000;
		nanosleep(&nap, NULL);
		kill(pid[i], SIGKILL);
		waitpid(pid[i], &st, 0);
		assert_true(WIFSIGNALED(st)); /* else: a wrong pattern */
		pid[i] = start_stress(1000 + kills++);
		if (kills % 16 == 0)
			ow_blocks_sweep(dom->blocks, 0, free_after_second,
					NULL);
	}
	for (i = 0; i < STRESS_CHILDREN; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], &st, 0);
		assert_true(WIFSIGNALED(st));
	}
	WAIT_FOR((ow_blocks_sweep(dom->blocks, 0, free_after_second, NULL),
		  used() == 0));
}

/* ---- what threads keep ---- */

#define MANY 64

struct freed {
	uint64_t ref[MANY];
	pthread_barrier_t done, end;
};

static void *free_many(void *arg)
{
	struct freed *f = arg;
	int i;

	for (i = 0; i < MANY; i++)
		ow_block_free(dom->blocks, f->ref[i]);
	pthread_barrier_wait(&f->done);
	pthread_barrier_wait(&f->end);
	return NULL;
}

/* As a caller on posix, which gets each reply in a block of a server. */
static void a_thread_that_only_frees_keeps_few(void **state)
{
	uint64_t ref[MANY - 4];
	uint32_t highest = 0;
	struct freed f;
	pthread_t t;
	char *p;
	int i;

	for (i = 0; i < MANY; i++) {
		f.ref[i] = alloc(1500, &p);
		if ((uint32_t)f.ref[i] > highest)
			highest = (uint32_t)f.ref[i];
	}
	pthread_barrier_init(&f.done, NULL, 2);
	pthread_barrier_init(&f.end, NULL, 2);
	assert_int_equal(pthread_create(&t, NULL, free_many, &f), 0);
	pthread_barrier_wait(&f.done);
	for (i = 0; i < MANY - 4; i++) {
		ref[i] = alloc(1500, &p);
		/* Four are fetched at once. */
		assert_true((uint32_t)ref[i] <= highest + 4);
	}
	pthread_barrier_wait(&f.end);
	pthread_join(t, NULL);
	for (i = 0; i < MANY - 4; i++)
		ow_block_free(dom->blocks, ref[i]);
	assert_int_equal(used(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_class_holds_its_size),
		cmocka_unit_test(one_byte_is_allocated_and_too_much_is_refused),
		cmocka_unit_test(invented_and_stale_references_are_refused),
		cmocka_unit_test(adopt_refuses_a_length_beyond_the_payload),
		cmocka_unit_test(an_opened_block_tells_how_much_can_be_read),
		cmocka_unit_test(freeing_twice_frees_once),
		cmocka_unit_test(a_thread_that_only_frees_keeps_few),
		cmocka_unit_test(an_orphan_is_freed_after_a_second),
		cmocka_unit_test(an_orphan_in_use_is_not_freed),
		cmocka_unit_test(
		    a_full_file_system_is_an_error_and_leaks_nothing),
		cmocka_unit_test(
		    memory_of_free_blocks_of_all_classes_is_used_first),
		cmocka_unit_test(
		    free_blocks_keep_their_memory_for_three_seconds),
		cmocka_unit_test(
		    a_process_of_a_removed_domain_does_not_open_the_next_ones_blocks),
		cmocka_unit_test(a_damaged_segment_is_refused),
		cmocka_unit_test(blocks_of_killed_processes_are_freed),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
