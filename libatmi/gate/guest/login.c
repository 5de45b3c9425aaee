/* SPDX-License-Identifier: Apache-2.0 */
/*
 * login.c - the user name and password of tpinit()
 *
 * The gate checks them and writes down whose the client slot is
 * (door/callers.h); a guest has its connection to it already, others make one
 * for this. The password is sent, and kept nowhere.
 */
#include "libatmi/gate/guest/login.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xatmi.h>

#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/slot.h"
#include "libatmi/door/rules.h"
#include "libatmi/gate/guest/link.h"
#include "libubf/base/cleanup.h"

_Static_assert(OW_FRAME_NAME == sizeof(((TPINIT *)0)->passwd),
	       "a frame holds the texts of a TPINIT buffer");

int ow_login_level(struct ow_ctx *c)
{
	int r = ow_ctx_need_domain(c);

	if (r == OW_CTX_GUEST)
		return c->guest->auth;
	if (r == 0)
		return (int)(ow_rules_guards(c->dom) & OW_GUARD_AUTH);
	if (tperrno != TPENOENT)
		return -1;
	ow_tp_clear(); /* the domain does not run */
	return TPNOAUTH;
}

static void copy_text(char *to, const char *from)
{
	size_t n = strnlen(from, OW_FRAME_NAME - 1);

	memcpy(to, from, n);
	memset(to + n, 0, OW_FRAME_NAME - n);
}

/* Bytes of data: those that the program says it has given, as far as its buffer
 * goes. 0: it has set no datalen. */
static size_t data_of(const TPINIT *info)
{
	size_t size = ow_buf_size_of((const char *)info, OW_BUF_TPINIT);
	size_t most = sizeof(info->data);

	if (size > offsetof(TPINIT, data) + most)
		most = size - offsetof(TPINIT, data);
	if (info->datalen <= 0)
		return 0;
	return (size_t)info->datalen < most ? (size_t)info->datalen : most;
}

/* The frame, and what follows it: `n` bytes of data behind `l`. */
static void compose(const struct ow_ctx *c, const TPINIT *info, size_t n,
		    struct ow_frame *f, struct ow_frame_login *l)
{
	uint64_t now = ow_clock_mono_ns();
	uint32_t ms = c->blk_all_ms != 0 ? c->blk_all_ms : c->dom->tout_ms;

	ow_frame_init(f, OW_FRAME_LOGIN);
	f->msg.buftype = OW_BUF_CARRAY;
	f->msg.len = sizeof(*l) + n;
	f->msg.deadline_ns = now + ms * OW_NS_PER_MS;
	f->msg.flags = TPSIGRSTRT;
	copy_text(f->text, info->usrname);
	memset(l, 0, sizeof(*l));
	copy_text(l->password, info->passwd);
	copy_text(l->cltname, info->cltname);
	copy_text(l->grpname, info->grpname);
	l->flags = info->flags;
	l->data = info->data;
	memcpy(l + 1, (const char *)info + offsetof(TPINIT, data), n);
}

static int ask_as_guest(struct ow_ctx *c, const struct ow_frame *f,
			const struct ow_content *data)
{
	struct ow_guest_answer a;

	if (ow_guest_ask(c, f, data, &a) != 0)
		return -1;
	free(a.payload);
	c->guest->logged_in = true;
	return 0;
}

/* For the slot of this context, which has to be there first. */
static int ask_as_member(struct ow_ctx *c, struct ow_frame *f,
			 const struct ow_content *data)
{
	int r;

	c->may_enter = true;
	r = ow_slot_need(c);
	if (r == 0) {
		f->msg.clt_slot = c->slot;
		f->msg.clt_gen = c->gen;
		r = ow_guest_ask_own(c, f, data);
	}
	c->may_enter = r == 0;
	return r;
}

static int log_in(struct ow_ctx *c, const TPINIT *info)
{
	OW_CLEANUP(ow_cleanup_freep) struct ow_frame_login *l = NULL;
	struct ow_content data = { 0 };
	size_t n = data_of(info);
	struct ow_frame f;
	int r;

	if (n > OW_FRAME_LOGIN_DATA)
		return ow_tp_fail(TPEINVAL, "datalen %ld: at most %u bytes of "
				  "data", info->datalen, OW_FRAME_LOGIN_DATA);
	l = malloc(sizeof(*l) + n);
	if (l == NULL)
		return ow_tp_fail(TPEOS, "no memory for a login");
	compose(c, info, n, &f, l);
	data.payload.data = l;
	data.payload.len = sizeof(*l) + n;
	r = c->guest != NULL ? ask_as_guest(c, &f, &data)
			     : ask_as_member(c, &f, &data);
	explicit_bzero(l, sizeof(*l) + n);
	return r;
}

int ow_login(struct ow_ctx *c, const TPINIT *info)
{
	int level = ow_login_level(c);

	if (level <= TPNOAUTH || c->runtime)
		return level < 0 ? -1 : 0;
	if (c->guest != NULL ? c->guest->logged_in : c->may_enter)
		return 0;
	if (info == NULL)
		return ow_tp_fail(TPEPERM, "domain %s asks for a user name and a "
				  "password, in a TPINIT buffer",
				  c->dom->prefix);
	return log_in(c, info);
}
