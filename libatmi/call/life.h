/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.h - the life of a context: from a thread's first call to its end
 */
#ifndef OW_LIFE_H
#define OW_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct ow_ctx;
struct ow_listener;

/*
 * The context of this thread, made when there is none. Sets tperrno and
 * returns NULL on failure (TPEINVAL: environment; TPESYSTEM, TPEOS).
 */
struct ow_ctx *ow_ctx_get(void);
/* The same if it exists already, else NULL. */
struct ow_ctx *ow_ctx_peek(void);
enum ow_ctx_result {
	OW_CTX_GUEST = 1, /* the domain is another user's: guest.h */
};

/* Before anything that reads the tables: 0, GUEST, or -1 with tperrno
 * (TPENOENT: the domain does not run). */
int ow_ctx_need_domain(struct ow_ctx *c);
/* `l` (NULL: nobody) waits for unsolicited messages of this context. */
void ow_ctx_set_listener(struct ow_ctx *c, struct ow_listener *l);
/* Around a handler of unsolicited messages, which runs in the middle of a call:
 * the thread has no context meanwhile, and gets none. */
struct ow_ctx *ow_ctx_hide(void);
void ow_ctx_show(struct ow_ctx *c);
bool ow_ctx_is_hidden(void);
/* End the context of this thread: its mailbox is emptied, its slot given
 * back, its memory freed. */
void ow_ctx_leave(void);
/* This thread serves as `srvid`; before the first call. */
void ow_ctx_set_server(struct ow_ctx *c, uint32_t srvid, const char *bin);
/* tpinit() has made it with TPMULTICONTEXTS. Is there such a context in the process? */
void ow_ctx_set_multi(struct ow_ctx *c);
bool ow_ctx_is_multi(void);
/* The context with which this thread serves; NULL: it does not serve. */
struct ow_ctx *ow_ctx_home(void);

/* Take the context off this thread, NULL if it has none. The caller owns it. */
struct ow_ctx *ow_ctx_detach(void);
/* Put `c` on this thread, which has none; NULL: no effect. */
void ow_ctx_attach(struct ow_ctx *c);
/* End a context that no thread has. */
void ow_ctx_end(struct ow_ctx *c);

#endif
