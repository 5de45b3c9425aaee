/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare_shm.c - bare queues in shared memory, with one wake-up at a time
 *
 * A bounded ring with many senders and takers (a sequence number in each cell
 * says whose turn it is), a bit for each idle server, a futex for each server
 * and client. The sender wakes the first idle server, so that low ones stay
 * warm, but none while a woken server has not reached the ring yet
 * (`searching`). A server that arrives, takes a message and sees more wakes
 * the next one.
 *
 * A reference only: a process killed within put() or take() would block the
 * others. The difference to the shm transport is the cost of surviving that.
 */
#include "bench/bare.h"

#include <limits.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define LINE  64
#define CELLS 1024 /* power of two */
#define BITS  64
#define WORDS ((BARE_SERVERS_MAX + BITS - 1) / BITS)

enum reply_state { REPLY_NONE, REPLY_HERE, REPLY_AWAITED };

struct cell {
	alignas(LINE) atomic_ulong turn; /* n: free for put n; n + 1: full */
	struct bare_message m;
};

struct mailbox {
	alignas(LINE) atomic_int state; /* futex: enum reply_state */
	struct bare_message m;
};

struct ear {
	alignas(LINE) atomic_int woken; /* futex */
	bool searching; /* private to the server: woken, not yet at the ring */
};

struct shared {
	alignas(LINE) atomic_ulong puts;
	alignas(LINE) atomic_ulong takes;
	alignas(LINE) atomic_int searching; /* servers woken, on their way */
	alignas(LINE) atomic_ulong idle[WORDS];
	struct cell cell[CELLS];
	struct mailbox mailbox[BARE_CLIENTS_MAX];
	struct ear ear[BARE_SERVERS_MAX];
};

struct bare_shm {
	const struct bare_job *job;
	long words; /* of `idle` in use */
	struct shared *s;
};

static void futex_wait(atomic_int *word, int while_is)
{
	syscall(SYS_futex, word, FUTEX_WAIT, while_is, NULL, NULL, 0);
}

