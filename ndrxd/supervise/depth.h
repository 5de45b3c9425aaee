/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depth.h - queues that grow long are events
 */
#ifndef OW_DEPTH_H
#define OW_DEPTH_H

struct ndrxd;

/* Once a second: a queue that has reached <service queuehigh> is an event, and
 * the next one is that it has no more than queuelow. */
void ow_depth_tick(struct ndrxd *d);
void ow_depth_close(struct ndrxd *d);

#endif
