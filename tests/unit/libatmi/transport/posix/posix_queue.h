/* SPDX-License-Identifier: Apache-2.0 */
/*
 * posix_queue.h - a service queue of posix, and the bytes in its FIFO
 */
#ifndef OW_TEST_POSIX_QUEUE_H
#define OW_TEST_POSIX_QUEUE_H

#include <sys/ioctl.h>

#include "libatmi/base/clock.h"
#include "libatmi/transport/posix/posix.h"
#include "tests/unit/libatmi/messages.h"

/* The queue of a service that has a name in the tables. */
static inline struct ow_queue *make_queue(const char *service)
{
	struct ow_queue *q;
	int svc;

	assert_int_equal(ow_tables_lock(dom->tables), 0);
	svc = ow_svc_name(dom->tables, service);
	ow_tables_unlock(dom->tables);
	assert_true(svc >= 0);
	q = dom_queue(service, 8, 256);
	assert_non_null(posix_of(q)->svc);
	return q;
}

static inline int bytes_in(struct ow_queue *q)
{
	int n = -1;

	assert_int_equal(ioctl(posix_of(q)->fifo, FIONREAD, &n), 0);
	return n;
}

/* A message with this deadline has no time of its own: bell.h. */
static inline uint64_t soon(void)
{
	return ow_clock_mono_ns() + OW_NS_PER_SEC;
}

static inline void post(struct ow_queue *q, int n)
{
	while (n-- > 0)
		assert_int_equal(send_bytes(q, "m", 1, 5, soon()), 0);
}

#endif
