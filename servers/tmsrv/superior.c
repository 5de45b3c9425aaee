/* SPDX-License-Identifier: Apache-2.0 */
/*
 * superior.c - branches that are at other nodes
 */
#include "servers/tmsrv/superior.h"

#include <string.h>
#include <xatmi.h>

#include "servers/tmsrv/begin.h"
#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"

/* An operation at another node ends within this time, or is lost. */
#define REMOTE_SECONDS 10

static const struct tmlog *decisions;
static uint64_t identity;
static uint32_t own_node;
static bool (*may_be_committed)(uint64_t tran); /* NULL: none */

void superior_begin(const struct tmlog *log, uint32_t node,
		    bool (*may_have)(uint64_t tran))
{
	may_be_committed = may_have;
	decisions = log;
	own_node = node;
	identity = tmlog_identity(log);
}

/* ---- its nodes ---- */

static struct branch *find_remote(struct tran *t, uint32_t node)
{
	uint32_t i;

	for (i = 0; i < t->n; i++)
		if (t->branches[i].rmid == BRANCH_REMOTE &&
		    t->branches[i].node == node)
			return &t->branches[i];
	return NULL;
}

/* The nodes above a subordinate of `t`, this one the last: false, there are too
 * many, or `node` is one of them. */
static bool make_path(const struct tran *t, uint32_t node,
		      uint32_t path[OW_TM_DEPTH])
{
	int i;

	memcpy(path, t->sup.path, sizeof(t->sup.path));
	for (i = 0; i < OW_TM_DEPTH && path[i] != 0; i++)
		if (path[i] == node)
			return false;
	if (i == OW_TM_DEPTH)
		return false;
	path[i] = own_node;
	return true;
}

static struct branch *add_remote(struct tran *t, uint32_t node)
{
	bool is_new;
	struct branch *b = table_join(t, BRANCH_REMOTE, true, &is_new);

	if (b != NULL)
		b->node = node;
	return b;
}

/* Lock held, `t` active: the result. */
static int enlist(struct tran *t, struct ow_tm_remote *f)
{
	uint64_t now = ow_clock_mono_ns();
	struct branch *b;

	if (t->sup.node == f->node) {
		f->m.flags |= OW_TM_BACK;
		f->sub = t->sup.tran;
		f->sub_identity = t->sup.identity;
		return OW_TM_OK;
	}
	if (!make_path(t, f->node, f->path))
		return OW_TM_LOOP;
	b = find_remote(t, f->node);
	if (b == NULL)
		b = add_remote(t, f->node);
	if (b == NULL)
		return OW_TM_NOSPACE;
	if (b->sub == 0) {
		b->sub = f->sub;
		b->sub_identity = f->sub_identity;
	}
	f->sub = b->sub;
	f->sub_identity = b->sub_identity;
	f->superior = t->id;
	f->identity = identity;
	f->m.timeout_ms = (t->deadline_ns - now) / OW_NS_PER_MS + 1;
	return OW_TM_OK;
}

void superior_enlist(struct ow_tm_remote *f)
{
	struct tran *t;

	table_lock();
	t = begin_find(f->m.tran);
	if (f->m.log != 0 && f->m.log != ow_tm_request_mark(identity))
		t = NULL; /* as below */
	if (t == NULL)
		f->m.result = OW_TM_UNKNOWN;
	else if (t->state != TRAN_ACTIVE ||
		 ow_clock_mono_ns() >= t->deadline_ns)
		f->m.result = OW_TM_ENDING;
	else
		f->m.result = enlist(t, f);
	table_unlock();
}

void superior_check(struct ow_tm_remote *f)
{
	struct tran *t;

	table_lock();
	t = begin_find(f->m.tran);
	f->m.result = OW_TM_UNKNOWN;
	if (f->sub != 0 && f->sub != ow_tm_log_mark(identity))
		t = NULL; /* a number of another log: of a twin, of a former life */
	if (t != NULL && f->from != 0 &&
	    (t->sup.node == f->from || find_remote(t, f->from) != NULL))
		f->m.result = t->state == TRAN_ACTIVE ? OW_TM_OK
						      : OW_TM_ENDING;
	table_unlock();
}

