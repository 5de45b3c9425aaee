/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpadmcall.c - tpadmcall: always refused, the MIB is a service
 */
#include <tpadm.h>

#include "libatmi/base/tperror.h"

int tpadmcall(UBFH *in, UBFH **out, long flags)
{
	return ow_tp_fail(TPENOENT, "tpadmcall: call service .TMIB instead");
}
