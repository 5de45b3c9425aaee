/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - start and stop as lines on stderr
 *
 * ndrxd starts the instances of an entry in parallel, so "being started" of
 * several may come before their results. A line in the making is shown at
 * once as long as it is alone; others wait for their result, so that each
 * result stands under its own command line.
 */
#ifndef OW_PROGRESS_H
#define OW_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

#include "libatmi/ctl.h"

struct ow_progress_begun;

/* All zero but `out`: nothing seen. */
struct ow_progress {
	FILE *out;
	uint32_t open; /* server id whose line is not finished, 0: none */
	uint32_t started, stopped, failed;
	struct ow_progress_begun *begun; /* waiting for their results */
};

/* An ow_remote_fn; `arg` is the struct ow_progress. */
void ow_progress_on_answer(const union ow_ctl_msg *m, void *arg);

/* Finish what is open, free what is kept. */
void ow_progress_end(struct ow_progress *p);

#endif
