/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overflow.c - services of other nodes for which this domain has no queue
 *
 * A bridge offers some services with a queue and a row each, as any server. The
 * others have a mark (OW_SVC_REMOTE): callers put their requests into the one
 * queue of OW_SVC_OVERFLOW. All bridges set marks; the one with the lowest id
 * takes away what nobody offers any more. A mark is a hint: a bridge that gets
 * a request for what is not offered says TPENOENT.
 */
#include <stdatomic.h>
#include <string.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "servers/bridge/directory/overflow.h"

#define AT_ONCE 64u /* names for which the domain lock is held */

static bool is_marked(const struct ow_tables *t, uint32_t svc)
{
	return (atomic_load(&t->svc[svc].marks) & OW_SVC_REMOTE) != 0;
}

/* Has `name` the mark, or needs none? Without the lock: it changes rarely. */
static bool is_right(const struct ow_tables *t, const char *name)
{
	int svc = ow_svc_find(t, name);

	return svc >= 0 && is_marked(t, (uint32_t)svc) ==
				   (ow_svc_servers(&t->svc[svc]) == 0);
}

/* Lock held. */
static int set_right(struct ow_tables *t, const char *name)
{
	int svc = ow_svc_name(t, name);

	if (svc < 0)
		return -1;
	ow_svc_set_mark(t, (uint32_t)svc, OW_SVC_REMOTE,
			ow_svc_servers(&t->svc[svc]) == 0);
	return 0;
}

/* 0; -1: later. */
static int set_all(struct ow_tables *t, const struct ow_br_names *names)
{
	uint32_t i = 0, n, failed = 0;

	while (i < names->n) {
		if (is_right(t, names->name[i])) {
			i++;
			continue;
		}
		if (ow_tables_lock(t) != 0)
			return -1;
		for (n = 0; n < AT_ONCE && i < names->n; n++, i++)
			failed += set_right(t, names->name[i]) != 0;
		ow_tables_unlock(t);
	}
	if (failed > 0)
		log_error("%u services of other nodes have no room in the "
			  "table of services", failed);
	return 0;
}

/* Take the mark from what is not among `names`: 0; -1: later. */
static int clear_others(struct ow_tables *t, const struct ow_br_names *names)
{
	uint32_t i, svc, n = atomic_load(&t->head->nsvc);

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		svc = atomic_load(&t->head->svc_list[i]);
		if (svc >= OW_SVC_MAX || !is_marked(t, svc) ||
		    ow_br_names_has(names, t->svc[svc].name))
			continue;
		if (ow_tables_lock(t) != 0)
			return -1;
		ow_svc_set_mark(t, svc, OW_SVC_REMOTE, false);
		ow_tables_unlock(t);
	}
	return 0;
}

int ow_br_overflow_mark(struct ow_br_directory *d,
			const struct ow_br_names *names, uint32_t rank)
{
	struct ow_tables *t = d->peers->dom->tables;
	int r = set_all(t, names);

	if (r == 0 && rank == 0)
		r = clear_others(t, names);
	return r;
}

int ow_br_overflow_keep(struct ow_br_directory *d,
			const struct ow_br_names *names)
{
	struct ow_tables *t = d->peers->dom != NULL ? d->peers->dom->tables
						    : NULL;
	uint32_t i;
	int svc;

	for (i = 0; t != NULL && i < names->n; i++) {
		svc = ow_svc_find(t, names->name[i]);
		if (svc < 0 || ow_svc_may_overflow(&t->svc[svc]))
			continue;
		if (ow_tables_lock(t) != 0)
			return -1;
		svc = ow_svc_find(t, names->name[i]);
		if (svc >= 0)
			ow_svc_set_mark(t, (uint32_t)svc, OW_SVC_KEPT, true);
		ow_tables_unlock(t);
	}
	return 0;
}
