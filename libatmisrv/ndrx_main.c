/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrx_main.c - start a server whose callbacks have their standard names
 *
 * It calls the program's tpsvrinit() and tpsvrdone(); either may be missing.
 */
#include <oatmi.h>
#include <oatmisrv.h>
#include <stddef.h>

#include "libatmi/context/functions.h"
#include "libatmisrv/life.h"
#include "libatmisrv/server.h"

#pragma weak tpsvrinit
#pragma weak tpsvrdone

int ndrx_main(int argc, char **argv)
{
	struct ow_program p = { .init = tpsvrinit,
				.done = tpsvrdone,
				.thrinit = tpsvrthrinit,
				.thrdone = tpsvrthrdone };

	return ow_server_run(argc, argv, &p);
}

/* Ondrx_main() */
#define OBJ_IN_atmi OW_OBJ_NO
#define OBJ_IN_ubf  OW_OBJ_NO
#define OBJ_IN_log  OW_OBJ_NO
#define OBJ_IN_srv  OW_OBJ_NO
#define OBJ_IN_main OW_OBJ_YES
#include "libatmi/context/functions.inc"
