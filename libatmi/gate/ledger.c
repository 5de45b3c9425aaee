/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger.c - what one user's guests may take of memory, together
 */
#include "libatmi/gate/ledger.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "libatmi/transport/block/block.h"

#define SENT_MAX 1024u /* requests of a user in blocks that are not free */

struct sent {
	uint64_t ref, len;
};

struct ow_ledger {
	struct ow_ledger *next;
	uint32_t uid, users; /* connections */
	uint64_t bytes;	     /* of all kinds */
	uint32_t n_sent;
	struct sent sent[SENT_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ow_ledger *all;

struct ow_ledger *ow_ledger_open(uint32_t uid)
{
	struct ow_ledger *l;

	pthread_mutex_lock(&lock);
	for (l = all; l != NULL && l->uid != uid; l = l->next)
		;
	if (l == NULL && (l = calloc(1, sizeof(*l))) != NULL) {
		l->uid = uid;
		l->next = all;
		all = l;
	}
	if (l != NULL)
		l->users++;
	pthread_mutex_unlock(&lock);
	return l;
}

/* Requests outlive connections; the ledger stays while it has any. */
struct ow_ledger *ow_ledger_close(struct ow_ledger *l)
{
	struct ow_ledger **p = &all;

	if (l == NULL)
		return NULL;
	pthread_mutex_lock(&lock);
	l->users--;
	while (*p != NULL) {
		l = *p;
		if (l->users > 0 || l->n_sent > 0) {
			p = &l->next;
			continue;
		}
		*p = l->next;
		free(l);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Blocks that are free again do not count. Lock held. */
static void prune(struct ow_ledger *l, struct ow_blocks *b)
{
	uint32_t i = 0;

	while (i < l->n_sent)
		if (ow_block_room(b, l->sent[i].ref) != 0) {
			i++;
		} else {
			l->bytes -= l->sent[i].len;
			l->sent[i] = l->sent[--l->n_sent];
		}
}

static bool is_room(const char *shm_dir, uint64_t len)
{
	struct statvfs s;

	if (statvfs(shm_dir, &s) != 0 || s.f_blocks == 0)
		return true;
	return (s.f_bavail - s.f_blocks / 8) * s.f_frsize > len &&
	       s.f_bavail > s.f_blocks / 8;
}

const char *ow_ledger_take(struct ow_ledger *l, struct ow_blocks *b,
			   const char *shm_dir, uint64_t len)
{
	bool full;

	if (len <= OW_LEDGER_SMALL)
		return NULL;
	if (!is_room(shm_dir, len))
		return "the rest of shared memory is for the domain's own "
		       "calls";
	pthread_mutex_lock(&lock);
	if (l->bytes + len > OW_LEDGER_BYTES || l->n_sent == SENT_MAX)
		prune(l, b);
	full = l->bytes + len > OW_LEDGER_BYTES || l->n_sent == SENT_MAX;
	if (!full)
		l->bytes += len;
	pthread_mutex_unlock(&lock);
	return full ? "the guests of a user may have 256 MiB of requests and "
		      "replies under way" : NULL;
}

void ow_ledger_give(struct ow_ledger *l, uint64_t len)
{
	if (len <= OW_LEDGER_SMALL)
		return;
	pthread_mutex_lock(&lock);
	l->bytes -= len;
	pthread_mutex_unlock(&lock);
}

void ow_ledger_sent(struct ow_ledger *l, uint64_t ref, uint64_t len)
{
	if (len <= OW_LEDGER_SMALL)
		return;
	pthread_mutex_lock(&lock);
	if (ref != 0 && l->n_sent < SENT_MAX)
		l->sent[l->n_sent++] = (struct sent){ .ref = ref, .len = len };
	else
		l->bytes -= len;
	pthread_mutex_unlock(&lock);
}

bool ow_ledger_keeps(struct ow_ledger *l, uint64_t before, uint64_t now)
{
	bool fits;

	pthread_mutex_lock(&lock);
	l->bytes += now - before;
	fits = now <= before || l->bytes <= OW_LEDGER_BYTES;
	pthread_mutex_unlock(&lock);
	return fits;
}
