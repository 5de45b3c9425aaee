/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpexit.c - end this server after the current request
 */
#include <stdlib.h>
#include <xatmi.h>

#include "libatmisrv/control.h"
#include "libatmisrv/server.h"

void tpexit(void)
{
	struct ow_server *s = ow_server_self();

	if (s == NULL)
		exit(-1); /* a client ends at once */
	s->stop = true;
	ow_control_leaving(s);
}
