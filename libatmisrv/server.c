/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - which server a thread, and the process, is
 */
#include "libatmisrv/server.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "libatmi/base/tls.h"
#include "libatmi/domain/prc.h"
#include "libatmi/log/log.h"

/* The server that this thread runs, and the server of this process: for signal
 * handlers and for other threads of the program. */
static OW_TLS_FAST struct ow_server *self;
static struct ow_server *_Atomic main_server;

struct ow_server *ow_server_self(void)
{
	return self != NULL ? self : atomic_load(&main_server);
}

struct ow_server *ow_server_host(void)
{
	struct ow_server *s = ow_server_self();

	return s != NULL && s->host != NULL ? s->host : s;
}

struct ow_server *ow_server_used(void)
{
	return self;
}

struct ow_server *ow_server_use(struct ow_server *s)
{
	struct ow_server *before = self;

	self = s;
	return before;
}

struct ow_server *ow_server_main(void)
{
	return atomic_load(&main_server);
}

void ow_server_set_thread(struct ow_server *s)
{
	self = s;
}

void ow_server_end_child(const struct ow_server *s, const char *what)
{
	if (s->forks == ow_prc_forks())
		return;
	log_error("%s: a child that it has forked came back from it: the "
		  "child ends (a server does not become a daemon)", what);
	_exit(EXIT_FAILURE);
}

void ow_server_set_self(struct ow_server *s)
{
	self = s;
	atomic_store(&main_server, s);
}
