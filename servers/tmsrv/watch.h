/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - what happens by itself: time-outs, repetitions, orphans
 *
 * One thread looks at the table many times a second, and has jobs done. Every
 * few seconds one job asks the resource manager for prepared branches, and rolls
 * back those whose transaction its tmsrv does not know.
 */
#ifndef OW_TMSRV_WATCH_H
#define OW_TMSRV_WATCH_H

#include <stdint.h>

struct tmlog;

/* Start the thread: 0 or -errno. `scan_ms`: between two looks for orphans. */
int watch_start(const struct tmlog *log, uint32_t rmid, uint64_t scan_ms);
void watch_stop(void);

#endif