static void futex_wake(atomic_int *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void *make(const struct bare_job *j)
{
	struct bare_shm *b = calloc(1, sizeof(*b));
	unsigned long i;

	if (b == NULL)
		ow_bare_die("make");
	b->job = j;
	b->words = (j->servers + BITS - 1) / BITS;
	b->s = mmap(NULL, sizeof(*b->s), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (b->s == MAP_FAILED)
		ow_bare_die("shared memory");
	for (i = 0; i < CELLS; i++)
		atomic_init(&b->s->cell[i].turn, i);
	return b;
}

/* Shared memory is inherited by fork(): nothing to open. */
static void open_server(void *bare, long id)
{
}

static void open_parent(void *bare)
{
}

static void remove_nothing(void *bare)
{
}

static bool put(struct shared *s, const struct bare_message *m, size_t size)
{
	unsigned long n = atomic_load(&s->puts);
	struct cell *c;
	long turn;

	for (;;) {
		c = &s->cell[n % CELLS];
		turn = (long)(atomic_load_explicit(&c->turn,
						   memory_order_acquire) - n);
		if (turn < 0)
			return false; /* full */
		if (turn > 0)
			n = atomic_load(&s->puts);
		else if (atomic_compare_exchange_weak(&s->puts, &n, n + 1))
			break;
	}
	memcpy(&c->m, m, size);
	atomic_store_explicit(&c->turn, n + 1, memory_order_release);
	return true;
}

static bool take(struct shared *s, struct bare_message *m, size_t size)
{
	unsigned long n = atomic_load(&s->takes);
	struct cell *c;
	long turn;

	for (;;) {
		c = &s->cell[n % CELLS];
		turn = (long)(atomic_load_explicit(&c->turn,
						   memory_order_acquire) -
			      (n + 1));
		if (turn < 0)
			return false; /* empty */
		if (turn > 0)
			n = atomic_load(&s->takes);
		else if (atomic_compare_exchange_weak(&s->takes, &n, n + 1))
			break;
	}
	memcpy(m, &c->m, size);
	atomic_store_explicit(&c->turn, n + CELLS, memory_order_release);
	return true;
}

static bool is_empty(struct shared *s)
{
	return atomic_load(&s->takes) >= atomic_load(&s->puts);
}

/* Clear a server's idle bit: whoever succeeds wakes it, or it goes on. */
static bool claim(struct shared *s, long id)
{
	unsigned long bit = 1ul << (id % BITS);

	return (atomic_fetch_and(&s->idle[id / BITS], ~bit) & bit) != 0;
}

static bool wake_first(struct bare_shm *b)
{
	struct shared *s = b->s;
	unsigned long bits;
	long w, id;

	for (w = 0; w < b->words; w++)
		while ((bits = atomic_load(&s->idle[w])) != 0) {
			id = w * BITS + __builtin_ctzl(bits);
			if (!claim(s, id))
				continue;
			atomic_store(&s->ear[id].woken, 1);
			futex_wake(&s->ear[id].woken);
			return true;
		}
	return false;
}

/* Wake a server for the messages in the ring, unless one is on its way. */
static void call_one(struct bare_shm *b)
{
	int none = 0;

	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load(&b->s->searching) == 0 &&
	    atomic_compare_exchange_strong(&b->s->searching, &none, 1) &&
	    !wake_first(b))
		atomic_fetch_sub(&b->s->searching, 1);
}

/* This server has reached the ring. */
static void arrive(struct bare_shm *b, struct ear *e)
{
	if (!e->searching)
		return;
	e->searching = false;
	if (atomic_fetch_sub(&b->s->searching, 1) == 1 && !is_empty(b->s))
		call_one(b);
}

static void sleep_until_woken(struct bare_shm *b, struct ear *e, long id)
{
	atomic_store(&e->woken, 0);
	atomic_fetch_or(&b->s->idle[id / BITS], 1ul << (id % BITS));
	if (e->searching)
		atomic_fetch_sub(&b->s->searching, 1);
	e->searching = false;
	atomic_thread_fence(memory_order_seq_cst);
	if (!is_empty(b->s) && claim(b->s, id))
		return; /* a message came before the sleep */
	while (atomic_load(&e->woken) == 0)
		futex_wait(&e->woken, 0);
	e->searching = true;
}

static void reply(struct bare_shm *b, const struct bare_message *m)
{
	struct mailbox *box = &b->s->mailbox[m->client];

	memcpy(&box->m, m, b->job->size);
	if (atomic_exchange(&box->state, REPLY_HERE) == REPLY_AWAITED)
		futex_wake(&box->state);
}

static void serve(void *bare, long id)
{
	struct bare_shm *b = bare;
	struct ear *e = &b->s->ear[id];
	struct bare_message m;

	if (!take(b->s, &m, b->job->size)) {
		sleep_until_woken(b, e, id);
		return;
	}
	arrive(b, e);
	b->job->work(b->job, &m);
	reply(b, &m);
}

static void call(void *bare, struct bare_message *m)
{
	struct bare_shm *b = bare;
	struct mailbox *box = &b->s->mailbox[m->client];
	int none = REPLY_NONE;

	atomic_store(&box->state, REPLY_NONE);
	while (!put(b->s, m, b->job->size))
		sched_yield();
	call_one(b);
	if (atomic_compare_exchange_strong(&box->state, &none, REPLY_AWAITED))
		while (atomic_load(&box->state) != REPLY_HERE)
			futex_wait(&box->state, REPLY_AWAITED);
	memcpy(m, &box->m, b->job->size);
}

const struct ow_bare ow_bare_shm = {
	.make = make,
	.open_server = open_server,
	.open_parent = open_parent,
	.serve = serve,
	.call = call,
	.remove = remove_nothing,
};
