/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shmq_test.h - a domain on shm, messages that are numbers
 */
#ifndef OW_SHMQ_TEST_H
#define OW_SHMQ_TEST_H

#include "tests/unit/libatmi/messages.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define IDS	2000000

/* Written by children and threads. */
static struct {
	_Atomic uint8_t sent[IDS], got[IDS];
	_Atomic uint32_t next, stop, awake[64], served[64];
} *shared;

static inline void clear_shared(void)
{
	memset(shared, 0, sizeof(*shared));
}

static inline int send_id(struct ow_queue *q, uint32_t id,
			  unsigned int prio, uint64_t deadline)
{
	return send_bytes(q, &id, sizeof(id), prio, deadline);
}

/* The next message's number; -1: none. */
static inline int recv_id(struct ow_queue *q, uint64_t deadline)
{
	uint32_t id = 0;
	size_t len = 0;

	if (recv_bytes(q, &id, sizeof(id), deadline, &len) != 0)
		return -1;
	assert_int_equal(len, sizeof(id));
	return (int)id;
}

/* Blocks in use. */
static inline uint64_t used(void)
{
	uint64_t n = 0, bytes = 0;

	ow_blocks_usage(dom->blocks, &n, &bytes);
	return n;
}

/* Make the domain and `shared`, before any test. */
static inline int shmq_make(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -1;
	setenv("NDRX_TRANSPORT", "shm", 1);
	dom_make();
	return 0;
}

#endif
