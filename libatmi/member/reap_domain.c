/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reap_domain.c - remove everything that a domain has created
 *
 * The tables name the services. As the tables may be unreadable, and queues may
 * have been created by hand, each transport also removes what its names show
 * to belong to the domain.
 */
#include "libatmi/member/reap.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/transport.h"

#define WAIT_MS 3000 /* for another process that is removing the domain */

static int remove_queues_of_tables(struct ow_domain *d)
{
	struct ow_tables *t = d->tables;
	uint32_t i, s, n = atomic_load(&t->head->nsvc);
	int removed = 0;

	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		if (!ow_domain_may_remove(d))
			return removed;
		s = atomic_load(&t->head->svc_list[i]);
		if (s >= OW_SVC_MAX)
			continue;
		removed += ow_queue_remove(
			       d, ow_service_queue(t->svc[s].name)) == 0;
	}
	return removed;
}

/* Does `name` begin with "<prefix>,"? */
static int is_ours(const struct ow_domain *d, const char *name)
{
	size_t n = strlen(d->prefix);

	return strncmp(name, d->prefix, n) == 0 && name[n] == ',';
}

/* Remove a folder and the files in it. The number of files. */
static int remove_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	int n = 0;

	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((e = readdir(dir)) != NULL) {
		OW_FAULT("reap_domain.unlink");
		n += unlinkat(fd, e->d_name, 0) == 0;
	}
	closedir(dir);
	OW_FAULT("reap_domain.rmdir");
	rmdir(path);
	return n;
}

/* Remove the folder of the domain. It is renamed first: all names go at once,
 * and a process that makes the domain anew meanwhile gets a new folder. */
static int remove_own_folder(const struct ow_domain *d)
{
	char folder[160], old[200];

	ow_domain_folder(d, folder, sizeof(folder));
	snprintf(old, sizeof(old), "%s.%d", folder, (int)getpid());
	if (ow_owned_folder_owner(folder) != 0 || rename(folder, old) < 0)
		return 0;
	OW_FAULT("reap_domain.renamed");
	return remove_folder(old);
}

/* Remove what killed processes left beside the folder: folders renamed above,
 * and files of that name. */
static int remove_beside(const struct ow_domain *d)
{
	DIR *dir = opendir(d->shm_dir);
	char folder[160], path[400];
	struct dirent *e;
	struct stat st;
	int n = 0;

	if (dir == NULL)
		return 0;
	ow_domain_folder(d, folder, sizeof(folder));
	while ((e = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", d->shm_dir, e->d_name);
		if (!is_ours(d, e->d_name) || lstat(path, &st) < 0 ||
		    !ow_owned_by_us(st.st_uid))
			continue;
		if (!S_ISDIR(st.st_mode))
			n += unlink(path) == 0;
		else if (strcmp(path, folder) != 0)
			n += remove_folder(path);
	}
	closedir(dir);
	return n;
}

/* Remove a file of ours. Root's NDRX_APPHOME may be a user's. */
static int remove_file(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && ow_owned_by_us(st.st_uid) &&
	       unlink(path) == 0;
}

/* Does another process listen? The processes of this domain have ended, so it is
 * the ndrxd of another one that has the same NDRX_APPHOME. */
static bool others_listen(const struct ow_domain *d)
{
	int fd = ow_domain_connect(d);
	pid_t pid = 0;

	if (fd < 0)
		return fd == -EAGAIN; /* its backlog is full */
	(void)ow_owned_peer(fd, d->sock, &pid);
	close(fd);
	return pid != getpid();
}

static int remove_files(struct ow_domain *d)
{
	const char *pid_file = ow_env_str("NDRX_DPID", "");
	char own[sizeof(d->run_dir) + 16];
	int n = 0;

	if (d->sock[0] != '\0' && !others_listen(d)) {
		n += remove_file(d->sock);
		snprintf(own, sizeof(own), "%s/ndrxd.pid", d->run_dir);
		n += remove_file(own);
	}
	if (pid_file[0] != '\0')
		n += remove_file(pid_file);
	return n;
}

/* Do the tables that this process has mapped have their name, or other tables?
 * The names of a running domain may have vanished. */
static bool are_named(const struct ow_domain *d, bool *ret_replaced)
{
	struct stat mine, named;
	char path[160];
	bool same;

	*ret_replaced = false;
	ow_domain_shm_path(d, "tables", path, sizeof(path));
	if (fstat(d->tables->fd, &mine) < 0 || stat(path, &named) < 0)
		return false;
	same = mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
	*ret_replaced = !same;
	return same;
}

/* Has `remover`, another process, removed the domain? */
static bool is_removed(const struct ow_domain *d, ow_proc_id remover)
{
	bool replaced;

	if (are_named(d, &replaced))
		return false;
	return replaced || (remover != 0 && remover != ow_proc_id_self());
}

void ow_reap_continue_remover(const struct ow_tables *t)
{
	ow_proc_id id = atomic_load(&t->head->remover);
	char name[32];

	if (ow_proc_id_alive(id) &&
	    ow_proc_continue(ow_proc_id_pid(id), name, sizeof(name)))
		log_warn("process %d (%s) was stopped while it removed the "
			 "domain: continued it (SIGCONT)",
			 (int)ow_proc_id_pid(id), name);
}

/* Become the remover. False: another process has removed the domain. One that
 * does not end is taken over. */
static bool claim(struct ow_domain *d)
{
	_Atomic ow_proc_id *word = &d->tables->head->remover;
	struct timespec nap = { .tv_nsec = 10 * 1000 * 1000 };
	ow_proc_id was = atomic_load(word), me = ow_proc_id_self();
	int ms;

	for (ms = 0; ms < WAIT_MS && was != me && ow_proc_id_alive(was);
	     ms += 10) {
		if (is_removed(d, was))
			return false;
		nanosleep(&nap, NULL);
		ow_reap_continue_remover(d->tables);
		was = atomic_load(word);
	}
	if (is_removed(d, was))
		return false;
	return was == me || atomic_compare_exchange_strong(word, &was, me);
}

/* The folder goes last, and its tables with it: while they have their name, the
 * next process of the domain finds that a removal was cut off. */
int ow_reap_domain(struct ow_domain *d)
{
	const struct ow_transport *t;
	uint32_t i;
	int n = 0;

	if (d->tables != NULL) {
		atomic_store(&d->tables->head->gone, 1);
		OW_FAULT("remove.gone");
		if (!claim(d))
			return 0;
		OW_FAULT("remove.queues");
		n += remove_queues_of_tables(d);
	}
	/* Of all transports: damaged tables do not name the domain's. */
	for (i = 0; (t = ow_transport_at(i)) != NULL; i++)
		if (t->remove_strays != NULL && ow_domain_may_remove(d))
			n += t->remove_strays(d);
	OW_FAULT("remove.files");
	if (ow_domain_may_remove(d))
		n += remove_files(d);
	OW_FAULT("remove.folder");
	if (ow_domain_may_remove(d))
		n += remove_own_folder(d) + remove_beside(d);
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
