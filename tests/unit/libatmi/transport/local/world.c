/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world.c - actors that take turns by a seed, and a clock of their own
 */
#include "tests/unit/libatmi/transport/local/world.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libatmi/base/clock.h"

#define ACTORS	64
#define BEGIN_NS OW_NS_PER_SEC
#define TURN_NS	 UINT64_C(1000) /* what one turn takes */

struct actor {
	pthread_t thread;
	sem_t *turn; /* a killed actor waits at its own for ever, which is
			therefore never freed */
	void (*fn)(void *);
	void *arg;
	bool over, killed;
	bool (*ready)(void *); /* NULL: it can run */
	void *ready_arg;
	uint64_t until_ns;
};

static struct actor actors[ACTORS];
static int n_actors;
static sem_t scheduler;
static __thread struct actor *self;
static uint64_t state, now_ns = BEGIN_NS, turns;

int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts);

/* What the libraries call. */
int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	if (id != CLOCK_MONOTONIC)
		return __real_clock_gettime(id, ts);
	ts->tv_sec = (time_t)(now_ns / 1000000000);
	ts->tv_nsec = (long)(now_ns % 1000000000);
	return 0;
}

uint64_t world_now(void)
{
	return now_ns;
}

uint64_t world_turns(void)
{
	return turns;
}

int world_self(void)
{
	return (int)(self - actors);
}

uint32_t world_random(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

void world_begin(uint64_t seed)
{
	memset(actors, 0, sizeof(actors));
	n_actors = 0;
	sem_init(&scheduler, 0, 0);
	turns = 0;
	now_ns = BEGIN_NS;
	state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* The library's locks are taken without blocking: while another actor holds
 * one, it has the turn. */
int __real_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				   const struct timespec *until);

int __wrap_pthread_mutex_lock(pthread_mutex_t *m)
{
	int r;

	if (self == NULL)
		return __real_pthread_mutex_lock(m);
	while ((r = pthread_mutex_trylock(m)) == EBUSY)
		world_yield();
	return r;
}

int __wrap_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				   const struct timespec *until)
{
	(void)clock;
	(void)until;
	return __wrap_pthread_mutex_lock(m);
}

static void await_turn(sem_t *mine)
{
	while (sem_wait(mine) != 0)
		;
}

static void *run_actor(void *arg)
{
	struct actor *a = arg;

	self = a;
	await_turn(a->turn);
	a->fn(a->arg);
	return NULL;
}

int world_add(void (*fn)(void *), void *arg)
{
	struct actor *a = &actors[n_actors];

	if (n_actors == ACTORS)
		abort();
	a->turn = malloc(sizeof(*a->turn));
	if (a->turn == NULL)
		abort();
	sem_init(a->turn, 0, 0);
	a->fn = fn;
	a->arg = arg;
	if (pthread_create(&a->thread, NULL, run_actor, a) != 0)
		abort();
	return n_actors++;
}

static bool can_run(const struct actor *a)
{
	return !a->over && !a->killed &&
	       (a->ready == NULL || now_ns >= a->until_ns ||
		a->ready(a->ready_arg));
}

/* One of those that can run, by the seed; -1: none. */
static int choose(void)
{
	int i, found[ACTORS], n = 0;

	for (i = 0; i < n_actors; i++)
		if (can_run(&actors[i]))
			found[n++] = i;
	return n > 0 ? found[world_random((uint32_t)n)] : -1;
}

/* All wait: the next deadline; WORLD_FOREVER: all are over. */
static uint64_t next_deadline(void)
{
	uint64_t next = WORLD_FOREVER;
	bool any = false;
	int i;

	for (i = 0; i < n_actors; i++) {
		if (actors[i].over || actors[i].killed)
			continue;
		any = true;
		if (actors[i].until_ns < next)
			next = actors[i].until_ns;
	}
	if (any && next == WORLD_FOREVER) {
		fprintf(stderr, "world: all actors wait for ever\n");
		abort();
	}
	return next;
}

/* An actor's turn ends when its thread has ended, thread-local destructors
 * included: a watcher joins it and gives the turn back. It reads the actor
 * before the run begins: the watcher of a killed actor outlives the run, and
 * `actors` belongs to the next run then. */
static void *watch_end(void *arg)
{
	struct actor *a = arg;
	pthread_t thread = a->thread;

	sem_post(&scheduler);
	pthread_join(thread, NULL);
	a->over = true;
	sem_post(&scheduler);
	return NULL;
}

static void start_watchers(pthread_t *watchers)
{
	int i;

	for (i = 0; i < n_actors; i++) {
		if (pthread_create(&watchers[i], NULL, watch_end,
				   &actors[i]) != 0)
			abort();
		await_turn(&scheduler);
	}
}

void world_run(void)
{
	pthread_t watchers[ACTORS];
	int i, who;

	start_watchers(watchers);
	for (;;) {
		who = choose();
		if (who < 0) {
			uint64_t next = next_deadline();

			if (next == WORLD_FOREVER)
				break;
			now_ns = next;
			continue;
		}
		turns++;
		now_ns += TURN_NS;
		sem_post(actors[who].turn);
		await_turn(&scheduler);
	}
	for (i = 0; i < n_actors; i++)
		if (actors[i].over) {
			pthread_join(watchers[i], NULL);
			free(actors[i].turn);
		} else { /* killed: it and its watcher sleep for ever */
			pthread_detach(watchers[i]);
		}
}

void world_yield(void)
{
	sem_t *mine;

	if (self == NULL)
		return;
	mine = self->turn;
	sem_post(&scheduler);
	await_turn(mine);
}

bool world_wait(bool (*ready)(void *), void *arg, uint64_t until_ns)
{
	struct actor *a = self;

	if (a == NULL) /* the test itself: nobody else runs */
		return ready(arg);
	a->ready = ready;
	a->ready_arg = arg;
	a->until_ns = until_ns;
	world_yield();
	a->ready = NULL;
	return ready(arg);
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

void world_sleep(uint64_t ns)
{
	world_wait(never, NULL, now_ns + ns);
}

void world_kill(int who)
{
	actors[who].killed = true;
}

bool world_was_killed(int who)
{
	return actors[who].killed;
}
