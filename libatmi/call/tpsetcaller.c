/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpsetcaller.c - a server calls for somebody whom it has identified
 *
 * The name stands in the row of the context's client slot (door/callers.h),
 * where doors look for logins: from there on the context is no context of the
 * runtime any more, and lists hold for it. For one name as long as the context
 * lives: a one-way request that is still queued must not become another's.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tpbind.h>

#include "libatmi/base/tperror.h"
#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "libatmi/call/shared.h"
#include "libatmi/call/slot.h"
#include "libatmi/door/callers.h"
#include "libatmi/door/passwords.h"
#include "libatmi/door/runtime.h"

static struct ow_caller *make(const char *name, long appkey)
{
	struct ow_caller *who = calloc(1, sizeof(*who));

	if (who == NULL)
		return NULL;
	/* Nobody of this machine: lists with Unix users do not name it. */
	who->uid = who->gid = UINT32_MAX;
	who->appkey = appkey;
	strncpy(who->login, name, sizeof(who->login) - 1);
	return who;
}

static bool is_same(const struct ow_caller *who, const char *name, long appkey)
{
	return strcmp(who->login, name) == 0 && who->appkey == appkey;
}

static int set(struct ow_ctx *c, const char *name, long appkey)
{
	struct ow_caller *who;

	if (c->calls_for != NULL)
		return is_same(c->calls_for, name, appkey)
			   ? 0
			   : ow_tp_fail(TPEPROTO, "this context calls for %s",
					c->calls_for->login[0] == '\0'
					    ? "nobody that is known"
					    : c->calls_for->login);
	if (c == ow_ctx_home())
		return ow_tp_fail(TPEPROTO, "the context that serves calls for "
				  "itself");
	if (!c->runtime)
		return ow_tp_fail(TPEPERM, "only servers call for others");
	who = make(name, appkey);
	if (who == NULL)
		return ow_tp_fail(TPEOS, "no memory");
	c->calls_for = who;
	if (!c->has_slot || ow_slot_introduce(c) == 0)
		return 0;
	c->calls_for = NULL;
	free(who);
	return -1;
}

int tpsetcaller(const char *name, long appkey)
{
	OW_SHARED;
	struct ow_ctx *c;

	ow_tp_clear();
	if (name == NULL || (name[0] != '\0' && !ow_passwords_name_ok(name)))
		return ow_tp_fail(TPEINVAL, "the name of a caller has 0 to %u "
				  "characters, none of them a colon or a "
				  "control character", OW_LOGIN_NAME - 1);
	c = ow_ctx_get();
	return c == NULL ? -1 : set(c, name, appkey);
}
