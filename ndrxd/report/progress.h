/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - progress of an operation, to the xadmins that watch it
 */
#ifndef OW_PROGRESS_H
#define OW_PROGRESS_H

#include <stdint.h>

#include "libatmi/wire/ctl.h"

struct ndrxd;
struct ow_inst;
struct ow_peer;

/* The result of a start or stop of one server, to all that watch. */
void ow_progress_result(struct ndrxd *d, struct ow_inst *s,
			enum ow_ctl_verb verb);

/* The result of the operation, to all that watch. */
void ow_progress_done(struct ndrxd *d, uint32_t status, uint32_t count,
		      const char *text);

/* One line of text to one peer. */
void ow_progress_line(struct ow_peer *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
