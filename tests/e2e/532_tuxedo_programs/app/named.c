/* SPDX-License-Identifier: Apache-2.0 */
/*
 * named.c - variables of the library that a program reads and writes: each is one,
 * not one of the library and a copy in the program
 */
#include <ndebug.h>
#include <userlog.h>
#include "tell.h"

#ifdef __cplusplus
#include <tmenv.h>
#else
extern char *proc_name; /* as programs of Tuxedo declare it */
#endif

int main(void)
{
	IS(proc_name != NULL && strcmp(proc_name, "named") == 0);
	proc_name = (char *)"teller";
	IS(userlog((char *)"of the teller") == 0);
	TP_LOG(log_debug, "this sets the levels");
	IS(ow_ndebug_levels[2] >= 0);
	return wrong;
}
