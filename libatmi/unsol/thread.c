/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread.c - the thread that calls the handler of a context (TPU_THREAD)
 */
#include "libatmi/unsol/thread.h"

#include <signal.h>

#include "libatmi/base/clock.h"
#include "libatmi/call/life.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/inbox.h"
#include "libatmi/unsol/deliver.h"

/* A sender that is killed between its message and the wake-up: the message
 * waits so long. */
#define SLICE_NS OW_NS_PER_SEC

enum { TAKEN = 1, NOTHING, HALTED };

static int take(struct ow_unsol *u, uint64_t *ret_ref)
{
	int r = HALTED;

	pthread_mutex_lock(&u->taking);
	if (!u->halted)
		r = ow_inbox_take(u->dom, u->slot, ret_ref) == 0 ? TAKEN
								 : NOTHING;
	pthread_mutex_unlock(&u->taking);
	return r;
}

/* `halted` is read after the inbox was told that this thread sleeps: who sets
 * it rouses the sleeper afterwards. */
static void sleep_a_slice(struct ow_unsol *u)
{
	if (!ow_inbox_arm_thread(u->dom, u->slot) && !u->halted)
		ow_inbox_sleep(u->dom, u->slot, ow_clock_mono_ns() + SLICE_NS);
}

static void *run(void *arg)
{
	struct ow_unsol *u = arg;
	uint64_t ref = 0;
	int r;

	ow_ctx_hide();
	ow_log_set_context((long)u->context);
	while ((r = take(u, &ref)) != HALTED) {
		if (r == TAKEN)
			ow_unsol_deliver(u, ref);
		else
			sleep_a_slice(u);
	}
	return NULL;
}

int ow_listen_thread_start(struct ow_unsol *u)
{
	sigset_t all, old;
	int r;

	if (u->has_thread && !u->halted)
		return 0;
	ow_listen_thread_stop(u);
	u->halted = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&u->thread, NULL, run, u);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	u->has_thread = r == 0;
	return -r;
}

void ow_listen_thread_halt(struct ow_unsol *u)
{
	if (!u->has_thread)
		return;
	pthread_mutex_lock(&u->taking);
	u->halted = true;
	pthread_mutex_unlock(&u->taking);
	ow_inbox_rouse(u->dom, u->slot);
}

void ow_listen_thread_stop(struct ow_unsol *u)
{
	if (!u->has_thread)
		return;
	ow_listen_thread_halt(u);
	pthread_join(u->thread, NULL);
	u->has_thread = false;
}
