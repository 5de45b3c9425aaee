/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.c - sockets that other users may reach, and who they are
 */
#include "libatmi/domain/gate.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/domain.h"
#include "libatmi/log/log.h"

#define CONNECT_S 5
#define GROUPS_MAX 65536

static void folder_of(const struct ow_domain *d, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s,gate", d->shm_dir, d->prefix);
}

/* At most 64 + 42 + 5 + 8 characters, which is less than sun_path holds. */
static int address(const struct ow_domain *d, const char *name,
		   struct sockaddr_un *a)
{
	char folder[160];
	int n;

	folder_of(d, folder, sizeof(folder));
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	n = snprintf(a->sun_path, sizeof(a->sun_path), "%.100s/%s", folder,
		     name);
	return n < (int)sizeof(a->sun_path) ? 0 : -ENAMETOOLONG;
}

/* ---- the domain's side ---- */

static int make_folder(const struct ow_domain *d)
{
	char folder[160];
	int r;

	folder_of(d, folder, sizeof(folder));
	if (mkdir(folder, 0700) < 0 && errno != EEXIST)
		return -errno;
	r = ow_owned_folder_owner(folder);
	if (r == 0 && chmod(folder, 0711) < 0)
		r = -errno;
	return r;
}

/* Give a socket the mode that lets the right users connect. */
static int let_in(const char *path, gid_t group)
{
	if (group == OW_GATE_OWNER)
		return chmod(path, 0600) < 0 ? -errno : 0;
	if (group != OW_GATE_ANY) {
		if (chown(path, (uid_t)-1, group) == 0)
			return chmod(path, 0660) < 0 ? -errno : 0;
		if (errno != EPERM)
			return -errno;
		log_info("%s: this user is not in group %u, so every user may "
			 "connect to it; others are sent away", path,
			 (unsigned int)group);
	}
	return chmod(path, 0666) < 0 ? -errno : 0;
}

