/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share.h - one context for several threads at once (strict-tuxedo)
 *
 * A program of Tuxedo hands the handle of tpgetctxt() to other threads, which
 * put the same context on (tpsetctxt()) and call, fetch replies, begin and
 * commit in it at the same time. So that contexts of one thread pay nothing for
 * that, a context is shared from the moment on in which somebody can have its
 * handle: tpgetctxt() in strict-tuxedo, between two calls of the thread that has
 * it. doc/design/threads.md, "Shared contexts", has the reasons.
 *
 * One lock for each. A public function takes it at its beginning (OW_SHARED) and
 * gives it back at its end; between its functions no thread has the context
 * (it is taken off the thread, ow_ctx_peek() is NULL), so that nothing is left
 * to point to one that another thread ends. Whoever waits for a message gives
 * the lock back meanwhile:
 *
 *	at the mailbox	one thread, the receiver (`receives`). What it takes
 *			goes to the call or conversation to which it belongs,
 *			and if another thread waits for that, to that thread
 *	for the others	each sleeps on a word of its own (struct ow_sleeper).
 *			It is woken when its reply is kept, or when the receiver
 *			has its own: then it is the next one
 *	for room	where a request cannot be queued: a short nap, then it stands
 *			in line, with the lock
 *
 * `receives`, `inside`, the list of sleepers and `ending` are read and written
 * under the lock. A receiver alone touches c->replyq and c->in; nobody else
 * takes anything in while there is one. It wakes up now and then
 * (OW_CTX_ATTEND_NS), so whoever waits for it to come out waits no longer.
 *
 * The end (tpterm(), or the domain was started again): ow_share_alone() marks
 * it, wakes the sleepers, and waits until no other thread is inside: those get
 * -ECANCELED from their waits, TPESYSTEM for their program. Afterwards the
 * handle is another one: threads that still have the old one find out when
 * they enter (TPINVALIDCONTEXT).
 *
 * A client that has not asked for several contexts (TPMULTICONTEXTS) has one, which
 * all its threads share without asking (`single`; context/single.c makes it). A
 * thread that has no context, and has not been told so, has `ow_sharing` at
 * ow_share_unasked, and asks in its next function. When it ends, they get the
 * next one.
 *
 * The memory is that of a bundle (context/bundle.h), which is never given back:
 * so the lock of any handle, valid or not, may be taken. A forked child makes
 * all of them anew.
 */
#ifndef OW_SHARE_H
#define OW_SHARE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libatmi/base/tls.h"

struct ow_ctx;

/* Something may have come for this thread, or nobody receives. */
#define OW_SHARE_LOOK 100
/* The call for which this thread has waited is over: await.h. */
#define OW_SHARE_GONE 101

/* A thread that waits and is not the receiver. */
struct ow_sleeper {
	struct ow_sleeper *next;
	_Atomic uint32_t woken;
	int cd; /* of a call; 0: of any; OW_SHARE_CONV: a conversation */
};

#define OW_SHARE_CONV (-1)

/* What a thread in tpgetrply() wants: of a context, one thread may want any
 * reply, or several one each. */
enum ow_share_fetch {
	OW_FETCH_NOTHING,
	OW_FETCH_ONE,
	OW_FETCH_ANY,
};

struct ow_share {
	pthread_mutex_t lock;
	void *handle;	    /* NULL: not shared */
	struct ow_ctx *ctx; /* NULL: none yet, or its domain was removed */
	unsigned int inside; /* threads in a function, waiting ones, too */
	unsigned int fetching[OW_FETCH_ANY + 1];
	bool receives, ending;
	bool single; /* that of a process */
	_Atomic unsigned int joins; /* of threads, since it was opened */
	bool ordered; /* a function of a transaction lets nobody in */
	struct ow_sleeper *first;
};

/* The context that this thread shares; NULL: none, it has one of its own, or may
 * make it; ow_share_unasked: it has none, and has not asked. For the fast path. */
