/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switch.c - libndrxxaqdisk.so: durable queues as a resource manager
 *
 * For tmsrv, and for programs with the same NDRX_XA_RES_ID. The work in a branch
 * is done by tmqueue, which joins it by itself (joined.h); what ends the branch
 * is a request to tmqueue. A tmqueue that does not answer is XAER_RMFAIL.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <userlog.h>
#include <xatmi.h>

#include "drivers/aqdisk/openstr.h"
#include "drivers/aqdisk/xid.h"

static __thread char service[XATMI_SERVICE_NAME_LENGTH + 1];

/* ---- asked ---- */

/* Can the last question have been carried out? */
static __thread bool sent;

/* The answer is in *buffer, to be freed. 0, or XAER_RMFAIL. A question that no
 * server has begun, or that tmqueue has refused, has changed nothing. */
static int ask(struct ow_mq_request *head, struct ow_mq_answer *ret,
	       const char **ret_payload, char **buffer)
{
	long got = 0;
	char *request = tpalloc("CARRAY", NULL, sizeof(*head));

	sent = false;
	if (request == NULL)
		return XAER_RMFAIL;
	head->magic = OW_MQ_MESSAGE;
	memcpy(request, head, sizeof(*head));
	*buffer = request;
	tpurcode = 0; /* not that of an earlier call */
	if (tpcall(service, request, sizeof(*head), buffer, &got,
		   TPNOTRAN | TPSIGRSTRT) != 0) {
		sent = tpurcode != LONG_MIN;
		return XAER_RMFAIL;
	}
	if (ow_mq_answer_read(*buffer, got, ret, ret_payload) != 0) {
		sent = true;
		return XAER_RMFAIL;
	}
	sent = ret->tperr == 0;
	return sent ? XA_OK : XAER_RMFAIL;
}

static int branch(enum ow_mq_op op, const XID *xid, long flags)
{
	struct ow_mq_request head = { .op = (uint16_t)op,
				      .flags = (uint32_t)flags };
	struct ow_mq_answer a;
	const char *payload;
	char *buffer = NULL;
	int r;

	head.xid = xid_of(xid);
	if (head.xid.gtrid == 0)
		return XAER_INVAL;
	r = ask(&head, &a, &payload, &buffer);
	if (buffer != NULL)
		tpfree(buffer);
	return r != XA_OK ? r : (int)a.count - OW_MQ_XA_BASE;
}

/* ---- entries ---- */

static int open_space(char *info, int rmid, long flags)
{
	char space[TMQNAMELEN + 1];

	if (info == NULL ||
	    openstr_item(info, "qspace", space, sizeof(space)) != 0) {
		userlog((char *)"NDRX_XA_OPEN_STR names no queue space: "
			"datadir=\"FOLDER\",qspace=\"NAME\" is wanted, with a "
			"NAME of at most %d characters", TMQNAMELEN);
		return XAER_INVAL;
	}
	snprintf(service, sizeof(service), OW_MQ_SPACE, space);
	return XA_OK;
}

static int close_space(char *info, int rmid, long flags)
{
	return XA_OK;
}

/* tmqueue knows the branch before anybody joins it. */
static int start(XID *xid, int rmid, long flags)
{
	return flags & (TMJOIN | TMRESUME) ? XA_OK
					   : branch(OW_MQ_BEGIN, xid, flags);
}

static int end(XID *xid, int rmid, long flags)
{
	return XA_OK;
}

static int roll_back(XID *xid, int rmid, long flags)
{
	return branch(OW_MQ_ROLLBACK, xid, flags);
}

static int prepare(XID *xid, int rmid, long flags)
{
	return branch(OW_MQ_PREPARE, xid, flags);
}

static int commit(XID *xid, int rmid, long flags)
{
	return branch(OW_MQ_COMMIT, xid, flags);
}

static int recover(XID *xids, long count, int rmid, long flags)
{
	static __thread struct ow_mq_xid last; /* the scan has come so far */
	struct ow_mq_request head = { .op = OW_MQ_RECOVER };
	struct ow_mq_answer a;
	struct ow_mq_xid x;
	const char *payload;
	char *buffer = NULL;
	int r, n = 0;

	if (flags & TMENDRSCAN)
		return 0;
	if (flags & TMSTARTRSCAN)
		memset(&last, 0, sizeof(last));
	head.xid = last;
	r = ask(&head, &a, &payload, &buffer);
	while (r == XA_OK && n < count &&
	       (uint64_t)(n + 1) * sizeof(x) <= a.len) {
		memcpy(&x, payload + (size_t)n * sizeof(x), sizeof(x));
		xids[n++] = xid_back(&x);
		last = x;
	}
	if (buffer != NULL)
		tpfree(buffer);
	return r == XA_OK ? n : r;
}

static int forget(XID *xid, int rmid, long flags)
{
	return XAER_NOTA; /* nothing is decided without the coordinator */
}

static int complete(int *handle, int *result, int rmid, long flags)
{
	return XAER_PROTO;
}

static struct xa_switch_t queues = {
	.name = "onewake durable queues",
	.xa_open_entry = open_space,
	.xa_close_entry = close_space,
	.xa_start_entry = start,
	.xa_end_entry = end,
	.xa_rollback_entry = roll_back,
	.xa_prepare_entry = prepare,
	.xa_commit_entry = commit,
	.xa_recover_entry = recover,
	.xa_forget_entry = forget,
	.xa_complete_entry = complete,
};

#pragma GCC visibility push(default)

struct xa_switch_t *ndrx_get_xa_switch(void);
int ndrx_xa_has_sent(void);

struct xa_switch_t *ndrx_get_xa_switch(void)
{
	return &queues;
}

/* After XAER_RMFAIL: no, if the question has certainly changed nothing. */
int ndrx_xa_has_sent(void)
{
	return sent;
}

#pragma GCC visibility pop
