/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joined.c - the switch with which tmqueue itself joins transactions
 */
#include "servers/tmqueue/joined.h"

#include <errno.h>

#include "drivers/aqdisk/xid.h"

static struct known *known;
static __thread struct ow_mq_xid current;

static int open_or_close(char *info, int rmid, long flags)
{
	return XA_OK;
}

/* A branch that was begun before this process was has lost its work. */
static int start(XID *xid, int rmid, long flags)
{
	struct ow_mq_xid x = xid_of(xid);
	int r;

	r = flags & (TMJOIN | TMRESUME) ? known_go_on(known, &x)
					: known_add(known, &x);
	if (r != 0)
		return r == -ESTALE ? XAER_NOTA : XAER_RMERR;
	current = x;
	return XA_OK;
}

static int end(XID *xid, int rmid, long flags)
{
	current.gtrid = 0;
	return XA_OK;
}

static int elsewhere(XID *xid, int rmid, long flags)
{
	return XAER_PROTO;
}

static int recover(XID *xids, long count, int rmid, long flags)
{
	return 0;
}

static int complete(int *handle, int *result, int rmid, long flags)
{
	return XAER_PROTO;
}

static struct xa_switch_t own_switch = {
	.name = "onewake durable queues",
	.xa_open_entry = open_or_close,
	.xa_close_entry = open_or_close,
	.xa_start_entry = start,
	.xa_end_entry = end,
	.xa_rollback_entry = elsewhere,
	.xa_prepare_entry = elsewhere,
	.xa_commit_entry = elsewhere,
	.xa_recover_entry = recover,
	.xa_forget_entry = elsewhere,
	.xa_complete_entry = complete,
};

struct xa_switch_t *joined_switch(struct known *k)
{
	known = k;
	return &own_switch;
}

struct ow_mq_xid joined_xid(void)
{
	return current;
}
