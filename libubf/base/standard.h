/* SPDX-License-Identifier: Apache-2.0 */
/*
 * standard.h - standard input, output and error are no files of the runtime
 *
 * A program may be started without them (`program >&-`), or close them when it
 * becomes a daemon. The kernel then gives their numbers to the next files that
 * are opened: what the program prints would be written into the shared tables
 * of its domain.
 */
#ifndef OW_STANDARD_H
#define OW_STANDARD_H

/* Open /dev/null in the place of those that are closed, for started programs,
 * too. For who is about to open files: at the start of our programs, when a
 * program joins its domain, before a data base is opened. */
void ow_standard_fill(void);

/* Move a file descriptor that was just opened behind the standard ones, if it has
 * the number of one of these: the descriptor, or -1 with errno; `fd` is closed
 * then. -1 is returned as it is. */
int ow_standard_above(int fd);

#endif
