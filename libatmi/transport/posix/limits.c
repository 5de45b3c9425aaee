/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.c - what the limits on POSIX message queues leave to this user
 *
 * RLIMIT_MSGQUEUE counts the bytes of all queues of a user,
 * fs.mqueue.queues_max the queues of all users. The kernel has no figure for
 * either. The process that makes a domain tries: it makes as many queues as
 * the domain will need, without names, and closes them. So it sees queues of
 * other programs and removed ones, and takes nothing that the domain would not
 * take a moment later. Doctor adds up what it can see.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/queue_name.h"
#include "libatmi/domain/tables.h"
#include "libatmi/transport/posix/posix.h"

#define QUEUE_FS_MAGIC 0x19800202 /* mqueue, in statfs() */
#define CAP_SYS_RESOURCE_BIT 24	  /* is not bound by queues_max */
/* For services that the configuration does not name. */
#define SPARE 16u
/* Descriptors that a process needs beside the queues it tries with. */
#define OWN_FILES 64u
/* A limit that leaves so much for each queue needs no sharing out: shape.c
 * makes queues smaller step by step. */
#define AMPLE 5400u

static uint64_t cost(const struct ow_queue_shape *s)
{
	return (uint64_t)s->maxmsg * (s->msgsize + MQ_OVERHEAD);
}

/* ---- what is used ---- */

/* Add the bytes of a queue of this user. False: there is no such. */
static bool add_bytes(struct ow_transport_usage *u, const char *name)
{
	struct mq_attr a;
	mqd_t mq;
	bool got;

	if (ow_owned_mq_open(name, O_RDONLY, &mq) != 0)
		return false;
	got = mq_getattr(mq, &a) == 0;
	if (got)
		u->bytes += cost(&(struct ow_queue_shape){
		    (uint32_t)a.mq_maxmsg, (uint32_t)a.mq_msgsize });
	mq_close(mq);
	return got;
}

static void add_file(struct ow_transport_usage *u, int dir, const char *name)
{
	char full[300];
	struct stat st;

	u->queues++;
	snprintf(full, sizeof(full), "/%.255s", name);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ow_owned_by_us(st.st_uid))
		add_bytes(u, full);
}

/* Every queue of the machine, if its queue file system is mounted. */
static bool read_queue_fs(struct ow_transport_usage *u)
{
	DIR *dir = opendir(ow_env_str("NDRX_QPATH", "/dev/mqueue"));
	struct statfs fs;
	struct dirent *e;

	if (dir == NULL)
		return false;
	if (fstatfs(dirfd(dir), &fs) < 0 || fs.f_type != QUEUE_FS_MAGIC) {
		closedir(dir);
		return false;
	}
	while ((e = readdir(dir)) != NULL)
		if (e->d_name[0] != '.')
			add_file(u, dirfd(dir), e->d_name);
	closedir(dir);
	return true;
}

/* A queue that the tables of the domain name, if it is there: tables may be
 * left over, and their sum with them. */
static void add_named(struct ow_transport_usage *u, const struct ow_domain *d,
		      const char *name)
{
	char full[OW_QUEUE_NAME_MAX];

	if (ow_queue_name_full(d, name, full, sizeof(full)) == 0)
		u->queues += add_bytes(u, full);
}

static void add_tables(struct ow_transport_usage *u, const struct ow_domain *d)
{
	const struct ow_tables *t = d->tables;
	uint32_t nsvc = atomic_load(&t->head->nsvc), i, s;
	char name[OW_QUEUE_NAME_MAX], text[OW_SVC_NAME];

	for (i = 0; i < nsvc && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s >= OW_SVC_MAX || (atomic_load(&t->svc[s].gen) & 1) == 0)
			continue;
		memcpy(text, t->svc[s].name, sizeof(text));
		text[sizeof(text) - 1] = '\0';
		ow_queue_name_service(text, name, sizeof(name));
		add_named(u, d, name);
	}
}

/* `folder` is that of the domain `prefix`. */
static void add_domain(struct ow_transport_usage *u, const char *folder,
		       const char *prefix)
{
	struct ow_domain d = { .tables = NULL };
	char path[400];

	if (ow_owned_folder_owner(folder) != 0)
		return; /* of another user */
	snprintf(path, sizeof(path), "%s/tables", folder);
	if (strlen(prefix) >= sizeof(d.prefix) ||
	    ow_tables_open(path, false, &d.tables) != 0) {
		u->unread++;
		return;
	}
	strcpy(d.prefix, prefix);
	u->domains++;
	add_tables(u, &d);
	ow_tables_close(d.tables);
}

