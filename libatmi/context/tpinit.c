/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpinit.c - join a domain, and leave it
 */
#include <string.h>
#include <userlog.h>
#include <stdbool.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/guest.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/slot.h"
#include "libatmi/context/make.h"
#include "libatmi/context/sharing.h"
#include "libatmi/context/single.h"
#include "libatmi/context/switch.h"
#include "libubf/base/compatible.h"

/* How unsolicited messages come: 0, or -1 with tperrno. */
static int choose_way(struct ow_ctx *c, long flags)
{
	long way = flags & (TPU_MASK | TPU_THREAD);

	if ((way & TPU_THREAD) != 0 && way != TPU_THREAD)
		return ow_tp_fail(TPEINVAL, "TPU_THREAD beside TPU_SIG, "
				  "TPU_DIP or TPU_IGN");
	c->ignores = way == TPU_IGN;
	c->threaded = way == TPU_THREAD;
	if (way == TPU_SIG)
		userlog("tpinit: TPU_SIG: unsolicited messages do not "
			"interrupt a program here: TPU_DIP is taken");
	if (c->listener != NULL)
		c->listener->look(c);
	return 0;
}

/* strict-tuxedo: TPMULTICONTEXTS makes another context each time. The one
 * before stays, for tpsetctxt(), but the process has either such contexts or a
 * single one. One that tpsetunsol() or tpchkauth() has made before tpinit() is
 * still to be had. */
static int make_room(void)
{
	const struct ow_ctx *c = ow_ctx_peek();
	bool used = c != NULL && (c->begun || c->outstanding != 0 ||
				  c->convs != NULL || c->tran != 0);

	if (c != NULL && c->srvid != 0)
		return 0;
	if (!ow_share_is_single())
		return used ? ow_context_put_aside() : 0;
	if (used || (c != NULL && (c->next_seq != 0 || c->unseen != 0)))
		return ow_tp_fail(TPEPROTO, "the process has joined without "
				  "TPMULTICONTEXTS: tpterm() comes first");
	if (ow_single_own() != 0)
		return ow_tp_fail(TPEPROTO, "another thread ends the context");
	return 0;
}

/* strict-tuxedo: a process whose contexts are those of TPMULTICONTEXTS has no
 * other ones, but what the thread has from tpnewctxt() or the object API. */
static bool lacks_multi(void)
{
	const struct ow_ctx *c = ow_ctx_peek();

	return ow_compat_tuxedo() && ow_ctx_is_multi() &&
	       (c == NULL || c->multi);
}

/* strict-tuxedo: broadcasts look for the client's own name, not its program's,
 * and for its user. */
static void take_names(struct ow_ctx *c, const TPINIT *info)
{
	size_t n = strnlen(info->cltname, sizeof(c->label) - 1);

	if (c->begun || !ow_compat_tuxedo())
		return;
	if (memchr(info->cltname, ',', n) == NULL) {
		memcpy(c->label, info->cltname, n);
		c->label[n] = '\0';
	}
	n = strnlen(info->usrname, sizeof(c->user) - 1);
	memcpy(c->user, info->usrname, n);
	c->user[n] = '\0';
	ow_slot_rename(c);
}

int tpinit(TPINIT *tpinfo)
{
	OW_SHARED;
	struct ow_ctx *c;

	bool multi = tpinfo != NULL &&
		     (tpinfo->flags & TPMULTICONTEXTS) != 0 &&
		     ow_compat_tuxedo();

	ow_tp_clear();
	if (multi && make_room() != 0)
		return -1;
	if (!multi && lacks_multi())
		return ow_tp_fail(TPEPROTO, "the process has joined with "
				  "TPMULTICONTEXTS: so must each context");
	c = ow_ctx_get();
	if (c == NULL)
		return -1;
	if (multi && c->srvid == 0)
		ow_ctx_set_multi(c);
	if (tpinfo != NULL && choose_way(c, tpinfo->flags) != 0)
		return -1;
	if (tpinfo != NULL)
		take_names(c, tpinfo);
	if (ow_guests()->login(c, tpinfo) != 0)
		return -1;
	c->begun = true;
	return 0;
}

/* strict-tuxedo: a thread that has left has no context. One that tpnewctxt() or the
 * object API has made keeps its handle, as they say. */
static void forget_handle(void)
{
	struct ow_bundle *b = ow_held != NULL ? ow_held->part[OW_PART_ATMI]
					      : NULL;

	if (b != NULL && b->auto_destroy && ow_compat_tuxedo())
		(void)ow_context_free(b->handle, OW_PARTS_ALL);
}

int tpterm(void)
{
	OW_SHARED;
	struct ow_ctx *c = ow_ctx_peek();
	bool was_in;

	ow_tp_clear();
	if (ow_share_is_lost())
		ow_shared_quit(); /* another thread has done it */
	if (ow_ctx_is_hidden())
		return ow_tp_fail(TPEPROTO, "a handler of unsolicited messages "
				  "may not end the context");
	if (c != NULL && c->srvid != 0)
		return ow_tp_fail(TPEPROTO, "a server leaves by tpexit()");
	was_in = c != NULL && c->tran != 0;
	if (ow_share_is_any() && ow_context_end_shared() != 0)
		return ow_tp_fail(TPEPROTO, "another thread ends the context");
	c = ow_ctx_peek();
	if (c != NULL && c->tran_hooks != NULL)
		c->tran_hooks->abandon(c);
	ow_ctx_leave();
	forget_handle();
	if (was_in)
		return ow_tp_fail(TPEPROTO, "the transaction was not ended: it "
				  "is rolled back");
	return 0;
}

int tpappthrinit(TPINIT *tpinfo)
{
	return tpinit(tpinfo);
}

int tpappthrterm(void)
{
	return tpterm();
}

int tpchkauth(void)
{
	OW_SHARED;
	struct ow_ctx *c;

	ow_tp_clear();
	c = ow_ctx_get();
	return c == NULL ? -1 : ow_guests()->login_level(c);
}
