/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.c - the table of the shm transport: queues in shared memory
 */
#include "libatmi/transport/shm/shm.h"

static const enum ow_wake wakes[] = { OW_WAKE_HOT, OW_WAKE_EVEN };

/* Any process can wake an idle server. */
static bool bounds_polls(const struct ow_domain *d)
{
	(void)d;
	return true;
}

const struct ow_transport ow_transport_shm = {
	.name = "shm",
	.about = "queues in shared memory; the sender wakes one idle server",
	.id = 2,
	.choice = 2,
	.wakes = wakes,
	.nwakes = sizeof(wakes) / sizeof(wakes[0]),
	.wake_per_queue = true,
	.buffers_in_blocks = true,

	.read_shapes = ow_shm_read_shapes,
	.bounds_polls = bounds_polls,

	.create = ow_shm_create,
	.open = ow_shm_open,
	.close = ow_shm_close,
	.remove = ow_shm_remove,
	.peek = ow_shm_peek,
	.depth = ow_shm_depth,
	.waiting = ow_shm_waiting,

	.send = ow_shm_send,
	.recv = ow_shm_recv,
	.wait_either = ow_shm_wait_either,
	.give_up = ow_shm_give_up,
	.nudge = ow_shm_nudge,
	.nudge_of_many = ow_shm_nudge_of_many,
	.attendance = ow_shm_attendance,
	.served = ow_shm_served,

	.waitset_open = ow_shm_waitset_open,
	.waitset_close = ow_shm_waitset_close,
	.add_queue = ow_shm_add_queue,
	.del_queue = ow_shm_del_queue,
	.add_fd = ow_shm_add_fd,
	.del_fd = ow_shm_del_fd,
	.tick = ow_shm_tick,
	.kick = ow_shm_kick,
	.wait = ow_shm_wait,
	.alert = ow_shm_alert,

	.withdraw = ow_shm_withdraw,
	.reclaim = ow_shm_reclaim,
	.reclaim_of = ow_shm_reclaim_of,
	.postpone = ow_shm_postpone,
};
