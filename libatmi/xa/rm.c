/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rm.c - the resource manager of this process, as one thread sees it
 */
#include "libatmi/xa/rm.h"

#include <stdio.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/log/log.h"
#include "libatmi/xa/config.h"
#include "libatmi/xa/driver.h"

/* tpopen() was called; xa_open() has succeeded, and no connection was lost. */
static __thread bool wanted, connected;
static __thread bool reached; /* its server, perhaps, by the last ow_rm_do() */

static const struct word {
	int xa;
	const char *word;
} words[] = {
	{ XA_OK, "XA_OK" }, { XA_RDONLY, "XA_RDONLY" },
	{ XA_RETRY, "XA_RETRY" }, { XA_HEURMIX, "XA_HEURMIX" },
	{ XA_HEURRB, "XA_HEURRB" }, { XA_HEURCOM, "XA_HEURCOM" },
	{ XA_HEURHAZ, "XA_HEURHAZ" }, { XA_NOMIGRATE, "XA_NOMIGRATE" },
	{ XA_RBROLLBACK, "XA_RBROLLBACK" }, { XA_RBCOMMFAIL, "XA_RBCOMMFAIL" },
	{ XA_RBDEADLOCK, "XA_RBDEADLOCK" },
	{ XA_RBINTEGRITY, "XA_RBINTEGRITY" }, { XA_RBOTHER, "XA_RBOTHER" },
	{ XA_RBPROTO, "XA_RBPROTO" }, { XA_RBTIMEOUT, "XA_RBTIMEOUT" },
	{ XA_RBTRANSIENT, "XA_RBTRANSIENT" }, { XAER_ASYNC, "XAER_ASYNC" },
	{ XAER_RMERR, "XAER_RMERR" }, { XAER_NOTA, "XAER_NOTA" },
	{ XAER_INVAL, "XAER_INVAL" }, { XAER_PROTO, "XAER_PROTO" },
	{ XAER_RMFAIL, "XAER_RMFAIL" }, { XAER_DUPID, "XAER_DUPID" },
	{ XAER_OUTSIDE, "XAER_OUTSIDE" },
};

static const char *const op_words[] = {
	[OW_RM_START] = "xa_start",	  [OW_RM_END] = "xa_end",
	[OW_RM_PREPARE] = "xa_prepare",	  [OW_RM_COMMIT] = "xa_commit",
	[OW_RM_ROLLBACK] = "xa_rollback", [OW_RM_FORGET] = "xa_forget",
};

const char *ow_rm_word(int xa)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].xa == xa)
			return words[i].word;
	return "a result that XA does not know";
}

bool ow_rm_exists(void)
{
	return ow_xa_config()->rmid != 0 && ow_xa_switch(NULL, 0) != NULL;
}

bool ow_rm_registers(void)
{
	return (ow_xa_switch(NULL, 0)->flags & TMREGISTER) != 0;
}

bool ow_rm_own_branches(void)
{
	return ow_xa_config()->own_branches ||
	       (ow_xa_switch(NULL, 0)->flags & TMNOMIGRATE) != 0;
}

bool ow_rm_is_open(void)
{
	return wanted;
}

bool ow_rm_has_branches(void)
{
	return wanted && ow_xa_switch(NULL, 0) != &tmnull_switch;
}

const char *ow_rm_problem(void)
{
	const char *why = ow_xa_problem();

	if (ow_xa_switch(NULL, 0) == NULL)
		return *why != '\0' ? why : "NDRX_XA_DRIVERLIB is not set";
	return ow_xa_config()->rmid == 0 ? "NDRX_XA_RES_ID is not set" : "";
}

static int connect_rm(void)
{
	const struct ow_xa_config *x = ow_xa_config();
	struct xa_switch_t *sw = ow_xa_switch(NULL, 0);
	int r;

	if (connected)
		return XA_OK;
	r = sw->xa_open_entry(x->open_str, x->rmid, TMNOFLAGS);
	if (r != XA_OK)
		log_error("resource manager %d (%s): xa_open: %s", x->rmid,
			  sw->name, ow_rm_word(r));
	connected = r == XA_OK;
	return r;
}

int ow_rm_open(void)
{
	int r;

	if (!ow_rm_exists())
		return XAER_INVAL;
	r = connect_rm();
	wanted |= r == XA_OK;
	return r;
}

int ow_rm_close(void)
{
	const struct ow_xa_config *x = ow_xa_config();
	int r = XA_OK;

	if (connected)
		r = ow_xa_switch(NULL, 0)->xa_close_entry(x->close_str,
							  x->rmid, TMNOFLAGS);
	if (r == XA_OK)
		wanted = connected = false;
	return r;
}

