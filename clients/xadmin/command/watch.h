/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - a listing again and again
 */
#ifndef OW_WATCH_H
#define OW_WATCH_H

struct ow_args;

/*
 * Run the command every `watch_ms` until Ctrl-C: on a terminal always at its
 * top, elsewhere one output after the other. The exit code of the last run.
 */
int ow_watch_run(struct ow_args *a);

#endif
