/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - the one object of a server process
 */
#include "libatmisrv/server.h"

#include <stdatomic.h>

#include "libatmi/base/tls.h"

/* The server that this thread runs, and the server of this process: for signal
 * handlers and for other threads of the program. */
static OW_TLS_FAST struct ow_server *self;
static struct ow_server *_Atomic main_server;

struct ow_server *ow_server_self(void)
{
	return self != NULL ? self : atomic_load(&main_server);
}

struct ow_server *ow_server_main(void)
{
	return atomic_load(&main_server);
}

void ow_server_set_self(struct ow_server *s)
{
	self = s;
	atomic_store(&main_server, s);
}
