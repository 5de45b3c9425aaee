/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forward_tran.c - a message, its service and the answer in one transaction
 */
#include "servers/tmqueue/forward_tran.h"

#include <limits.h>
#include <string.h>
#include <userlog.h>

#include "libatmi/durable/message.h"
#include "libatmi/tran/tx.h"

/* A message is work: a kept reply of the service does not stand for it. */
int forward_call(const char *service, char **data, long *len, long flags)
{
	char *answer = NULL; /* not the request: NDRX_COMPAT might leave it */
	long n = 0, urcode;
	bool may_wait;
	int err = 0;

	tpurcode = 0; /* not that of an earlier call */
	if (tpcall((char *)service, *data, *len, &answer, &n,
		   flags | TPNOCACHEDDATA) != 0)
		err = tperrno;
	urcode = tpurcode;
	if (*data != NULL)
		tpfree(*data);
	*data = answer;
	*len = n;
	tpurcode = urcode;
	may_wait = err == TPENOENT || err == TPEPERM || err == TPEOS ||
		   err == TPELIMIT;
	return may_wait && urcode != LONG_MIN ? TPESVCERR : err;
}

/* The answer enters the reply queue of the message: 0 or the tperrno. */
static int reply(const struct forward_order *o, const TPQCTL *of, char *data,
		 long len)
{
	TPQCTL ctl;

	if ((of->flags & TPQREPLYQ) == 0)
		return 0;
	memset(&ctl, 0, sizeof(ctl));
	ctl.flags = of->flags & (TPQCORRID | TPQPRIORITY);
	memcpy(ctl.corrid, of->corrid, sizeof(ctl.corrid));
	ctl.priority = of->priority;
	ctl.urcode = tpurcode;
	return tpenqueue((char *)o->space, (char *)of->replyqueue, &ctl, data,
			 len, 0) == 0 ? 0 : tperrno;
}

/* What the transaction does: 0 or the tperrno. */
static int work(const struct forward_order *o, char **data, long *len,
		bool *ret_taken)
{
	TPQCTL ctl;
	int r;

	memset(&ctl, 0, sizeof(ctl));
	ctl.flags = TPQGETBYMSGID | OW_MQ_FORWARDED;
	memcpy(ctl.msgid, o->msgid, sizeof(ctl.msgid));
	if (tpdequeue((char *)o->space, (char *)o->queue, &ctl, data, len,
		      0) != 0)
		return tperrno;
	*ret_taken = true;
	if (o->timeout > 0)
		tpsblktime(o->timeout, TPBLK_NEXT);
	if (o->prio > 0)
		tpsprio(o->prio, TPABSOLUTE);
	r = forward_call(o->service, data, len, 0);
	if (r != 0)
		return r;
	return reply(o, &ctl, *data, *len);
}

int forward_tran(const struct forward_order *o, char **data, long *len,
		 bool *ret_taken)
{
	int r;

	*ret_taken = false;
	ow_tran_needs_no_open();
	if (tpbegin((unsigned long)o->timeout, 0) != 0) {
		r = tperrno;
		userlog((char *)"tmqueue: space %s, queue %s: no transaction "
			"can be begun: %s", o->space, o->queue, tpstrerror(r));
		return r;
	}
	r = work(o, data, len, ret_taken);
	if (r == 0)
		return tpcommit(0) == 0 ? 0 : tperrno;
	(void)tpabort(0);
	return r;
}
