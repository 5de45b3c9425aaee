/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk.c - room on the file systems of logs and queues
 */
#include "libndrx/observe/disk.h"

#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "libatmi/base/env.h"

#define FULL_BYTES (UINT64_C(64) << 10)
#define LOW_BYTES  (UINT64_C(16) << 20)

static void look(const char *dir, struct ow_disk *ret)
{
	struct statvfs st;

	memset(ret, 0, sizeof(*ret));
	snprintf(ret->dir, sizeof(ret->dir), "%s", dir);
	/* No blocks: a file system without a size, such as /proc. */
	if (statvfs(dir, &st) < 0 || st.f_blocks == 0)
		return;
	ret->known = true;
	ret->avail = (uint64_t)st.f_bavail * st.f_frsize;
	ret->total = (uint64_t)st.f_blocks * st.f_frsize;
	ret->files = st.f_files > 0 ? st.f_favail : UINT64_MAX;
}

/* The path of a file becomes that of its folder. */
static void cut_name(char *path, size_t size)
{
	char *slash = strrchr(path, '/');

	if (slash == NULL)
		snprintf(path, size, ".");
	else
		slash[slash == path] = '\0';
}

void ow_disk_of_file(const char *path, struct ow_disk *ret)
{
	char dir[sizeof(ret->dir)];

	snprintf(dir, sizeof(dir), "%s", path);
	cut_name(dir, sizeof(dir));
	look(dir, ret);
}

/* The folder of ndrxd's log. */
static void folder_of_log(char *dir, size_t size)
{
	const char *log = ow_env_str("NDRX_DMNLOG", NULL);

	if (log == NULL) {
		snprintf(dir, size, "%s/log", ow_env_str("NDRX_APPHOME", ""));
		return;
	}
	snprintf(dir, size, "%s", log);
	cut_name(dir, size);
}

void ow_disk_logs(struct ow_disk *ret)
{
	const char *ulog = ow_env_str("NDRX_ULOG", NULL);
	char dir[sizeof(ret->dir)];
	struct ow_disk other;

	folder_of_log(dir, sizeof(dir));
	look(dir, ret);
	if (ulog == NULL)
		return;
	look(ulog, &other);
	if (other.known && (!ret->known || other.avail < ret->avail ||
			    other.files < ret->files))
		*ret = other;
}

enum ow_disk_state ow_disk_judge(const struct ow_disk *d)
{
	if (!d->known)
		return OW_DISK_GOOD;
	if (d->avail < FULL_BYTES || d->files == 0)
		return OW_DISK_FULL;
	return d->avail < LOW_BYTES || d->avail < d->total / 50
		   ? OW_DISK_LOW : OW_DISK_GOOD;
}