uint32_t superior_unknown(uint64_t tran)
{
	return tmlog_may_have_lost(decisions, tran) ||
		       (may_be_committed != NULL && may_be_committed(tran))
		   ? OW_TM_HAZARD
		   : OW_TM_UNKNOWN;
}

void superior_status(struct ow_tm_remote *f)
{
	struct tran *t;

	table_lock();
	t = table_find(f->m.tran);
	f->m.result = t == NULL			      ? superior_unknown(f->m.tran)
		      : t->state == TRAN_COMMITTING   ? OW_TM_COMMITTED
		      : t->state == TRAN_ABORTING     ? OW_TM_ABORTED
		      : t->state != TRAN_HEURISTIC    ? OW_TM_ENDING
		      : t->commits		      ? OW_TM_COMMITTED
						      : OW_TM_ABORTED;
	table_unlock();
}

/* ---- its end ---- */

static enum ow_tm_op op_there(uint32_t op)
{
	switch (op) {
	case OW_TM_BRANCH_PREPARE:
		return OW_TM_SUB_PREPARE;
	case OW_TM_BRANCH_COMMIT:
		return OW_TM_SUB_COMMIT;
	case OW_TM_BRANCH_FORGET:
		return OW_TM_SUB_FORGET;
	default:
		return OW_TM_SUB_ROLLBACK;
	}
}

void superior_ask(struct branch *b, const struct ow_tm *m)
{
	struct ow_tm_remote f = { .m = *m,
				  .node = b->node,
				  .superior = m->tran,
				  .identity = m->identity };
	char *data, name[16];

	b->cd = -1;
	b->result = m->op == OW_TM_BRANCH_PREPARE ? XA_RDONLY : XA_OK;
	if (b->sub == 0)
		return; /* nobody has got its number: no work was done */
	b->result = OW_TM_NOT_SENT;
	data = tpalloc((char *)"CARRAY", NULL, sizeof(f));
	if (data == NULL)
		return;
	f.m.op = op_there(m->op);
	f.m.tran = b->sub;
	memcpy(data, &f, sizeof(f));
	tpsblktime(REMOTE_SECONDS, TPBLK_NEXT);
	b->cd = tpacall((char *)ow_tm_remote_service(b->node, &name), data,
			sizeof(f), TPNOTRAN | TPSIGRSTRT);
	if (b->cd < 0)
		log_warn("transaction %016llx: node %u: %s",
			 (unsigned long long)m->tran, b->node,
			 tpstrerror(tperrno));
	tpfree(data);
}

int superior_result(const struct branch *b, const struct ow_tm *answer)
{
	if (answer->result != XAER_NOTA || b->sub_identity == 0 ||
	    answer->identity == b->sub_identity)
		return answer->result;
	log_error("node %u: the log of its tmsrv is not the one in which "
		  "transaction %016llx was: its outcome there is not known",
		  b->node, (unsigned long long)b->sub);
	return XA_HEURHAZ;
}

/* ---- in the log ---- */

static struct tmlog_branch split(uint64_t v)
{
	return (struct tmlog_branch){ (uint32_t)(v >> 32), (uint32_t)v };
}

static uint64_t join(struct tmlog_branch w)
{
	return (uint64_t)w.rmid << 32 | w.branch;
}

uint32_t superior_words(const struct branch *b, struct tmlog_branch *to)
{
	to[0] = (struct tmlog_branch){ b->rmid, b->number };
	if (b->rmid != BRANCH_REMOTE)
		return 1;
	to[1] = (struct tmlog_branch){ b->node, 0 };
	to[2] = split(b->sub);
	to[3] = split(b->sub_identity);
	return SUPERIOR_WORDS;
}

uint32_t superior_read(struct tran *t, const struct tmlog_branch *w,
		       uint32_t n)
{
	bool remote = n > 0 && w[0].rmid == BRANCH_REMOTE;
	struct branch *b;

	if (n == 0 || (remote && n < SUPERIOR_WORDS))
		return 0;
	b = table_branch(t, w[0].rmid, w[0].branch);
	if (b == NULL)
		return 0;
	branch_mark(b, BRANCH_PREPARED);
	b->reached = true; /* nobody knows */
	if (!remote)
		return 1;
	b->node = w[1].rmid;
	b->sub = join(w[2]);
	b->sub_identity = join(w[3]);
	return SUPERIOR_WORDS;
}
