/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller.c - what a service learns of its caller: its login, its patience
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <tpbind.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/tperror.h"
#include "libatmi/door/door.h"
#include "libatmisrv/server.h"

/* The header of the request in hand; NULL with tperrno. */
static const struct ow_msg *find_request(struct ow_server **ret)
{
	struct ow_server *s = ow_server_used();

	ow_tp_clear();
	if (s == NULL || (!s->rq.active && s->rq.continued == NULL) ||
	    s->rq.msg == NULL) {
		ow_tp_fail(TPEPROTO, "outside of a service");
		return NULL;
	}
	*ret = s;
	return s->rq.msg;
}

int tpgetcaller(char *name, long size)
{
	struct ow_server *s = NULL;
	struct ow_caller c = { 0 };
	const struct ow_msg *m = find_request(&s);
	bool runtime;
	int r;

	if (m == NULL)
		return -1;
	if (name == NULL || size < 1)
		return ow_tp_fail(TPEINVAL, "there is no room for a name");
	r = ow_door_who(s->dom, m->clt_slot, m->clt_gen, &c, &runtime);
	if (r < 0)
		return ow_tp_fail(TPESYSTEM, "it cannot be read who calls: %s",
				  strerror(-r));
	snprintf(name, (size_t)size, "%s", c.login);
	return (int)strlen(name);
}

long tptimeleft(void)
{
	struct ow_server *s = NULL;
	const struct ow_msg *m = find_request(&s);
	uint64_t now;

	if (m == NULL)
		return -1;
	if (m->deadline_ns == 0)
		return LONG_MAX;
	now = ow_clock_mono_ns();
	if (m->deadline_ns <= now)
		return 0;
	return (long)((m->deadline_ns - now) / (OW_NS_PER_SEC / 1000));
}
