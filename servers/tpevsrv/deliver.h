/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliver.h - an event goes to all its subscribers
 */
#ifndef TPEVSRV_DELIVER_H
#define TPEVSRV_DELIVER_H

struct ow_domain;
struct ow_post;

/* Deliver: how many subscribers got it, or -1. */
long deliver_event(struct ow_domain *d, struct ow_post *event);
/* Free what is kept between events. */
void deliver_close(void);

#endif
