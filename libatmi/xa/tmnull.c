/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmnull.c - the resource manager that does nothing
 *
 * Programs that use no database are built with its switch.
 */
#include <xatmi.h>

static int null_info(char *info, int rmid, long flags)
{
	return XA_OK;
}

static int null_branch(XID *xid, int rmid, long flags)
{
	return XA_OK;
}

/* The branch has done nothing, so there is nothing to commit. */
static int null_prepare(XID *xid, int rmid, long flags)
{
	return XA_RDONLY;
}

static int null_recover(XID *xids, long count, int rmid, long flags)
{
	return 0; /* branches found */
}

static int null_complete(int *handle, int *retval, int rmid, long flags)
{
	return XAER_INVAL; /* no operation is asynchronous */
}

struct xa_switch_t tmnull_switch = {
	.name = "null",
	.flags = TMNOMIGRATE,
	.version = 0,
	.xa_open_entry = null_info,
	.xa_close_entry = null_info,
	.xa_start_entry = null_branch,
	.xa_end_entry = null_branch,
	.xa_rollback_entry = null_branch,
	.xa_prepare_entry = null_prepare,
	.xa_commit_entry = null_branch,
	.xa_recover_entry = null_recover,
	.xa_forget_entry = null_branch,
	.xa_complete_entry = null_complete,
};
