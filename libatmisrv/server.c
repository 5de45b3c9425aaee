/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - the one object of a server process
 */
#include "libatmisrv/server.h"

static struct ow_server *self;

struct ow_server *ow_server_self(void)
{
	return self;
}

void ow_server_set_self(struct ow_server *s)
{
	self = s;
}
