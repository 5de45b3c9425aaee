/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msgsizemax.c - ndrx_msgsizemax(): a size for buffers of programs
 *
 * Messages have no size limit here, and programs that ask want a number: what
 * their environment says, or what holds most messages.
 */
#include <stdint.h>
#include <xatmi.h>

#include "libatmi/log/setting.h"

#define LEAST 65536

long ndrx_msgsizemax(void)
{
	long size = LEAST;

	if (ow_setting_long("NDRX_MSGSIZEMAX", LEAST, 0, INT32_MAX, &size) < 0 ||
	    size < LEAST)
		return LEAST;
	return size;
}
