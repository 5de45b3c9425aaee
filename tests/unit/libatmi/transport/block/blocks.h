/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.h - blocks and orphans, for tests of the block store */
#ifndef OW_TEST_BLOCKS_H
#define OW_TEST_BLOCKS_H

#include "tests/unit/libatmi/domain_fixture.h"

static inline uint64_t used(void)
{
	uint64_t n = 0, bytes = 0;

	ow_blocks_usage(dom->blocks, &n, &bytes);
	return n;
}

static inline uint64_t alloc(uint64_t len, char **ret_data)
{
	uint64_t ref = 0;
	void *data = NULL;

	assert_int_equal(ow_block_alloc(dom->blocks, len, 0, &ref, &data), 0);
	*ret_data = data;
	return ref;
}

/* Free an orphan after one second. */
static inline bool free_after_second(const struct ow_orphan *o, void *arg)
{
	return ow_clock_mono_ns() - o->since_ns >= OW_NS_PER_SEC;
}

static inline bool free_all(const struct ow_orphan *o, void *arg)
{
	return true;
}

/* ---- dead owners ---- */

struct gift {
	uint64_t ref;
	int fd[2];
};

static inline void alloc_and_die(void *arg)
{
	struct gift *g = arg;
	uint64_t ref;
	void *p;

	if (ow_block_alloc(dom->blocks, 5000, 0, &ref, &p) != 0 ||
	    write(g->fd[1], &ref, sizeof(ref)) != sizeof(ref))
		_exit(1);
	raise(SIGKILL);
}

static inline uint64_t orphan(void)
{
	struct gift g = { 0 };

	assert_int_equal(pipe(g.fd), 0);
	assert_int_equal(in_child(alloc_and_die, &g), 128 + SIGKILL);
	assert_int_equal(read(g.fd[0], &g.ref, sizeof(g.ref)), sizeof(g.ref));
	close(g.fd[0]);
	close(g.fd[1]);
	return g.ref;
}

#endif
