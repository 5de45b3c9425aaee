/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owned.c - nothing that belongs to another user is used
 */
#include "libatmi/base/owned.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libubf/base/standard.h"
#include "libubf/base/uncancelled.h"
#include "libubf/base/threadmem.h"

#define WHY_SIZE 640
static __thread void *t_why_memory;

static char *why_text(void)
{
	return ow_thread_memory(&t_why_memory, WHY_SIZE);
}


bool ow_owned_by_us(uid_t uid)
{
	return uid == geteuid();
}

void ow_owned_user(uid_t uid, char *buf, size_t size)
{
	struct passwd pw, *found = NULL;
	char room[1024];

	if (getpwuid_r(uid, &pw, room, sizeof(room), &found) == 0 &&
	    found != NULL)
		snprintf(buf, size, "%.60s (%u)", pw.pw_name,
			 (unsigned int)uid);
	else
		snprintf(buf, size, "%u", (unsigned int)uid);
}

/* ---- the words of a refusal ---- */

static int refuse_owner(const char *name, uid_t uid)
{
	OW_UNCANCELLED;
	char owner[80], self[80], how[120];

	ow_owned_user(uid, owner, sizeof(owner));
	ow_owned_user(geteuid(), self, sizeof(self));
	if (strchr(owner, ' ') != NULL)
		snprintf(how, sizeof(how), "runuser -u %.*s",
			 (int)strcspn(owner, " "), owner);
	else /* a number without a name */
		snprintf(how, sizeof(how), "setpriv --reuid=%s --clear-groups",
			 owner);
	if (geteuid() == 0)
		snprintf(why_text(), WHY_SIZE,
			 "%.200s belongs to user %s, and this is %s: run it as "
			 "that user, for example `%s -- PROGRAM`",
			 name, owner, self, how);
	else
		snprintf(why_text(), WHY_SIZE,
			 "%.200s belongs to user %s, and this is %s: run it as "
			 "that user, or choose another NDRX_QPREFIX or "
			 "NDRX_SHMPATH", name, owner, self);
	return -EPERM;
}

static int refuse_mode(const char *name, mode_t mode)
{
	snprintf(why_text(), WHY_SIZE, "%.200s: mode %04o lets other users "
		 "in: %s", name, (unsigned int)mode & 07777,
		 S_ISDIR(mode) ? "`chmod 700` it"
			       : "remove it, `xadmin down -y` does");
	return -EPERM;
}

static int refuse_type(const char *name, mode_t type)
{
	snprintf(why_text(), WHY_SIZE, "%.200s is not %s: remove it", name,
		 type == S_IFDIR   ? "a folder"
		 : type == S_IFIFO ? "a FIFO"
				   : "a file");
	return -EPERM;
}

static int refuse_links(const char *name, nlink_t n)
{
	snprintf(why_text(), WHY_SIZE,
		 "%.200s has %lu names (hard links), and may have one: remove "
		 "it, `xadmin down -y` does", name, (unsigned long)n);
	return -EPERM;
}

const char *ow_owned_strerror(int r)
{
	return r == -EPERM && why_text()[0] != '\0'
		   ? why_text()
		   : strerror(-r);
}

/* ---- checks ---- */

/* `others`: what other users must not be allowed. */
static int check_stat(const struct stat *st, const char *name, mode_t type,
		      mode_t others)
{
	why_text()[0] = '\0';
	if (!ow_owned_by_us(st->st_uid))
		return refuse_owner(name, st->st_uid);
	if ((st->st_mode & S_IFMT) != type)
		return refuse_type(name, type);
	if ((st->st_mode & others) != 0)
		return refuse_mode(name, st->st_mode);
	/* 0: the name was removed after the object was opened. */
	if (type != S_IFDIR && st->st_nlink > 1)
		return refuse_links(name, st->st_nlink);
	return 0;
}

static int check_fd(int fd, const char *name, mode_t type, mode_t others,
		    struct stat *ret)
{
	struct stat st;
	int r = fstat(fd, &st) < 0 ? -errno
				   : check_stat(&st, name, type, others);

	if (r == 0 && ret != NULL)
		*ret = st;
	return r;
}

