/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_open.c - the files of a queue space are opened, or made
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/folders.h"
#include "libatmi/base/owned.h"
#include "servers/tmqueue/examine.h"
#include "servers/tmqueue/salvage.h"
#include "servers/tmqueue/store.h"

#define MODE	 0600

static int fail(char *why, size_t size, int r, const char *what)
{
	snprintf(why, size, "%s: %s", what, mdb_strerror(r));
	return r > 0 ? -r : -EIO;
}

/* A file of the space that is there is ours, and nobody else may open it. */
static int check_owner(const char *folder, const char *name, const char *end,
		       char *why, size_t size)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.%s", folder, name, end);
	fd = ow_owned_open(path, O_RDWR | O_CLOEXEC, S_IFREG, NULL);
	if (fd >= 0)
		close(fd);
	if (fd != -EPERM)
		return fd >= 0 || fd == -ENOENT ? 0
						: fail(why, size, -fd, path);
	snprintf(why, size, "%s", ow_owned_strerror(fd));
	return fd;
}

/* The lock of the space, for as long as this process lives. */
static int take_lock(struct store *s, const char *folder, const char *name,
		     char *why, size_t size)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.lock", folder, name);
	s->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, MODE);
	if (s->lock_fd < 0)
		return fail(why, size, errno, path);
	if (flock(s->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	snprintf(why, size, "%s: another process has the queue space %s open",
		 path, name);
	return -EBUSY;
}

/* A new data base has its name when it is whole; its watermark is there
 * before. */
static int make_base(struct store *s, const char *mark, char *why, size_t size)
{
	char temp[sizeof(s->path) + 8];
	uint64_t id = 0;
	int r = 0;

	if (s->mark.fd < 0) {
		if (getrandom(&id, sizeof(id), 0) != sizeof(id))
			return -EIO;
		r = watermark_make(&s->mark, s->folder, mark, id, 0);
	}
	snprintf(temp, sizeof(temp), "%s.new", s->path);
	if (r == 0)
		r = store_make(s, temp, why, size);
	store_leave_env(s);
	if (r == 0 && (rename(temp, s->path) != 0 || fsync(s->folder) != 0))
		r = -errno;
	return r;
}

/* The journal is opened, and compared with the rest. False: damage. */
static bool open_journal(struct store *s, const struct examined *e, bool begun,
			 struct ow_damage *d, int *ret)
{
	char path[sizeof(s->path) + 1];

	snprintf(path, sizeof(path), "%.*s.tmj", (int)strlen(s->path) - 4,
		 s->path);
	*ret = journal_open(&s->journal, path, s->id, s->salt, begun);
	if (*ret == JOURNAL_MISSING) {
		*ret = 0;
		ow_damage_say(d, "queue space %s: its journal %s is missing or "
			      "cut short: it has the last messages", s->path,
			      path);
	}
	if (*ret != 0 && *ret != JOURNAL_NO_ROOM)
		return true;
	if (s->journal.fd >= 0 && fsync(s->folder) != 0)
		*ret = -errno;
	else
		*ret = journal_begin(&s->journal, s->epoch, s->number);
	return *ret != 0 || (examine_journal(s, e, d) && d->len == 0);
}

/* What the journal has becomes part of the data base. Where there is no room for
 * one, each batch is a transaction of LMDB. */
static int use_journal(struct store *s, bool begun)
{
	bool is_begun;
	int r = 0;

	if (s->journal.fd < 0)
		return 0;
	if (s->journal.batches > 0)
		r = store_recover(s);
	else if (!begun)
		r = store_begin_epoch(s);
	return r != 0 ? r : store_read_or_make(s, &is_begun);
}

/* Open what is whole; `d` says what is not. */
static int open_whole(struct store *s, const char *mark, struct ow_damage *d,
		      char *why, size_t size)
{
	bool begun = false;
	struct examined e;
	int r = 0;

	if (!examine_base(s, mark, &e, d))
		return 0;
	if (!e.exists)
		r = make_base(s, mark, why, size);
	if (r == 0)
		r = store_open_env(s, s->path, why, size);
	if (r == 0)
		r = store_use_file(s, s->path);
	if (r == 0 && e.earlier)
		r = salvage_earlier(s, &e, mark);
	if (r == 0)
		r = store_read_or_make(s, &begun);
	if (r == 0 && !open_journal(s, &e, begun, d, &r))
		return 0;
	return r != 0 ? r : use_journal(s, begun);
}

static int open_files(struct store *s, const char *mark, char *why, size_t size)
{
	struct ow_damage d = { .len = 0 };
	int r = open_whole(s, mark, &d, why, size);

	if (d.len > 0 && r == 0) {
		store_leave_env(s);
		if (!ow_damage_is_accepted(&d, s->path, why, size))
			return -EBADMSG;
		r = salvage(s, mark, why, size);
		d.len = 0;
		if (r == 0)
			r = open_whole(s, mark, &d, why, size);
		if (r == 0 && d.len > 0)
			return -EBADMSG;
	}
	if (r == 0)
		ow_damage_none(s->path);
	if (r == STORE_FULL)
		return fail(why, size, ENOSPC, s->path);
	if (r != 0 && why[0] == '\0')
		return fail(why, size, -r, s->path);
	return r;
}

int store_open(struct store *s, const char *folder, const char *name, char *why,
	       size_t size)
{
	char mark[64];
	int r;

	memset(s, 0, sizeof(*s));
	s->lock_fd = s->file_fd = s->journal.fd = s->folder = s->mark.fd = -1;
	why[0] = '\0';
	r = ow_folders_make(folder, 0700);
	if (r != 0)
		return fail(why, size, -r, folder);
	s->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = s->folder < 0 ? fail(why, size, errno, folder) : 0;
	if (r == 0)
		r = check_owner(folder, name, "lock", why, size);
	if (r == 0)
		r = check_owner(folder, name, "tmq", why, size);
	if (r == 0)
		r = check_owner(folder, name, "tmj", why, size);
	if (r == 0)
		r = take_lock(s, folder, name, why, size);
	snprintf(s->path, sizeof(s->path), "%s/%s.tmq", folder, name);
	snprintf(mark, sizeof(mark), "%.40s.mark", name);
	if (r == 0)
		r = open_files(s, mark, why, size);
	if (r != 0)
		store_close(s);
	return r;
}

void store_close(struct store *s)
{
	store_leave_env(s);
	s->in_batch = false;
	journal_close(&s->journal);
	watermark_close(&s->mark);
	if (s->folder >= 0)
		close(s->folder);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	s->folder = s->lock_fd = -1;
}
