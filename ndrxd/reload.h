/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload.h - a new configuration under running servers
 *
 * Read and compared first; taken over only when nothing stands against it.
 * Running servers stay as they are: a changed program, command line or
 * environment counts from their next start on, times and limits at once.
 */
#ifndef OW_RELOAD_H
#define OW_RELOAD_H

#include <stdbool.h>

struct ow_peer;

/* Reload, or with `dry` only say what a reload would do. Ends in DONE. */
void ow_reload(struct ow_peer *p, bool dry);

#endif
