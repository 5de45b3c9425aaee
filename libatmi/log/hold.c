/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.c - lines of a thread that must not write now, kept in memory
 */
#include "libatmi/log/hold.h"

#include <stdatomic.h>
#include <stdio.h>

#include "libatmi/log/log.h"
#include "libubf/base/threadmem.h"

struct kept {
	atomic_uint n; /* lines logged, those that found no place too */
	struct ow_log_entry line[OW_LOG_HELD];
	char text[OW_LOG_HELD][OW_LOG_HELD_TEXT];
};

_Static_assert(sizeof(struct kept) <= OW_THREAD_MEMORY_MAX,
	       "it is memory of the thread");

static __thread unsigned int t_holds;
static __thread void *t_kept;

static struct kept *kept(void)
{
	return ow_thread_memory(&t_kept, sizeof(struct kept));
}

void ow_log_hold(void)
{
	kept();
	t_holds++;
}

bool ow_log_is_held(void)
{
	return t_holds > 0;
}

bool ow_log_keep(const struct ow_log_entry *e)
{
	struct kept *k;
	unsigned int i;

	if (t_holds == 0)
		return false;
	k = kept();
	i = atomic_fetch_add(&k->n, 1);
	if (i >= OW_LOG_HELD)
		return true;
	snprintf(k->text[i], OW_LOG_HELD_TEXT, "%s", e->text);
	k->line[i] = *e;
	k->line[i].text = k->text[i];
	return true;
}

unsigned int ow_log_let_go(const struct ow_log_entry **ret)
{
	struct kept *k = kept();

	*ret = k->line;
	return --t_holds == 0 ? atomic_exchange(&k->n, 0) : 0;
}
