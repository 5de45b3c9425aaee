/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmem.c - large memory of a thread, made when it is first used
 */
#include "libubf/base/threadmem.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct piece {
	struct piece *next;
	void **at;
	_Alignas(16) char data[];
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void thread_ends(void *arg)
{
	struct piece *p = arg, *next;

	for (; p != NULL; p = next) {
		next = p->next;
		*p->at = NULL;
		free(p);
	}
}

static void make_key(void)
{
	pthread_key_create(&key, thread_ends);
}

void *ow_thread_memory(void **at, size_t size)
{
	static _Alignas(16) char spare[OW_THREAD_MEMORY_MAX];
	int saved = errno;
	struct piece *p;

	assert(size <= sizeof(spare));
	if (*at != NULL)
		return *at;
	pthread_once(&once, make_key);
	p = calloc(1, sizeof(*p) + size);
	if (p != NULL) {
		p->next = pthread_getspecific(key);
		p->at = at;
		if (pthread_setspecific(key, p) == 0) {
			*at = p->data;
		} else {
			free(p);
			p = NULL;
		}
	}
	errno = saved;
	return p != NULL ? *at : spare;
}
