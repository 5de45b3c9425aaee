/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - notice that a file has been replaced or written
 *
 * Compares the file's state once a second. inotify would need an instance in
 * every process of the domain, and a user has 128.
 */
#ifndef OW_LOG_WATCH_H
#define OW_LOG_WATCH_H

#include <stdint.h>

#include "libatmi/log/conf.h"

/* Differs between two states of a file; all zero: there is no file. */
struct ow_log_state {
	uint64_t there, dev, ino, size, mtime_ns;
};

struct ow_log_watch {
	char path[OW_LOG_PATH]; /* "": no file is watched */
	struct ow_log_state state;
};

enum ow_log_watch_result {
	OW_LOG_WATCH_SAME = 0,
	OW_LOG_WATCH_CHANGED = 1, /* the file appeared or changed */
	OW_LOG_WATCH_LOST,	  /* the file disappeared */
};

/* Watch `path` from its present state on; NULL, "": watch no file. */
void ow_log_watch_set(struct ow_log_watch *w, const char *path);

/* What happened since the last call. */
enum ow_log_watch_result ow_log_watch_look(struct ow_log_watch *w);

#endif
