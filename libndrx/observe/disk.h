/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk.h - room on the file systems of logs and queues
 *
 * A full disk disturbs no call, and loses lines of the logs: nobody would
 * notice.
 */
#ifndef OW_DISK_H
#define OW_DISK_H

#include <stdbool.h>
#include <stdint.h>

enum ow_disk_state {
	OW_DISK_GOOD, /* or it cannot be looked at */
	OW_DISK_LOW,
	OW_DISK_FULL,
};

struct ow_disk {
	char dir[256]; /* a folder on it */
	bool known;    /* the figures are */
	uint64_t avail, total; /* bytes, for this user */
	uint64_t files;	       /* that can still be made */
};

/* Look at the file system of the logs: of ndrxd's log (NDRX_DMNLOG) and of
 * userlog() (NDRX_ULOG). If these are two, at the one with less room. */
void ow_disk_logs(struct ow_disk *ret);

/* Look at the file system of a file. */
void ow_disk_of_file(const char *path, struct ow_disk *ret);

enum ow_disk_state ow_disk_judge(const struct ow_disk *d);

#endif
