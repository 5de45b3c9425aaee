/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrx_main.c - run a server whose callbacks have their standard names
 *
 * The program's own tpsvrinit() and tpsvrdone() are called; it may leave
 * either of them out.
 */
#include <stddef.h>
#include <xatmi.h>

#include "libatmisrv/server.h"

#pragma weak tpsvrinit
#pragma weak tpsvrdone

int ndrx_main(int argc, char **argv)
{
	struct ow_program p = { .init = tpsvrinit, .done = tpsvrdone };

	return ow_server_run(argc, argv, &p);
}
