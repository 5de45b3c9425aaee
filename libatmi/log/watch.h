/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - has a file been replaced or written since the last look?
 *
 * By looking, once a second, because every process of a domain would need an
 * inotify instance otherwise, of which a user has 128.
 */
#ifndef OW_LOG_WATCH_H
#define OW_LOG_WATCH_H

#include <stdint.h>

#include "libatmi/log/conf.h"

/* What tells one state of a file from another; all zero: it is not there. */
struct ow_log_state {
	uint64_t there, dev, ino, size, mtime_ns;
};

struct ow_log_watch {
	char path[OW_LOG_PATH]; /* "": nothing to look at */
	struct ow_log_state state;
};

enum ow_log_watch_result {
	OW_LOG_WATCH_CHANGED = 1, /* it appeared, or its content changed */
	OW_LOG_WATCH_LOST,	  /* it was there and is not */
};

/* Watch `path` (NULL, "": nothing) from its present state on. */
void ow_log_watch_set(struct ow_log_watch *w, const char *path);

/* What happened since the last look; 0: nothing. */
int ow_log_watch_look(struct ow_log_watch *w);

#endif
