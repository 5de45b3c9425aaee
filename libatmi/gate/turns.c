/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.c - who may hash a password next
 */
#include "libatmi/gate/turns.h"

#include <pthread.h>
#include <stddef.h>

#include "libatmi/base/clock.h"

#define SUSPECTS 256u /* more users at once: the oldest is forgotten */

struct suspect {
	uint32_t uid;
	uint64_t until_ns;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool busy;
	unsigned int honest; /* that wait */
	struct suspect suspects[SUSPECTS];
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };

/* Lock held. */
static bool is_suspect(uint32_t uid)
{
	uint64_t now = ow_clock_mono_ns();
	size_t i;

	for (i = 0; i < SUSPECTS; i++)
		if (all.suspects[i].until_ns > now &&
		    all.suspects[i].uid == uid)
			return true;
	return false;
}

bool ow_turns_is_suspect(uint32_t uid)
{
	bool is;

	pthread_mutex_lock(&all.lock);
	is = is_suspect(uid);
	pthread_mutex_unlock(&all.lock);
	return is;
}

void ow_turns_take(uint32_t uid)
{
	pthread_mutex_lock(&all.lock);
	if (is_suspect(uid)) {
		while (all.busy || all.honest > 0)
			pthread_cond_wait(&all.ended, &all.lock);
	} else {
		all.honest++;
		while (all.busy)
			pthread_cond_wait(&all.ended, &all.lock);
		all.honest--;
	}
	all.busy = true;
	pthread_mutex_unlock(&all.lock);
}

void ow_turns_end(void)
{
	pthread_mutex_lock(&all.lock);
	all.busy = false;
	pthread_cond_broadcast(&all.ended);
	pthread_mutex_unlock(&all.lock);
}

void ow_turns_suspect(uint32_t uid)
{
	uint64_t until = ow_clock_mono_ns() +
			 OW_TURNS_SUSPECT_S * OW_NS_PER_SEC;
	struct suspect *place = &all.suspects[0];
	size_t i;

	pthread_mutex_lock(&all.lock);
	for (i = 0; i < SUSPECTS && place->uid != uid; i++)
		if (all.suspects[i].uid == uid ||
		    all.suspects[i].until_ns < place->until_ns)
			place = &all.suspects[i];
	*place = (struct suspect){ .uid = uid, .until_ns = until };
	pthread_mutex_unlock(&all.lock);
}
