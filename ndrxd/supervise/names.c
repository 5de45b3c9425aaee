/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.c - do the domain's names still lead to what its processes use?
 *
 * Two system calls for the tables, and three for each of a few queues: a
 * domain of 250 services is gone through in 16 seconds.
 */
#include "ndrxd/supervise/names.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/transport.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/emit.h"
#include "ndrxd/report/notify.h"

#define PER_TICK 16u /* queues looked at */

/* What is wrong with the name of the tables; false: nothing. */
static bool tables_lost(const struct ndrxd *d, char *why, size_t size)
{
	struct stat mine, now;
	char path[160];

	ow_domain_shm_path(d->dom, "tables", path, sizeof(path));
	if (fstat(d->dom->tables->fd, &mine) < 0)
		return false;
	if (stat(path, &now) < 0) {
		if (errno != ENOENT)
			return false;
		snprintf(why, size, "%s was removed", path);
		return true;
	}
	if (now.st_ino == mine.st_ino && now.st_dev == mine.st_dev)
		return false;
	snprintf(why, size, "%s was removed, and the name leads elsewhere now",
		 path);
	return true;
}

/* The queue of service `at` is in use, and its name is gone. The generation is
 * odd while the queue exists, and changes before its name is removed. */
static bool queue_lost(const struct ndrxd *d, uint32_t at, char *why,
		       size_t size)
{
	const struct ow_svc *s = &d->dom->tables->svc[at];
	uint32_t depth, gen = atomic_load(&s->gen);
	char name[OW_SVC_NAME];

	if ((gen & 1) == 0)
		return false;
	memcpy(name, s->name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	if (ow_queue_peek(d->dom, ow_service_queue(name), &depth) !=
		    OW_QUEUE_GONE ||
	    atomic_load(&s->gen) != gen)
		return false;
	snprintf(why, size, "the queue of service %s was removed", name);
	return true;
}

static bool some_queue_lost(struct ndrxd *d, char *why, size_t size)
{
	const struct ow_tables *t = d->dom->tables;
	uint32_t i, at, n = atomic_load(&t->head->nsvc);

	for (i = 0; i < PER_TICK && i < n; i++) {
		d->looks.names_next = (d->looks.names_next + 1) % n;
		at = atomic_load(&t->head->svc_list[d->looks.names_next %
						    OW_SVC_MAX]);
		if (queue_lost(d, at % OW_SVC_MAX, why, size))
			return true;
	}
	return false;
}

void ow_names_tick(struct ndrxd *d)
{
	char why[300];

	if (d->looks.names_lost || ow_domain_is_gone(d->dom) ||
	    (!tables_lost(d, why, sizeof(why)) &&
	     !some_queue_lost(d, why, sizeof(why))))
		return;
	/* For good: only a new start makes new names. */
	d->looks.names_lost = true;
	log_error("domain %s has lost its names: %s. systemd-logind does that at "
		  "logout (RemoveIPC=yes); so does rm. Processes that start do "
		  "not find the domain, and replies get lost: `xadmin stop "
		  "-y`, then `xadmin start -y`; `xadmin doctor` tells how to "
		  "prevent it", d->dom->prefix, why);
	ow_emit(d, OW_EVENT_LOST, "%s; `xadmin doctor`", why);
	ow_notify(d, "STATUS=The domain has lost its names: %s; see `xadmin "
		     "doctor`", why);
}
