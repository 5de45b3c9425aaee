/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tm.c - what a tmsrv is asked, and the numbers and names of transactions
 */
#include "libatmi/tran/tm.h"

#include <endian.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/system.h"
#include "libatmi/call/timeout.h"
#include "libatmi/xa/rm.h"

/* ---- names ---- */

void ow_tm_xid(uint64_t identity, uint64_t tran, uint32_t rmid,
	       uint32_t branch, XID *ret)
{
	uint64_t word[2] = { htobe64(identity), htobe64(tran) };
	uint32_t half[2] = { htobe32(rmid), htobe32(branch) };

	memset(ret, 0, sizeof(*ret));
	ret->formatID = OW_TM_FORMATID;
	ret->gtrid_length = OW_TM_GTRID;
	ret->bqual_length = OW_TM_BQUAL;
	memcpy(ret->data, word, sizeof(word));
	memcpy(ret->data + OW_TM_GTRID, half, sizeof(half));
}

bool ow_tm_read_xid(const XID *xid, struct ow_tm *ret)
{
	uint64_t word[2];
	uint32_t half[2];

	if (xid->formatID != OW_TM_FORMATID ||
	    xid->gtrid_length != OW_TM_GTRID ||
	    xid->bqual_length != OW_TM_BQUAL)
		return false;
	memcpy(word, xid->data, sizeof(word));
	memcpy(half, xid->data + OW_TM_GTRID, sizeof(half));
	*ret = (struct ow_tm){ .magic = OW_TM_MAGIC,
			       .identity = be64toh(word[0]),
			       .tran = be64toh(word[1]),
			       .rmid = be32toh(half[0]),
			       .branch = be32toh(half[1]) };
	return true;
}

void ow_tm_service(unsigned int rmid, char to[OW_TM_SERVICE])
{
	if (rmid == 0)
		snprintf(to, OW_TM_SERVICE, "@TM");
	else
		snprintf(to, OW_TM_SERVICE, "@TM-%u", rmid);
}

void ow_tm_service_of(long node, uint64_t tran, char to[OW_TM_SERVICE])
{
	snprintf(to, OW_TM_SERVICE, "@TM-%ld-%u-%u", node, OW_TM_RMID(tran),
		 OW_TM_SRVID(tran));
}

/* ---- questions ---- */

const char *ow_tm_word(int result)
{
	return result == OW_TM_NOT_SENT	   ? "not reached"
	       : result == OW_TM_NO_ANSWER ? "no answer"
					   : ow_rm_word(result);
}

bool ow_tm_is(const char *data, long len)
{
	struct ow_tm m;

	if (data == NULL || len < (long)sizeof(m))
		return false;
	memcpy(&m, data, sizeof(m));
	return m.magic == OW_TM_MAGIC && m.op > 0 && m.op < OW_TM_OP_END;
}

/* A call that is not of the transaction. */
static struct ow_system_call question(struct ow_ctx *c, const char *svc,
				      struct ow_tm *m)
{
	struct ow_system_call q = { .svc = svc,
				    .flags = TPNOTRAN | TPSIGRSTRT };

	q.deadline = ow_timeout_lasting(c, ow_clock_mono_ns());
	m->magic = OW_TM_MAGIC;
	ow_system_add(&q, m, sizeof(*m));
	return q;
}

/* *ret_sent: the question went out, whatever came of it. `limit`: so long one
 * waits at most; UINT64_MAX: as long as any call. */
static int ask(const char *svc, struct ow_tm *m, char **ret_text,
	       uint64_t limit, bool *ret_sent)
{
	struct ow_ctx *c = ow_ctx_get();
	struct ow_system_answer a;
	struct ow_system_call q;
	int r;

	*ret_sent = false;
	if (c == NULL)
		return -1;
	q = question(c, svc, m);
	q.deadline = ow_deadline_clamp(q.deadline, limit);
	r = ow_system_call(c, &q, &a);
	*ret_sent = q.begin_ns != 0;
	if (r == 0 && ow_tm_is(a.data, (long)a.len)) {
		memcpy(m, a.data, sizeof(*m));
		if (ret_text != NULL)
			*ret_text = strndup(a.data + sizeof(*m),
					    a.len - sizeof(*m));
	} else if (r == 0)
		r = ow_tp_fail(TPESYSTEM, "%s: not the answer of a tmsrv", svc);
	ow_system_done(c, &a);
	return r;
}

