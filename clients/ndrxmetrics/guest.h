/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - the figures of a domain of another user, who lets us look
 */
#ifndef OW_METRICS_GUEST_H
#define OW_METRICS_GUEST_H

#include <stddef.h>

struct ow_text;

/* Append the figures that an ndrxmetrics of the domain's user writes. 0; else
 * t->failed, with the reason in `why`, and -errno. */
int ow_metrics_fetch(struct ow_text *t, char *why, size_t size);

#endif
