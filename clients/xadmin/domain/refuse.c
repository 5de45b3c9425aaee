/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse.c - a command that cannot reach the domain says so, and how it ends
 */
#include "clients/xadmin/domain/refuse.h"

#include <errno.h>

#include "clients/common/domain_view.h"
#include "clients/common/remote.h"
#include "clients/xadmin/command/command.h"

int ow_view_need(const struct ow_args *a, struct ow_view *ret)
{
	char why[512];
	int r = ow_view_open(ret, why, sizeof(why));

	if (r == 0)
		return OW_EXIT_OK;
	ow_cmd_fail(a, "%s", why);
	return r == OW_TABLES_ABSENT ? OW_EXIT_ABSENT : OW_EXIT_FAILED;
}

int ow_remote_fail(const struct ow_args *a, int r)
{
	ow_cmd_fail(a, "%s", ow_remote_strerror(r));
	switch (r) {
	case OW_REMOTE_ABSENT:
		return OW_EXIT_ABSENT;
	case -ETIMEDOUT:
	case -EINTR:
		return OW_EXIT_TIMEOUT;
	default:
		return OW_EXIT_FAILED;
	}
}
