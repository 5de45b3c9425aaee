/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored.h - a one-way call of a durable service on its way to a tmqueue
 *
 * The service OW_STORED_SERVICE of a tmqueue gets a CARRAY buffer with this head
 * and the content as it travels (msg.h), and returns the answer in another.
 * Both ends run on one machine. doc/design/durable_services.md
 */
#ifndef OW_STORED_WIRE_H
#define OW_STORED_WIRE_H

#include <stdint.h>

#define OW_STORED_SERVICE "@DURABLE"

#define OW_STORED_MAGIC	 0x3153574fu
#define OW_STORED_ANSWER 0x4153574fu
#define OW_STORED_MOST	 (UINT64_C(64) << 20) /* bytes of content */

/* A caller waits so much longer than its own deadline, which the tmqueue keeps:
 * it is told the truth, unless the tmqueue is stopped. */
#define OW_STORED_GRACE_NS (UINT64_C(2) * 1000000000)

struct ow_stored_head {
	uint32_t magic;
	uint8_t type, sub_len; /* of the content */
	uint8_t prio;	       /* of the call */
	uint8_t pad;
	uint64_t deadline_ns; /* monotonic; 0: none */
	uint64_t len;	      /* of the content, with the subtype */
	char service[32];
};

struct ow_stored_answer {
	uint32_t magic;
	int32_t tperr; /* 0: it is on disk */
	char why[160];
};

_Static_assert(sizeof(struct ow_stored_head) % 8 == 0,
	       "the content is aligned behind its head");

#endif
