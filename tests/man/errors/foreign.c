/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.c - errors of a program whose domain has damaged tables
 *
 * domain: damaged
 */
#include "tests/man/errors/errors.h"

#include <tpbind.h>

#include <lcf.h>
#include <tpadm.h>

int main(void)
{
	char *data = text("hello"), *reply = NULL;
	ndrx_lcf_command_t cmd = { .version = 1, .command = 1500,
				   .cmdstr = "one", .procid = "1",
				   .flags = NDRX_LCF_FLAG_ALL };
	UBFH *in = (UBFH *)tpalloc("UBF", NULL, 1024), *out = NULL;
	TPQCTL ctl = { .flags = 0 };
	long len;

	FAILS(TPESYSTEM, tpcall("ECHO", data, 0, &reply, &len, 0));
	FAILS(TPESYSTEM, tpacall("ECHO", data, 0, 0));
	FAILS(TPESYSTEM, tpconnect("ECHO", NULL, 0, TPSENDONLY));
	FAILS(TPESYSTEM, tpinit(NULL));
	FAILS(TPESYSTEM, tpreplyfd());
	FAILS(TPESYSTEM, tppost("NEWS", data, 0, 0));
	FAILS(TPESYSTEM, tpbroadcast(NULL, NULL, NULL, data, 0, 0));
	FAILS(TPESYSTEM, tpdequeue("ORDERS", "NEW", &ctl, &reply, &len,
				   TPNOTRAN));
	FAILS(TPESYSTEM, tpsgislocked(1, 0, NULL));
	FAILS(TPESYSTEM, ndrx_lcf_publish(1, &cmd));
	CBadd(in, Bfldid("TA_OPERATION"), "GET", 0, BFLD_STRING);
	CBadd(in, Bfldid("TA_CLASS"), "T_SERVER", 0, BFLD_STRING);
	FAILS(TPESYSTEM, tpadmcall(in, &out, 0));
	return wrong;
}
