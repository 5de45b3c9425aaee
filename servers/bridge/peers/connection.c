/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connection.c - the connection to NATS, as the peers use it
 */
#include "servers/bridge/peers/connection.h"

#include "servers/bridge/peers/answers.h"
#include "servers/bridge/peers/link.h"
#include "servers/bridge/peers/send.h"

static void on_message(void *peers, const char *subject, const void *data,
		       size_t len)
{
	ow_br_message(peers, subject, data, len);
}

static void on_heard_there(void *peers, const char *subject, const void *data,
			   size_t len)
{
	ow_br_answers_note(peers, subject, data, len);
}

static void on_undelivered(void *peers, const char *subject)
{
	ow_br_undelivered(peers, subject);
}

static void on_up(void *peers)
{
	ow_br_up(peers);
}

static void on_down(void *peers)
{
	ow_br_down(peers);
}

static void on_moved(void *peers)
{
	struct ow_br_peers *ps = peers;

	pthread_mutex_lock(&ps->lock);
	ow_br_limit_look(ps);
	pthread_mutex_unlock(&ps->lock);
}

static void on_pause(void *peers)
{
	ow_br_pause(peers);
}

static void on_resume(void *peers)
{
	ow_br_resume(peers);
}

static int on_wait(void *peers, char *why, size_t size)
{
	return ow_br_answers_wait(peers, why, size);
}

void ow_br_connection_user(struct ow_br_peers *ps,
			   struct ow_br_handover_user *ret)
{
	*ret = (struct ow_br_handover_user){
		.arg = ps,
		.message = on_message,
		.heard_there = on_heard_there,
		.undelivered = on_undelivered,
		.up = on_up,
		.down = on_down,
		.moved = on_moved,
		.pause = on_pause,
		.resume = on_resume,
		.wait_for_answers = on_wait,
	};
}
