/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrx_main.c - start a server whose callbacks have their standard names
 *
 * It calls the program's tpsvrinit() and tpsvrdone(); either may be missing.
 */
#include <stddef.h>
#include <xatmi.h>

#include "libatmisrv/life.h"

#pragma weak tpsvrinit
#pragma weak tpsvrdone

int ndrx_main(int argc, char **argv)
{
	struct ow_program p = { .init = tpsvrinit, .done = tpsvrdone };

	return ow_server_run(argc, argv, &p);
}