int ow_owned_check(int fd, const char *name, mode_t type, struct stat *ret)
{
	return check_fd(fd, name, type, S_IRWXG | S_IRWXO, ret);
}

int ow_owned_open(const char *path, int flags, mode_t type, struct stat *ret)
{
	OW_UNCANCELLED;
	mode_t others = (flags & O_ACCMODE) == O_RDONLY ? S_IWGRP | S_IWOTH
							: S_IRWXG | S_IRWXO;
	struct stat st;
	int r, fd;

	fd = ow_standard_above(open(path, flags | O_CLOEXEC | O_NOFOLLOW |
					      O_NONBLOCK | O_NOCTTY));
	if (fd < 0) {
		r = -errno;
		/* Why it failed is often whose it is, or what it is. */
		if (r != -ENOENT && lstat(path, &st) == 0 &&
		    check_stat(&st, path, type, 0) != 0)
			return -EPERM;
		return r;
	}
	r = check_fd(fd, path, type, others, ret);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

int ow_owned_fopen(const char *path, FILE **ret)
{
	OW_UNCANCELLED;
	int fd = ow_owned_open(path, O_RDONLY, S_IFREG, NULL);

	if (fd < 0)
		return fd;
	*ret = fdopen(fd, "r");
	if (*ret != NULL)
		return 0;
	close(fd);
	return -ENOMEM;
}

static int check_folder(const char *path, mode_t others)
{
	struct stat st;

	return lstat(path, &st) < 0 ? -errno
				    : check_stat(&st, path, S_IFDIR, others);
}

int ow_owned_folder(const char *path, bool make)
{
	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	return check_folder(path, S_IRWXG | S_IRWXO);
}

int ow_owned_folder_owner(const char *path)
{
	return check_folder(path, 0);
}

int ow_owned_peer(int fd, const char *name, pid_t *ret_pid)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	why_text()[0] = '\0';
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	if (!ow_owned_by_us(cred.uid))
		return refuse_owner(name, cred.uid);
	*ret_pid = cred.pid;
	return 0;
}

/* ---- POSIX message queues ---- */

/* The kernel did not let us open the queue. Its owner can be seen only where
 * the queue file system is mounted. */
static int refuse_queue(const char *name)
{
	char path[512], shown[300];
	struct stat st;

	snprintf(shown, sizeof(shown), "queue %.255s", name);
	snprintf(path, sizeof(path), "%.255s%.255s",
		 ow_env_str("NDRX_QPATH", "/dev/mqueue"), name);
	if (lstat(path, &st) == 0 && !ow_owned_by_us(st.st_uid))
		return refuse_owner(shown, st.st_uid);
	snprintf(why_text(), WHY_SIZE,
		 "%.200s may not be opened by this user, so it belongs to "
		 "another one: run as that user, or choose another "
		 "NDRX_QPREFIX", shown);
	return -EPERM;
}

int ow_owned_mq_open(const char *name, int flags, mqd_t *ret)
{
	char shown[300];
	mqd_t mq = mq_open(name, flags | O_CLOEXEC);
	int r;

	if (mq == (mqd_t)-1)
		return errno == EACCES ? refuse_queue(name) : -errno;
	snprintf(shown, sizeof(shown), "queue %.255s", name);
	r = ow_owned_check(mq, shown, S_IFREG, NULL);
	if (r == 0)
		*ret = mq;
	else
		mq_close(mq);
	return r;
}

int ow_owned_mq_unlink(const char *name)
{
	struct stat st;
	mqd_t mq;
	int r = 0;

	/* The kernel lets an ordinary user remove his own queues only. */
	if (geteuid() == 0) {
		mq = mq_open(name, O_RDONLY | O_CLOEXEC);
		if (mq == (mqd_t)-1)
			return -errno;
		if (fstat(mq, &st) < 0)
			r = -errno;
		else if (!ow_owned_by_us(st.st_uid))
			r = refuse_owner(name, st.st_uid);
		mq_close(mq);
	}
	if (r == 0 && mq_unlink(name) < 0)
		r = errno == EACCES ? -EPERM : -errno;
	return r;
}