/* The tables of every domain of this user below `shm`. */
static void read_domains(struct ow_transport_usage *u, const char *shm)
{
	DIR *dir = opendir(shm);
	struct dirent *e;
	char folder[380];
	size_t n;

	if (dir == NULL)
		return;
	while ((e = readdir(dir)) != NULL) {
		n = strlen(e->d_name);
		if (n <= 4 || strcmp(e->d_name + n - 4, ",shm") != 0)
			continue;
		snprintf(folder, sizeof(folder), "%.100s/%.255s", shm,
			 e->d_name);
		e->d_name[n - 4] = '\0';
		add_domain(u, folder, e->d_name);
	}
	closedir(dir);
}

/* May this process have more queues than fs.mqueue.queues_max? */
static bool unbounded(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long caps = 0;
	char line[128];

	if (f == NULL)
		return false;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	fclose(f);
	return (caps >> CAP_SYS_RESOURCE_BIT & 1) != 0;
}

void ow_posix_usage(const struct ow_domain *d, struct ow_transport_usage *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->bytes_max = d->mq_limit;
	ret->queues_max = unbounded() ? 0
				      : ow_posix_limit("queues_max", 256);
	ret->all = read_queue_fs(ret);
	if (ret->all)
		return;
	read_domains(ret, d->shm_dir);
	if (strcmp(d->shm_dir, "/dev/shm") != 0)
		read_domains(ret, "/dev/shm");
}

/* ---- what is left ---- */

/* Make and remove up to `n` queues of this shape. Returns how many were there
 * at once. */
static uint32_t try_queues(const struct ow_domain *d,
			   const struct ow_queue_shape *s, uint32_t n)
{
	struct mq_attr a = { .mq_maxmsg = s->maxmsg, .mq_msgsize = s->msgsize };
	struct rlimit files = { .rlim_cur = 0 };
	uint32_t made, files_left, i;
	char name[80];
	mqd_t *mq;

	getrlimit(RLIMIT_NOFILE, &files);
	files_left = files.rlim_cur > OWN_FILES + n
			 ? n : (uint32_t)files.rlim_cur - OWN_FILES;
	mq = files.rlim_cur > OWN_FILES ? calloc(n, sizeof(*mq)) : NULL;
	if (mq == NULL)
		return n;
	snprintf(name, sizeof(name), "/%s,sys,room,%d", d->prefix,
		 (int)getpid());
	for (made = 0; made < files_left; made++) {
		mq[made] = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
				   0600, &a);
		if (mq[made] == (mqd_t)-1)
			break;
		mq_unlink(name);
	}
	for (i = 0; i < made; i++)
		mq_close(mq[i]);
	free(mq);
	return made == files_left ? n : made;
}

/* The maker of the domain says how many bytes each new queue may cost, if the
 * queues expected would not all be large. */
static void share_out(struct ow_domain *d)
{
	uint64_t queues = (uint64_t)d->load.services + SPARE;
	struct ow_transport_usage u;
	uint64_t left;

	if (d->tables == NULL || d->mq_limit == 0)
		return;
	ow_posix_usage(d, &u);
	left = u.bytes < u.bytes_max ? u.bytes_max - u.bytes : 1;
	if (left / queues < AMPLE)
		atomic_store(&d->tables->head->mq_share,
			     left / queues / 100 * 85 + 1);
}

int ow_posix_fits(struct ow_domain *d, char *why, size_t size)
{
	struct ow_queue_shape least = { 4, 256 };
	uint32_t max = unbounded() ? 0 : ow_posix_limit("queues_max", 256);
	uint32_t made, queues;
	uint64_t sum = (uint64_t)d->load.services + SPARE;
	int n;

	queues = sum > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)sum;
	if (least.maxmsg > d->service_shape.maxmsg)
		least.maxmsg = d->service_shape.maxmsg;
	if (least.msgsize > d->service_shape.msgsize)
		least.msgsize = d->service_shape.msgsize;
	share_out(d);
	n = snprintf(why, size, "up to %u kernel queues are needed (services "
		     "%u, others %u)", queues, d->load.services, SPARE);
	if (n < 0 || (size_t)n >= size)
		n = 0;
	if (max != 0 && queues > max) {
		snprintf(why + n, size - (size_t)n, ", fs.mqueue.queues_max "
			 "allows %u", max);
		return OW_QUEUE_LIMIT;
	}
	if (d->mq_limit != 0 && queues > d->mq_limit / cost(&least)) {
		snprintf(why + n, size - (size_t)n, ", RLIMIT_MSGQUEUE has "
			 "room for %u", (uint32_t)(d->mq_limit / cost(&least)));
		return OW_QUEUE_LIMIT;
	}
	made = try_queues(d, &least, queues);
	if (made == queues)
		return 0;
	snprintf(why + n, size - (size_t)n, ", other queues leave room for %u",
		 made);
	return OW_QUEUE_LIMIT;
}
