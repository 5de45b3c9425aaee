/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - repeat a listing until Ctrl-C
 */
#ifndef OW_WATCH_H
#define OW_WATCH_H

struct ow_args;

/*
 * Run the command, pause `watch_ms`, run it again, until Ctrl-C. On a terminal
 * each output replaces the one before. The exit code of the last run.
 */
int ow_watch_run(struct ow_args *a);

#endif
