/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.h - the life of a context: from a thread's first call to its end
 */
#ifndef OW_LIFE_H
#define OW_LIFE_H

#include <stdint.h>

struct ow_ctx;

#pragma GCC visibility push(default)

/*
 * The context of this thread, made when there is none. Sets tperrno and
 * returns NULL on failure (TPEINVAL: environment; TPESYSTEM, TPEOS).
 */
struct ow_ctx *ow_ctx_get(void);
/* The same if it exists already, else NULL. */
struct ow_ctx *ow_ctx_peek(void);
enum ow_ctx_result {
	OW_CTX_GUEST = 1, /* the domain is another user's: guest_link.h */
};

/* Before anything that reads the tables: 0, GUEST, or -1 with tperrno
 * (TPENOENT: the domain does not run). */
int ow_ctx_need_domain(struct ow_ctx *c);
/* End the context of this thread: its reply queue is removed, its slot given
 * back, its memory freed. */
void ow_ctx_leave(void);
/* This thread serves as `srvid`; before the first call. */
void ow_ctx_set_server(struct ow_ctx *c, uint32_t srvid, const char *bin);

#pragma GCC visibility pop
#endif
