/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.c - the table of the posix transport: POSIX message queues
 */
#include "libatmi/transport/posix/posix.h"
#include "libatmi/transport/record.h"

static const enum ow_wake wakes[] = {
	OW_WAKE_BELL, OW_WAKE_EVEN, OW_WAKE_EXCLUSIVE, OW_WAKE_HERD,
};

/* A byte in the FIFO of a queue wakes an idle server. */
static bool bounds_polls(const struct ow_domain *d)
{
	return d->wake == OW_WAKE_BELL || d->wake == OW_WAKE_EVEN;
}

const struct ow_transport ow_transport_posix = {
	.name = "posix",
	.about = "message queues of the kernel, waited on with epoll",
	.id = 1,
	.choice = 1,
	.wakes = wakes,
	.nwakes = sizeof(wakes) / sizeof(wakes[0]),

	.read_shapes = ow_posix_read_shapes,
	.fits = ow_posix_fits,
	.usage = ow_posix_usage,
	.remove_strays = ow_posix_remove_strays,
	.remove_named = ow_posix_remove_named,
	.bounds_polls = bounds_polls,

	.create = ow_posix_create,
	.open = ow_posix_open,
	.close = ow_posix_close,
	.remove = ow_posix_remove,
	.peek = ow_posix_peek,
	.depth = ow_posix_depth,

	.send = ow_posix_send,
	.recv = ow_posix_recv,
	.wait_either = ow_posix_wait_either,
	.nudge = ow_posix_nudge,
	.nudge_of_many = ow_posix_nudge_of_many,
	.served = ow_posix_served,
	.runs = ow_posix_runs,

	.waitset_open = ow_posix_waitset_open,
	.waitset_close = ow_posix_waitset_close,
	.add_queue = ow_posix_add_queue,
	.del_queue = ow_posix_del_queue,
	.add_fd = ow_posix_add_fd,
	.del_fd = ow_posix_del_fd,
	.tick = ow_posix_tick,
	.kick = ow_posix_kick,
	.alert = ow_posix_alert,
	.wait = ow_posix_wait,

	.record = ow_posix_record,
	.recorded = ow_posix_recorded,
	.reclaim = ow_posix_reclaim,
	.reclaim_of = ow_posix_reclaim_of,
	.drain_into = ow_record_open,
	.postpone = ow_posix_postpone,
};
