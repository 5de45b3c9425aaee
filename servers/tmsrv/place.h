/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.h - is a log where it was made, or is it a copy?
 *
 * Two domains with one log identity take each other's branches for orphans: a
 * test system that is a copy of production, with its database, would roll back
 * what production has prepared. So a file beside the log, NAME.place, has the
 * machine and the folder (its number on the disk) for which it was made. A copy
 * has another folder, or is on another machine. Without the file the log
 * belongs to where it is: remove it when a log was moved on purpose.
 */
#ifndef OW_TMSRV_PLACE_H
#define OW_TMSRV_PLACE_H

#include <stddef.h>

struct tmlog;

/* Open the log `name` in `folder`, which is made if need be, with those above
 * it: as tmlog_open(). A copy gets the name NAME.copied, and a new log begins;
 * a copy in which something has not ended is refused. */
int place_open_log(const char *folder, const char *name, struct tmlog **ret,
		   char *why, size_t size);

#endif
