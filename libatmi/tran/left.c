/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left.c - branches that a thread has left without an end
 */
#include "libatmi/tran/left.h"

#include <stdbool.h>
#include <stdlib.h>

#include "libatmi/xa/rm.h"

struct left {
	struct left *next;
	pthread_t thread;
	XID xid;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct left *list;

void ow_left_note(pthread_t thread, const XID *xid)
{
	struct left *l = malloc(sizeof(*l));

	if (l == NULL)
		return;
	*l = (struct left){ .thread = thread, .xid = *xid };
	pthread_mutex_lock(&lock);
	l->next = list;
	__atomic_store_n(&list, l, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
}

/* One of this thread; NULL: none. */
static struct left *take(void)
{
	struct left **at, *l;

	pthread_mutex_lock(&lock);
	for (at = &list;
	     *at != NULL && !pthread_equal((*at)->thread, pthread_self());
	     at = &(*at)->next)
		;
	l = *at;
	if (l != NULL)
		*at = l->next;
	pthread_mutex_unlock(&lock);
	return l;
}

/* A thread that has got the number of one that has ended is told XAER_NOTA. */
void ow_left_end(void)
{
	struct left *l;

	if (__atomic_load_n(&list, __ATOMIC_RELAXED) == NULL)
		return;
	while ((l = take()) != NULL) {
		(void)ow_rm_do(OW_RM_END, &l->xid, TMFAIL);
		free(l);
	}
}
