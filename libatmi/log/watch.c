/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - notice that a file has been replaced or written
 */
#include "libatmi/log/watch.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "libatmi/base/clock.h"

static void read_state(struct ow_log_watch *w)
{
	struct stat st;

	memset(&w->state, 0, sizeof(w->state));
	if (w->path[0] == '\0' || stat(w->path, &st) < 0)
		return;
	w->state.there = 1;
	w->state.dev = st.st_dev;
	w->state.ino = st.st_ino;
	w->state.size = (uint64_t)st.st_size;
	w->state.mtime_ns = (uint64_t)st.st_mtim.tv_sec * OW_NS_PER_SEC +
		      (uint64_t)st.st_mtim.tv_nsec;
}

void ow_log_watch_set(struct ow_log_watch *w, const char *path)
{
	memset(w, 0, sizeof(*w));
	if (path != NULL)
		snprintf(w->path, sizeof(w->path), "%s", path);
	read_state(w);
}

enum ow_log_watch_result ow_log_watch_look(struct ow_log_watch *w)
{
	struct ow_log_state was = w->state;

	if (w->path[0] == '\0')
		return OW_LOG_WATCH_SAME;
	read_state(w);
	if (!w->state.there)
		return was.there ? OW_LOG_WATCH_LOST : OW_LOG_WATCH_SAME;
	return memcmp(&was, &w->state, sizeof(was)) != 0 ? OW_LOG_WATCH_CHANGED
							 : OW_LOG_WATCH_SAME;
}
