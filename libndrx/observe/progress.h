/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - progress of an order (start, stop) as lines of text
 *
 * ndrxd starts the instances of an entry in parallel, so several servers may
 * be "being started" before the first result comes. The first half of a line
 * is printed at once if no other line is open; else it waits for the result,
 * so that each result follows its own command line.
 *
 * With `live` (a terminal) the last line tells how much is done; it is erased
 * before the next line is printed, so that a log of the terminal has no
 * progress lines.
 */
#ifndef OW_PROGRESS_H
#define OW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libatmi/wire/ctl.h"

struct ow_progress_begun;

/* All zero but `out`: nothing seen. */
struct ow_progress {
	FILE *out;
	uint32_t open; /* server id whose line is not finished, 0: none */
	uint32_t started, stopped, failed;
	struct ow_progress_begun *begun; /* first halves that wait */
	bool live;
	bool status_shown;
	uint32_t total;	   /* servers that will have a result, 0: unknown */
	uint64_t begin_ns; /* start of the work; 0: at the first line */
};

/* An ow_command_fn; `arg` is the struct ow_progress. */
void ow_progress_on_reply(const union ow_ctl_msg *m, void *arg);

/* End an open line, free all memory. */
void ow_progress_end(struct ow_progress *p);

#endif