extern OW_TLS_FAST struct ow_share *ow_sharing;
extern struct ow_share ow_share_unasked;

static inline bool ow_share_is_any(void)
{
	return ow_sharing != NULL && ow_sharing != &ow_share_unasked;
}

/* May another thread want in? The first one need not let anybody in before. */
static inline bool ow_share_is_crowded(const struct ow_share *s)
{
	return s != NULL && atomic_load(&s->joins) > 1;
}

/* The context of a process (context/single.c). */
struct ow_single {
	/* This thread, which has no context, shares it from now on, if the process
	 * has it or is to have it. */
	bool (*join)(void);
};

extern const struct ow_single ow_single;

/* ---- which one a thread has ---- */

void ow_share_init(struct ow_share *s);
/* From now on `ctx` has the handle `handle`. */
void ow_share_open(struct ow_share *s, void *handle, struct ow_ctx *ctx,
		   bool single);
/* This thread, which shares none, has it from now on: 0; -ENOENT, `handle` is
 * not that of a shared context. */
int ow_share_join(struct ow_share *s, void *handle);
/* The thread has none; it is in no function of it. */
void ow_share_quit(void);
/* The same, and it is not to ask: it has a context of its own, or makes one. */
void ow_share_decline(void);
/* Its own context has left the thread. */
void ow_share_may_ask(void);
/* Of a thread that is to ask: does it share that of the process from now on? */
bool ow_share_ask(void);
bool ow_share_is_single(void);
/* Is this the handle of what the thread shares? */
bool ow_share_is(const void *handle);
void *ow_share_handle(void);
/* Another thread has ended the context that this one shared. */
bool ow_share_is_lost(void);
void ow_share_find_peace(void);
/* What the thread shares, put aside for a call in another context. */
struct ow_share_aside {
	struct ow_share *share;
	void *handle;
	unsigned int depth;
	bool single;
};
struct ow_share_aside ow_share_put_aside(void);
void ow_share_bring_back(const struct ow_share_aside *a);

/* ---- around a function: shared.h ---- */

/* Take the lock; a function that calls others holds it already. 1; 0: the
 * context was ended; that of a process: there may be another one (unasked). *ret:
 * the context, if this is the outermost function. */
int ow_share_enter(struct ow_ctx **ret);
/* In the outermost function: `c` is the context then. */
bool ow_share_is_outermost(void);
void ow_share_leave(struct ow_ctx *c);
/* No other thread enters before this function has ended: its transaction begins
 * or ends before what they do, or after. No effect on a context of one thread. */
void ow_share_in_order(void);
/* Is this thread in a function of the context that it shares? */
bool ow_share_is_inside(void);
/* Its thread was cancelled while it waited. */
void ow_share_cancelled(struct ow_ctx *c);

/* ---- inside ---- */

/* tpgetrply() of this kind begins: 0; -EBUSY, another thread fetches in a way
 * that does not go together with it. ends. */
int ow_share_fetch(struct ow_share *s, enum ow_share_fetch kind);
void ow_share_fetched(struct ow_share *s);

/* As ow_queue_recv() of the mailbox, for the thread that waits for `cd`: LOOK,
 * -ECANCELED. */
int ow_share_recv(struct ow_ctx *c, int cd, uint64_t until);
/* The reply of `cd`, or of a conversation (OW_SHARE_CONV), is kept. */
void ow_share_kept(struct ow_share *s, int cd);
/* Does another thread wait for this call alone? */
bool ow_share_is_awaited(const struct ow_share *s, int cd);
/* Let the others in for a moment: 0; -ECANCELED. */
int ow_share_pause(struct ow_share *s);
/* No other thread is inside, and none enters: 0; -EBUSY, another one is about to
 * end it. Until close() or reopen() all waits end. */
int ow_share_alone(struct ow_share *s);
/* ow_share_alone() was called: the context is over, or (reopen) goes on. */
void ow_share_close(struct ow_share *s);
void ow_share_reopen(struct ow_share *s);

#endif