int ow_gate_listen(const struct ow_domain *d, const char *name, int type,
		   gid_t group)
{
	struct sockaddr_un a, made;
	char new_name[16];
	int fd, r = make_folder(d);

	snprintf(new_name, sizeof(new_name), "%.14s~", name);
	if (r == 0)
		r = address(d, name, &a);
	if (r == 0)
		r = address(d, new_name, &made);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	unlink(made.sun_path);
	if (bind(fd, (struct sockaddr *)&made, sizeof(made)) < 0)
		r = -errno;
	else
		r = let_in(made.sun_path, group);
	if (r == 0 && listen(fd, SOMAXCONN) < 0)
		r = -errno;
	/* Under its name it has the right mode from the first moment: a guest
	 * that comes back to a new gate is not sent away as a stranger. */
	if (r == 0 && rename(made.sun_path, a.sun_path) < 0)
		r = -errno;
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

void ow_gate_unlisten(const struct ow_domain *d, const char *name)
{
	struct sockaddr_un a;
	char folder[160];

	if (address(d, name, &a) != 0)
		return;
	folder_of(d, folder, sizeof(folder));
	if (ow_owned_folder_owner(folder) != 0)
		return;
	unlink(a.sun_path);
	rmdir(folder);
}

/* ---- the guest's side ---- */

/* The user that NDRX_OWNER names: 0, UNASKED, -ENOENT. */
static int find_owner(uid_t *ret, const char **ret_name)
{
	const char *name = ow_env_str("NDRX_OWNER", NULL);
	struct passwd pw, *found = NULL;
	char room[4096], *end;
	unsigned long n;

	if (name == NULL)
		return OW_GATE_UNASKED;
	*ret_name = name;
	n = strtoul(name, &end, 10);
	if (*end == '\0' && n < (uid_t)-1)
		*ret = (uid_t)n;
	else if (getpwnam_r(name, &pw, room, sizeof(room), &found) == 0 &&
		 found != NULL)
		*ret = pw.pw_uid;
	else
		return -ENOENT;
	return *ret == geteuid() ? OW_GATE_UNASKED : 0;
}

bool ow_gate_is_asked(void)
{
	const char *name = NULL;
	uid_t uid = 0;

	return find_owner(&uid, &name) != OW_GATE_UNASKED;
}

static int connect_to(const struct sockaddr_un *a, int type)
{
	struct timeval limit = { .tv_sec = CONNECT_S };
	int r, fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (connect(fd, (const struct sockaddr *)a, sizeof(*a)) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}

/* Is the listener the user that was asked for? */
static int check_listener(int fd, uid_t owner, const char *path, char *why,
			  size_t size)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	char user[80];

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	if (cred.uid == owner)
		return 0;
	ow_owned_user(cred.uid, user, sizeof(user));
	snprintf(why, size, "%s belongs to user %s, and NDRX_OWNER is %s",
		 path, user, ow_env_str("NDRX_OWNER", ""));
	return -EPERM;
}

static int explain(int r, const char *path, const char *owner, char *why,
		   size_t size)
{
	char self[80];

	ow_owned_user(geteuid(), self, sizeof(self));
	if (r == -EACCES)
		snprintf(why, size, "%s: user %s is in no group that <access> "
			 "of user %.60s lets in", path, self, owner);
	else if (r == -ECONNREFUSED || r == -EAGAIN || r == -ETIMEDOUT)
		snprintf(why, size, "%s: the gate does not answer: it is "
			 "being started again, or does not run", path);
	else
		snprintf(why, size, "%s: %s", path, strerror(-r));
	return r == -EACCES ? -EPERM : r;
}

int ow_gate_connect(const struct ow_domain *d, const char *name, int type,
		    int *ret_fd, char *why, size_t size)
{
	const char *owner = NULL;
	struct sockaddr_un a;
	uid_t uid = 0;
	int fd, r = find_owner(&uid, &owner);

	if (r == -ENOENT) {
		snprintf(why, size, "NDRX_OWNER=%.60s: no such user", owner);
		return -EINVAL;
	}
	if (r == 0)
		r = address(d, name, &a);
	if (r != 0)
		return r;
	fd = connect_to(&a, type);
	if (fd == -ENOENT || fd == -ENOTDIR)
		snprintf(why, size, "%s is not there: domain %s of user %.60s "
			 "does not run, or has no <access>", a.sun_path,
			 d->prefix, owner);
	if (fd == -ENOENT || fd == -ENOTDIR)
		return OW_GATE_ABSENT;
	if (fd < 0)
		return explain(fd, a.sun_path, owner, why, size);
	r = check_listener(fd, uid, a.sun_path, why, size);
	if (r == 0)
		*ret_fd = fd;
	else
		close(fd);
	return r;
}

int ow_gate_connect_own(const struct ow_domain *d, const char *name, int type,
			int *ret_fd, char *why, size_t size)
{
	struct sockaddr_un a;
	pid_t pid = 0;
	int fd, r = address(d, name, &a);

	if (r != 0)
		return r;
	fd = connect_to(&a, type);
	if (fd < 0) {
		snprintf(why, size, "%s: %s", a.sun_path, strerror(-fd));
		return fd;
	}
	r = ow_owned_peer(fd, a.sun_path, &pid);
	if (r == 0) {
		*ret_fd = fd;
		return 0;
	}
	snprintf(why, size, "%s", ow_owned_strerror(r));
	close(fd);
	return r;
}

/* ---- who is it ---- */

int ow_guest_identify(int fd, struct ow_guest_id *ret)
{
	struct ucred cred;
	socklen_t len = sizeof(cred), size = 0;
	gid_t *groups = NULL;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return -errno;
	/* With too little room it fails, and says how much is wanted. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &size) < 0 &&
	    errno != ERANGE)
		return -errno;
	if (size > GROUPS_MAX * sizeof(gid_t))
		return -E2BIG;
	if (size > 0) {
		groups = malloc(size);
		if (groups == NULL)
			return -ENOMEM;
		if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) <
		    0) {
			free(groups);
			return -errno;
		}
	}
	*ret = (struct ow_guest_id){
		.uid = cred.uid, .gid = cred.gid, .pid = cred.pid,
		.groups = groups, .n_groups = size / sizeof(gid_t),
	};
	return 0;
}

void ow_guest_forget(struct ow_guest_id *id)
{
	free(id->groups);
	id->groups = NULL;
	id->n_groups = 0;
}

bool ow_guest_in_group(const struct ow_guest_id *id, gid_t group)
{
	size_t i;

	for (i = 0; i < id->n_groups; i++)
		if (id->groups[i] == group)
			return true;
	return id->gid == group;
}

int ow_guest_group_find(const char *name, gid_t *ret)
{
	struct group gr, *found = NULL;
	char room[16384], *end;
	unsigned long n = strtoul(name, &end, 10);

	if (*name >= '0' && *name <= '9' && *end == '\0' && n < OW_GATE_ANY) {
		*ret = (gid_t)n;
		return 0;
	}
	if (getgrnam_r(name, &gr, room, sizeof(room), &found) != 0 ||
	    found == NULL)
		return -ENOENT;
	*ret = gr.gr_gid;
	return 0;
}
