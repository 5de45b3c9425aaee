/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpopen.c - open the resource manager in this thread; tpclose() closes it
 *
 * A program without a resource manager may call both: nothing is to be done.
 */
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/tran/left.h"
#include "libatmi/tran/tx.h"
#include "libatmi/xa/config.h"
#include "libatmi/xa/driver.h"
#include "libatmi/xa/rm.h"
#include "libubf/base/compatible.h"

/* tpopen() has succeeded in this thread, and tpclose() not since. */
static __thread bool opened;

bool ow_tran_is_open(void)
{
	return opened;
}

void ow_tran_needs_no_open(void)
{
	opened = true;
}

/* Nothing is configured. */
static bool is_without(void)
{
	const struct ow_xa_config *x = ow_xa_config();

	return x->rmid == 0 && x->problem[0] == '\0' && *x->driver == '\0';
}

bool ow_tran_may_begin(void)
{
	return opened || (ow_compat_tuxedo() && is_without());
}

int tpopen(void)
{
	OW_SHARED;
	int r;

	ow_tp_clear();
	if (ow_ctx_get() == NULL)
		return -1;
	if (is_without()) {
		opened = true;
		return 0;
	}
	if (!ow_rm_exists())
		return ow_tp_fail(TPEOS, "resource manager: %s",
				  ow_rm_problem());
	r = ow_rm_open();
	if (r != XA_OK)
		return ow_tp_fail(TPERMERR, "xa_open: %s", ow_rm_word(r));
	opened = true;
	return 0;
}

int tpclose(void)
{
	OW_SHARED;
	struct ow_ctx *c = ow_ctx_peek();
	int r;

	ow_tp_clear();
	if (c != NULL && c->tran != 0)
		return ow_tp_fail(TPEPROTO, "tpclose() inside a transaction");
	r = ow_rm_close();
	if (r != XA_OK)
		return ow_tp_fail(TPERMERR, "xa_close: %s", ow_rm_word(r));
	opened = false;
	return 0;
}

struct xa_switch_t *ndrx_xa_sw_get(void)
{
	char why[256] = "";
	struct xa_switch_t *sw = ow_xa_switch(why, sizeof(why));

	ow_tp_clear();
	if (sw == NULL)
		ow_tp_fail(why[0] == '\0' ? TPENOENT : TPEOS, "%s",
			   why[0] == '\0' ? "no resource manager is configured"
					  : why);
	return sw;
}

void *tpgetconn(void)
{
	void *p;

	ow_left_end(); /* or what is done now would be rolled back with it */
	p = ow_xa_connection();
	ow_tp_clear();
	if (p == NULL)
		ow_tp_fail(TPENOENT, "no XA driver has a connection");
	return p;
}
