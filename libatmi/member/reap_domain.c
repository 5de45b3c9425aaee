/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_domain.c - remove everything that a domain has created
 *
 * The tables name the queues. As the tables may be unreadable, and queues may
 * have been created by hand, each transport also removes what its names show
 * to belong to the domain.
 */
#include "libatmi/member/reap.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/transport.h"

static int remove_queues_of_tables(struct ow_domain *d)
{
	struct ow_tables *t = d->tables;
	uint32_t i, s, n = atomic_load(&t->head->nsvc);
	int removed = 0;

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s >= OW_SVC_MAX)
			continue;
		removed += ow_queue_remove(
			       d, ow_service_queue(t->svc[s].name)) == 0;
	}
	n = atomic_load(&t->head->clt_high);
	for (i = 0; i < n && i < OW_CLT_MAX; i++)
		removed += ow_queue_remove(d, ow_reply_queue(i)) == 0;
	return removed;
}

/* Does `name` begin with "<prefix>,"? */
static int is_ours(const struct ow_domain *d, const char *name)
{
	size_t n = strlen(d->prefix);

	return strncmp(name, d->prefix, n) == 0 && name[n] == ',';
}

/* Remove segments (also halves that a crash at creation left) and FIFOs. */
static int remove_segments(struct ow_domain *d)
{
	DIR *dir = opendir(d->shm_dir);
	char path[400];
	struct dirent *e;
	int n = 0;

	if (dir == NULL)
		return 0;
	while ((e = readdir(dir)) != NULL) {
		if (!is_ours(d, e->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", d->shm_dir, e->d_name);
		n += unlink(path) == 0;
	}
	closedir(dir);
	return n;
}

int ow_reap_domain(struct ow_domain *d)
{
	const char *pid_file = ow_env_str("NDRX_DPID", "");
	const struct ow_transport *t;
	char own[sizeof(d->run_dir) + 16];
	uint32_t i;
	int n = 0;

	if (d->tables != NULL) {
		atomic_store(&d->tables->head->gone, 1);
		n += remove_queues_of_tables(d);
	}
	/* Of all transports: damaged tables do not name the domain's. */
	for (i = 0; (t = ow_transport_at(i)) != NULL; i++)
		if (t->remove_strays != NULL)
			n += t->remove_strays(d);
	n += remove_segments(d);
	if (d->sock[0] != '\0') {
		n += unlink(d->sock) == 0;
		snprintf(own, sizeof(own), "%s/ndrxd.pid", d->run_dir);
		n += unlink(own) == 0;
	}
	if (pid_file[0] != '\0')
		n += unlink(pid_file) == 0;
	return n;
}

/* Does any other process of the domain live? Lock held. */
static bool others_live(const struct ow_tables *t)
{
	const struct ow_tables_head *h = t->head;
	uint32_t i, n = atomic_load(&h->clt_high);
	ow_proc_id owner;

	if (ow_proc_alive(atomic_load(&h->ndrxd_pid),
			  atomic_load(&h->ndrxd_start)))
		return true;
	for (i = ow_srv_next(t, 1); i != 0; i = ow_srv_next(t, i + 1))
		if (ow_srv_alive(t, i))
			return true;
	for (i = 0; i < n && i < OW_CLT_MAX; i++) {
		owner = atomic_load(&t->clt[i].owner);
		if (owner != 0 && owner != ow_proc_id_self() &&
		    ow_proc_id_alive(owner))
			return true;
	}
	return false;
}

void ow_reap_if_last(struct ow_domain *d)
{
	bool last;

	if (ow_tables_lock(d->tables) != 0)
		return;
	last = !others_live(d->tables);
	if (last)
		atomic_store(&d->tables->head->gone, 1);
	ow_tables_unlock(d->tables);
	if (last)
		ow_reap_domain(d);
}
