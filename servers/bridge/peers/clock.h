/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - what a bridge does by the clock: heartbeats, silence, time-outs
 */
#ifndef OW_BRIDGE_CLOCK_H
#define OW_BRIDGE_CLOCK_H

/* The thread; its argument is a struct ow_br_peers. It ends with ps->ended. */
void *ow_br_clock_run(void *peers);

#endif
