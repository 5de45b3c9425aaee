/* SPDX-License-Identifier: Apache-2.0 */
/*
 * futex.h - sleep on a word of shared memory, wake its sleepers
 *
 * Deadlines are absolute CLOCK_MONOTONIC times: steps of the wall clock do not
 * matter, and a wait restarted after a signal still ends at its deadline.
 */
#ifndef OW_FUTEX_H
#define OW_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleep while *word is `value`, until `until_ns` at the latest. 0: woken, or
 * the word differs; -ETIMEDOUT; -EINTR. */
static inline int ow_futex_wait(_Atomic uint32_t *word, uint32_t value,
				uint64_t until_ns)
{
	struct timespec ts = { .tv_sec = (time_t)(until_ns / 1000000000),
			       .tv_nsec = (long)(until_ns % 1000000000) };

	if (syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, &ts, NULL,
		    FUTEX_BITSET_MATCH_ANY) == 0 ||
	    errno == EAGAIN)
		return 0;
	return -errno;
}

/* Wake up to `count` sleepers. */
static inline void ow_futex_wake(_Atomic uint32_t *word, int count)
{
	syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

#endif
