/* SPDX-License-Identifier: Apache-2.0 */
/*
 * salvage.c - find the queues of a domain whose tables cannot be read
 */
#include "clients/xadmin/domain/salvage.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "libatmi/base/owned.h"
#include "libatmi/base/env.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/domain/queue_name.h"

#define CHUNK	  65536
#define MQUEUE_FS 0x19800202ul /* statfs(2): the file system of queues */

void ow_salvage_process(struct ow_names *s, const struct ow_domain *d,
			pid_t pid)
{
	char path[64], link[512], want[OW_PREFIX_MAX + 4], name[512];
	struct dirent *e;
	ssize_t n;
	DIR *dir;

	snprintf(want, sizeof(want), "/%s,", d->prefix);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		n = readlinkat(dirfd(dir), e->d_name, name, sizeof(name) - 1);
		if (n <= 0)
			continue;
		name[n] = '\0';
		/* The link is /NAME, or a path below the mount point. */
		if (strrchr(name, '/') == NULL)
			continue;
		snprintf(link, sizeof(link), "%s", strrchr(name, '/'));
		if (strncmp(link, want, strlen(want)) == 0)
			ow_names_add(s, link);
	}
	if (dir != NULL)
		closedir(dir);
}

/* Could the text at `p` be (part of) the name of a queue? */
static bool is_name(const char *p, size_t size)
{
	size_t i;

	for (i = 0; i < size && p[i] != '\0'; i++)
		if (!isgraph((unsigned char)p[i]) || p[i] == '/')
			return false;
	return i > 0 && i < size;
}

/* Read every record of a chunk as a service row. */
static void look_into(struct ow_names *s, const struct ow_domain *d,
		      const char *buf, size_t len)
{
	char name[OW_NAMES_LEN];
	size_t at;

	for (at = 0; at + sizeof(struct ow_svc) <= len;
	     at += sizeof(struct ow_svc)) {
		const char *p = buf + at + offsetof(struct ow_svc, name);

		if (!is_name(p, OW_SVC_NAME))
			continue;
		ow_queue_name_of(d, p, name, sizeof(name));
		ow_names_add(s, name);
	}
}

void ow_salvage_tables(struct ow_names *s, const struct ow_domain *d)
{
	static char buf[CHUNK] __attribute__((aligned(64)));
	char path[256];
	off_t at = 0;
	ssize_t n;
	int fd;

	ow_domain_shm_path(d, "tables", path, sizeof(path));
	fd = ow_owned_open(path, O_RDONLY, S_IFREG, NULL);
	if (fd < 0)
		return;
	/* The file is nearly all holes: read only its data. */
	while ((at = lseek(fd, at, SEEK_DATA)) >= 0) {
		n = pread(fd, buf, sizeof(buf), at);
		if (n <= 0)
			break;
		look_into(s, d, buf, (size_t)n);
		at += n;
	}
	close(fd);
}

void ow_salvage_files(struct ow_names *s, const struct ow_domain *d)
{
	char path[160], name[OW_NAMES_LEN];
	const char *comma;
	struct dirent *e;
	DIR *dir;

	ow_domain_shm_path(d, "", path, sizeof(path));
	dir = opendir(path);
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		comma = strchr(e->d_name, ',');
		if (comma == NULL || !is_name(comma + 1, OW_SVC_NAME))
			continue;
		ow_queue_name_of(d, comma + 1, name, sizeof(name));
		ow_names_add(s, name);
	}
	if (dir != NULL)
		closedir(dir);
}

bool ow_salvage_can_list(void)
{
	struct statfs st;

	return statfs(ow_env_str("NDRX_QPATH", "/dev/mqueue"), &st) == 0 &&
	       (unsigned long)st.f_type == MQUEUE_FS;
}

int ow_salvage_remove(const struct ow_names *s)
{
	int removed = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		removed += ow_owned_mq_unlink(s->list[i]) == 0;
	return removed;
}
