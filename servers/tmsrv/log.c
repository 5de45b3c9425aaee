/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - the decisions of a tmsrv on disk
 */
#include "servers/tmsrv/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libndrx/storage/damage.h"
#include "servers/tmsrv/log_inside.h"
#include "libatmi/base/fault.h"
#include "libatmi/log/log.h"

#define AHEAD	(UINT64_C(1) << 20)
#define FULL	(UINT64_C(8) << 20)
#define NUMBERS UINT64_C(1000000) /* that one RESERVE allows */

/* ---- the file; lock held ---- */

static int write_all(int fd, const void *data, size_t size, uint64_t at)
{
	const char *p = data;
	ssize_t got;

	while (size > 0) {
		got = pwrite(fd, p, size, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		p += got;
		at += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

/* Zeros up to `need` and, where there is room, further. */
static int fill_ahead(struct tmlog *l, uint64_t need)
{
	static const char zeros[4096];
	int r = 0;

	if (need <= l->zeros)
		return 0;
	while (r == 0 && l->zeros < need + AHEAD) {
		r = write_all(l->fd, zeros, sizeof(zeros), l->zeros);
		if (r == 0)
			l->zeros += sizeof(zeros);
	}
	return need <= l->zeros ? 0 : r;
}

static int append(struct tmlog *l, struct record *r)
{
	size_t size = record_size(r->n);
	int e = fill_ahead(l, l->end + size);

	record_chain(r, l->number + 1, l->crc, l->number_synced);
	OW_FAULT("tmlog.before_record");
	if (e == 0)
		e = write_all(l->fd, r, size, l->end);
	if (e == 0) {
		l->end += size;
		l->number = r->number;
		l->crc = r->crc;
	}
	OW_FAULT("tmlog.after_record");
	return e;
}

static int put(struct tmlog *l, enum kind kind, uint64_t value,
	       const struct tmlog_branch *b, uint32_t n)
{
	struct record *r = record_new(kind, value, b, n);
	int e = r == NULL ? -ENOMEM : append(l, r);

	free(r);
	l->error = -e;
	return e;
}

/* Nobody can know what is on disk: its next life reads it. */
static _Noreturn void give_up(const char *what, int err)
{
	log_error("log of transactions: %s: %s: tmsrv ends at once", what,
		  strerror(err));
	_exit(1);
}

/* A watermark that cannot be written says less than it could. */
static void note_synced(struct tmlog *l, uint64_t number)
{
	l->number_synced = number;
	if (watermark_raise(&l->mark, number) != 0)
		log_warn("log of transactions: its watermark cannot be "
			 "written");
}

/* On disk up to `end` of the file that is current now. Gives the lock up while
 * it waits. */
static void sync_to(struct tmlog *l, uint64_t end)
{
	uint64_t file = l->file, target, number;

	while (l->file == file && l->synced < end) {
		if (l->syncing) {
			pthread_cond_wait(&l->synced_more, &l->lock);
			continue;
		}
		l->syncing = true;
		target = l->end;
		number = l->number;
		pthread_mutex_unlock(&l->lock);
		OW_FAULT("tmlog.before_sync");
		if (fdatasync(l->fd) != 0)
			give_up("fdatasync", errno);
		OW_FAULT("tmlog.after_sync");
		pthread_mutex_lock(&l->lock);
		l->syncing = false;
		l->synced = target;
		l->syncs++;
		note_synced(l, number);
		pthread_cond_broadcast(&l->synced_more);
	}
}

/* ---- a new file; lock held, no sync under way ---- */

static int write_live(struct tmlog *l)
{
	struct live *v, *next;
	int r = put(l, IDENTITY, l->identity, NULL, 0);

	if (r == 0)
		r = put(l, RESERVE, l->reserved, NULL, 0);
	if (r == 0 && l->doubt != 0)
		r = put(l, DOUBT, l->doubt, NULL, 0);
	HASH_ITER(hh, l->live, v, next)
	{
		if (r == 0)
			r = put(l, v->kind, v->tran, v->branches, v->n);
		if (r == 0 && v->by_hand.rmid != 0)
			r = put(l, BY_HAND, v->tran, &v->by_hand, 1);
	}
	return r;
}

/* Anew, with what has not ended: 0, or -errno and the old one stays. */
static int renew(struct tmlog *l)
{
	char temp[sizeof(l->name) + 8];
	int was = l->fd, r = 0;
	uint64_t end = l->end, zeros = l->zeros, number = l->number;
	uint32_t crc = l->crc;

	snprintf(temp, sizeof(temp), "%s.new", l->name);
	l->fd = openat(l->folder, temp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
		       0600);
	if (l->fd < 0) {
		l->fd = was;
		return -errno;
	}
	l->end = l->zeros = 0;
	l->crc = 0;
	r = flock(l->fd, LOCK_EX | LOCK_NB) != 0 ? -errno : write_live(l);
	if (r == 0 && fsync(l->fd) != 0)
		r = -errno;
	OW_FAULT("tmlog.before_rename");
	if (r == 0 && renameat(l->folder, temp, l->folder, l->name) != 0)
		r = -errno;
	if (r != 0) {
		unlinkat(l->folder, temp, 0); /* a full disk has its room again */
		close(l->fd);
		l->fd = was;
		l->end = end;
		l->zeros = zeros;
		l->number = number;
		l->crc = crc;
		return r;
	}
	OW_FAULT("tmlog.after_rename");
	if (fsync(l->folder) != 0)
		give_up("fsync of its folder", errno);
	l->file++;
	l->synced = l->end;
	note_synced(l, l->number);
	if (was >= 0)
		close(was);
	pthread_cond_broadcast(&l->synced_more);
	return 0;
}

static void renew_if_full(struct tmlog *l)
{
	if (l->end >= FULL && !l->syncing && renew(l) != 0)
		log_warn("log of transactions: it cannot be made anew");
}

/* ---- opening ---- */

static int open_file(struct tmlog *l, const char *folder)
{
	struct stat a, b;

	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return -errno;
	l->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l->folder < 0)
		return -errno;
	for (;;) {
		l->fd = openat(l->folder, l->name, O_RDWR | O_CREAT | O_CLOEXEC,
			       0600);
		if (l->fd < 0)
			return -errno;
		if (flock(l->fd, LOCK_EX | LOCK_NB) != 0)
			return errno == EWOULDBLOCK ? -EBUSY : -errno;
		/* Was it replaced between the two? */
		if (fstat(l->fd, &a) == 0 &&
		    fstatat(l->folder, l->name, &b, 0) == 0 &&
		    a.st_ino == b.st_ino)
			return 0;
		close(l->fd);
	}
}

static int make_identity(struct tmlog *l)
{
	bool is_new = l->identity == 0 && l->mark.fd < 0;

	if (l->identity == 0 && l->mark.fd >= 0)
		l->identity = l->mark.id;
	while (l->identity == 0)
		if (getrandom(&l->identity, sizeof(l->identity), 0) !=
		    sizeof(l->identity))
			return -errno;
	if (is_new)
		l->reserved = l->granted = l->next =
			log_first_number(l->identity);
	return 0;
}

/* The file anew, and a watermark that belongs to it: it is there before the
 * file that wants it. */
static int begin(struct tmlog *l)
{
	int r = make_identity(l);

	if (r == 0 && (l->mark.fd < 0 || l->mark.id != l->identity))
		r = watermark_make(&l->mark, l->folder, l->mark_name,
				   l->identity, 0);
	if (r == 0)
		r = renew(l);
	if (r == 0)
		r = watermark_sync(&l->mark);
	if (r == 0)
		ow_damage_settle(l->path);
	return r;
}

int tmlog_open(const char *folder, const char *name, struct tmlog **ret,
	       char *why, size_t size)
{
	struct tmlog *l = calloc(1, sizeof(*l));
	int r = l == NULL ? -ENOMEM : 0;

	why[0] = '\0';
	if (r == 0) {
		pthread_mutex_init(&l->lock, NULL);
		pthread_cond_init(&l->synced_more, NULL);
		l->fd = l->folder = l->mark.fd = -1;
		snprintf(l->name, sizeof(l->name), "%s", name);
		snprintf(l->mark_name, sizeof(l->mark_name), "%s.mark", name);
		snprintf(l->path, sizeof(l->path), "%s/%s", folder, name);
		r = open_file(l, folder);
	}
	if (r == 0)
		r = log_read(l, why, size);
	if (r == 0)
		r = begin(l);
	if (r == 0) {
		*ret = l;
		return 0;
	}
	if (why[0] == '\0')
		snprintf(why, size, "log of transactions %s/%s: %s", folder,
			 name, r == -EBUSY ? "another process has it"
					   : strerror(-r));
	tmlog_close(l);
	return r;
}

struct tmlog *tmlog_close(struct tmlog *l)
{
	struct live *v, *next;

	if (l == NULL)
		return NULL;
	HASH_ITER(hh, l->live, v, next)
	{
		HASH_DEL(l->live, v);
		free(v);
	}
	if (l->fd >= 0)
		close(l->fd);
	if (l->folder >= 0)
		close(l->folder);
	watermark_close(&l->mark);
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->synced_more);
	free(l);
	return NULL;
}

/* ---- use ---- */

bool tmlog_may_have_lost(const struct tmlog *l, uint64_t tran)
{
	return l->doubt != 0 && (tran & OW_TMLOG_NUMBERS) <= l->doubt;
}

uint64_t tmlog_identity(const struct tmlog *l)
{
	return l->identity;
}

/* Allow more numbers. Gives the lock up while it waits. */
static int reserve(struct tmlog *l)
{
	uint64_t target = l->granted + NUMBERS;
	int r = put(l, RESERVE, target, NULL, 0);

	if (r != 0)
		return r;
	if (l->reserved < target)
		l->reserved = target;
	sync_to(l, l->end);
	if (l->granted < target)
		l->granted = target;
	return 0;
}

int tmlog_number(struct tmlog *l, uint64_t *ret)
{
	int r = 0;

	pthread_mutex_lock(&l->lock);
	while (r == 0 && l->next == l->granted)
		r = reserve(l);
	if (r == 0)
		*ret = ++l->next;
	pthread_mutex_unlock(&l->lock);
	return r;
}

/* A record that stays until its END, on disk: 0 or -errno. */
static int put_live(struct tmlog *l, enum kind kind, uint64_t tran,
		    const struct tmlog_branch *branches, uint32_t n)
{
	int r;

	pthread_mutex_lock(&l->lock);
	renew_if_full(l);
	r = log_add_live(l, kind, tran, branches, n);
	if (r == 0)
		r = put(l, kind, tran, branches, n);
	if (r != 0)
		log_drop_live(l, tran);
	if (r == 0) {
		l->commits += kind == COMMIT;
		sync_to(l, l->end);
	}
	pthread_mutex_unlock(&l->lock);
	return r;
}

int tmlog_commit(struct tmlog *l, uint64_t tran,
		 const struct tmlog_branch *branches, uint32_t n)
{
	return put_live(l, COMMIT, tran, branches, n);
}

int tmlog_prepared(struct tmlog *l, uint64_t tran,
		   const struct tmlog_branch *words, uint32_t n)
{
	return put_live(l, PREPARED, tran, words, n);
}

int tmlog_by_hand(struct tmlog *l, uint64_t tran, uint32_t how)
{
	const struct tmlog_branch b = { how, 0 };
	struct live *v;
	int r;

	pthread_mutex_lock(&l->lock);
	r = put(l, BY_HAND, tran, &b, 1);
	if (r == 0) {
		v = log_find_live(l, tran);
		if (v != NULL)
			v->by_hand = b;
		sync_to(l, l->end);
	}
	pthread_mutex_unlock(&l->lock);
	return r;
}

void tmlog_end(struct tmlog *l, uint64_t tran)
{
	pthread_mutex_lock(&l->lock);
	log_drop_live(l, tran);
	if (put(l, END, tran, NULL, 0) != 0)
		log_warn("log of transactions: no room for an end: its "
			 "commit will be repeated");
	pthread_mutex_unlock(&l->lock);
}

void tmlog_each(struct tmlog *l,
		void (*found)(uint64_t tran,
			      const struct tmlog_branch *branches, uint32_t n,
			      uint32_t by_hand, void *arg),
		void *arg)
{
	struct live *v, *next;

	HASH_ITER(hh, l->live, v, next)
		if (v->kind == COMMIT)
			found(v->tran, v->branches, v->n, v->by_hand.rmid, arg);
}

void tmlog_each_prepared(struct tmlog *l,
			 void (*found)(uint64_t tran,
				       const struct tmlog_branch *words,
				       uint32_t n, uint32_t by_hand, void *arg),
			 void *arg)
{
	struct live *v, *next;

	HASH_ITER(hh, l->live, v, next)
		if (v->kind == PREPARED)
			found(v->tran, v->branches, v->n, v->by_hand.rmid, arg);
}

void tmlog_figures(struct tmlog *l, uint64_t *ret_syncs,
		   uint64_t *ret_commits)
{
	pthread_mutex_lock(&l->lock);
	*ret_syncs = l->syncs;
	*ret_commits = l->commits;
	pthread_mutex_unlock(&l->lock);
}

int tmlog_error(struct tmlog *l)
{
	int e;

	pthread_mutex_lock(&l->lock);
	e = l->error;
	pthread_mutex_unlock(&l->lock);
	return e;
}

const char *tmlog_path(const struct tmlog *l)
{
	return l->path;
}