int ow_tm_ask_text(const char *svc, struct ow_tm *m, char **ret_text)
{
	bool sent;

	return ask(svc, m, ret_text, UINT64_MAX, &sent);
}

int ow_tm_ask(const char *svc, struct ow_tm *m)
{
	return ow_tm_ask_text(svc, m, NULL);
}

static int ask_owner(struct ow_tm *m, uint64_t limit, bool *ret_sent)
{
	struct ow_ctx *c = ow_ctx_get();
	char svc[OW_TM_SERVICE];

	*ret_sent = false;
	if (c == NULL)
		return -1;
	ow_tm_service_of(c->dom->nodeid, m->tran, svc);
	return ask(svc, m, NULL, limit, ret_sent);
}

int ow_tm_try_owner(struct ow_tm *m, bool *ret_sent)
{
	return ask_owner(m, UINT64_MAX, ret_sent);
}

#define SILENT_MAX 16 /* tmsrvs that are remembered, by their numbers */

/* Of a process behind whose questions others wait: a tmsrv that was silent is not
 * asked for a while. */
static struct {
	uint64_t patience_ns; /* 0: none waits; before all threads */
	struct {
		_Atomic uint64_t whom;	   /* its numbers, and 1; 0: none */
		_Atomic uint64_t until_ns; /* a hint: who reads it too early asks */
	} at[SILENT_MAX];
} silent;

void ow_tm_be_brief(uint64_t patience_ns)
{
	silent.patience_ns = patience_ns;
}

/* It finds in its queue that the transaction is not to be committed. */
static void leave_word(struct ow_tm *m)
{
	if (m->op == OW_TM_ABORT || m->op == OW_TM_DOOM)
		ow_tm_tell_owner(m);
}

int ow_tm_ask_owner(struct ow_tm *m)
{
	uint64_t whom = (m->tran >> OW_TM_NUMBER_BITS) + 1, now, i;
	bool sent;
	int r;

	if (silent.patience_ns == 0)
		return ow_tm_try_owner(m, &sent);
	i = whom % SILENT_MAX;
	now = ow_clock_mono_ns();
	if (atomic_load(&silent.at[i].whom) == whom &&
	    now < atomic_load(&silent.at[i].until_ns)) {
		leave_word(m);
		return ow_tp_fail(TPETIME, "tmsrv %u did not answer a moment "
				  "ago", OW_TM_SRVID(m->tran));
	}
	r = ask_owner(m, now + silent.patience_ns, &sent);
	now = ow_clock_mono_ns() - now; /* so long it took */
	if (r == 0 && atomic_load(&silent.at[i].whom) == whom)
		atomic_store(&silent.at[i].whom, 0);
	if (r != 0 && tperrno == TPETIME && now >= silent.patience_ns) {
		atomic_store(&silent.at[i].until_ns, ow_clock_mono_ns() +
							 silent.patience_ns);
		atomic_store(&silent.at[i].whom, whom);
		leave_word(m); /* the question will be too late there */
	}
	return r;
}

void ow_tm_tell_owner(struct ow_tm *m)
{
	struct ow_ctx *c = ow_ctx_get();
	char svc[OW_TM_SERVICE];
	struct ow_system_call q;
	struct ow_tp_state error;

	if (c == NULL)
		return;
	ow_tm_service_of(c->dom->nodeid, m->tran, svc);
	q = question(c, svc, m);
	q.flags |= TPNOBLOCK;
	ow_tp_state_take(&error);
	(void)ow_system_tell(c, &q);
	ow_tp_state_put(&error);
}