static int enter(enum ow_rm_op op, XID *xid, long flags)
{
	struct xa_switch_t *sw = ow_xa_switch(NULL, 0);
	int rmid = ow_xa_config()->rmid;

	switch (op) {
	case OW_RM_START:
		return sw->xa_start_entry(xid, rmid, flags);
	case OW_RM_END:
		return sw->xa_end_entry(xid, rmid, flags);
	case OW_RM_PREPARE:
		return sw->xa_prepare_entry(xid, rmid, flags);
	case OW_RM_COMMIT:
		return sw->xa_commit_entry(xid, rmid, flags);
	case OW_RM_ROLLBACK:
		return sw->xa_rollback_entry(xid, rmid, flags);
	default:
		return sw->xa_forget_entry(xid, rmid, flags);
	}
}

static int call(enum ow_rm_op op, const XID *xid, long flags)
{
	XID copy = *xid;
	int r = enter(op, &copy, flags);

	reached = reached || r != XAER_RMFAIL || ow_xa_has_sent();
	return r;
}

/* The connection is lost: a new one. */
static int open_again(void)
{
	const struct ow_xa_config *x = ow_xa_config();
	struct xa_switch_t *sw = ow_xa_switch(NULL, 0);

	sw->xa_close_entry(x->close_str, x->rmid, TMNOFLAGS);
	connected = false;
	return connect_rm();
}

/* A commit that was perhaps executed was repeated, with this result. Then a branch
 * that is not there was committed, certainly, if it was prepared; and no error of
 * this call says that it was not. */
static int repeated(int r, long flags)
{
	if ((flags & TMONEPHASE) == 0)
		return r == XAER_NOTA ? XA_OK : r;
	return r == XAER_NOTA || r == XAER_RMERR || r == XAER_INVAL
		       ? XAER_RMFAIL : r;
}

int ow_rm_do(enum ow_rm_op op, const XID *xid, long flags)
{
	int r = ow_rm_exists() ? connect_rm() : XAER_INVAL;
	bool first;

	reached = false;
	if (r == XA_OK)
		r = call(op, xid, flags);
	first = reached;
	if (r == XAER_RMFAIL && op != OW_RM_END && open_again() == XA_OK) {
		r = call(op, xid, flags);
		/* A call that was never sent has done nothing. */
		if (op == OW_RM_COMMIT && first)
			r = repeated(r, flags);
	}
	if (r != XA_OK && r != XA_RDONLY)
		log_warn("resource manager %d: %s: %s", ow_xa_config()->rmid,
			 op_words[op], ow_rm_word(r));
	return r;
}

bool ow_rm_has_reached(void)
{
	return reached;
}

int ow_rm_commit_begin(const XID *xid)
{
	struct xa_switch_t *sw = ow_xa_switch(NULL, 0);
	XID copy = *xid;
	int r = XAER_ASYNC;

	if (connected && ow_xa_commits_aside())
		r = sw->xa_commit_entry(&copy, ow_xa_config()->rmid, TMASYNC);
	return r >= 0 ? r : XAER_ASYNC;
}

int ow_rm_commit_end(int handle, const XID *xid)
{
	struct xa_switch_t *sw = ow_xa_switch(NULL, 0);
	int r = XAER_RMFAIL;

	if (sw->xa_complete_entry(&handle, &r, ow_xa_config()->rmid,
				  TMNOFLAGS) != XA_OK)
		r = XAER_RMFAIL;
	if (r != XAER_RMFAIL)
		return r;
	r = ow_rm_do(OW_RM_COMMIT, xid, TMNOFLAGS);
	return r == XAER_NOTA ? XA_OK : r; /* the first has committed it */
}

static int recover(XID *xids, int max)
{
	struct xa_switch_t *sw = ow_xa_switch(NULL, 0);
	int rmid = ow_xa_config()->rmid, n = 0, got;
	long flags = TMSTARTRSCAN;

	do {
		got = sw->xa_recover_entry(xids + n, max - n, rmid, flags);
		if (got < 0)
			return got;
		n += got;
		flags = TMNOFLAGS;
	} while (got > 0 && n < max);
	sw->xa_recover_entry(xids, 0, rmid, TMENDRSCAN);
	return n;
}

int ow_rm_recover(XID *xids, int max)
{
	int r = ow_rm_exists() ? connect_rm() : XAER_INVAL;

	if (r == XA_OK)
		r = recover(xids, max);
	if (r == XAER_RMFAIL && open_again() == XA_OK)
		r = recover(xids, max);
	return r;
}

int ow_rm_with(int (*work)(void *arg), void *arg)
{
	int r = ow_rm_exists() ? connect_rm() : XAER_INVAL;

	if (r == XA_OK)
		r = work(arg);
	if (r == XAER_RMFAIL && open_again() == XA_OK)
		r = work(arg);
	return r;
}
