/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpexit.c - end this server after the current request
 */
#include <stdlib.h>
#include <xatmi.h>

#include "libatmisrv/continued.h"
#include "libatmisrv/control.h"
#include "libatmisrv/server.h"

void tpexit(void)
{
	struct ow_server *s = ow_server_self();

	if (s == NULL)
		exit(-1); /* a client ends at once */
	if (s->main != NULL) {
		s->hooks->exit(s, true);
		return;
	}
	s->stop = true;
	if (s->host != NULL)
		ow_continued_exit(); /* when the request is answered */
	else
		ow_control_leaving(s);
}
