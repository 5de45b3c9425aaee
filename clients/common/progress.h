/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - start and stop as lines on stderr
 *
 * ndrxd starts the instances of an entry in parallel, so "being started" of
 * several may come before their results. A line in the making is shown at
 * once as long as it is alone; others wait for their result, so that each
 * result stands under its own command line.
 *
 * With `live` (a terminal) the last line says how far the work is; it is
 * erased before the next line is written, so that a log of the terminal has
 * the lines only.
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
	struct ow_progress_begun *begun; /* waiting for their results */
	bool live;
	bool status_shown;
	uint32_t total;	   /* servers that will have a result, 0: unknown */
	uint64_t begin_ns; /* of the work; 0: from the first line on */
};

/* An ow_remote_fn; `arg` is the struct ow_progress. */
void ow_progress_on_reply(const union ow_ctl_msg *m, void *arg);

/* Finish what is open, free what is kept. */
void ow_progress_end(struct ow_progress *p);

#endif
