/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leave.c - end the event loop, the last packets sent
 */
#include "ndrxd/report/leave.h"

#include "ndrxd/model/ndrxd.h"
#include "ndrxd/report/peer.h"

#define LEAVE_S	     0.01
#define LEAVE_MAX_MS 1000u

static void on_leave(EV_P_ ev_timer *w, int revents)
{
	struct ndrxd *d = w->data;

	if (ow_peer_all_sent(d) ||
	    ow_ndrxd_now_ms() - d->conn.t_leave >= LEAVE_MAX_MS)
		ev_break(d->loop, EVBREAK_ALL);
}

void ow_leave(struct ndrxd *d)
{
	if (d->conn.ending)
		return;
	d->conn.ending = true;
	d->conn.t_leave = ow_ndrxd_now_ms();
	if (ow_peer_all_sent(d))
		ev_break(d->loop, EVBREAK_ALL);
	else
		ev_timer_again(d->loop, &d->conn.leave);
}

void ow_leave_open(struct ndrxd *d)
{
	ev_init(&d->conn.leave, on_leave);
	d->conn.leave.repeat = LEAVE_S;
	d->conn.leave.data = d;
}
