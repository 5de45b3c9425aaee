/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tplogconfig.c - runs the example of tplogconfig(3)
 */
#include <atmi.h>
#include "tests/man/examples/example.h"
#include "tplogconfig.inc"

int main(void)
{
	EXPECT(tplogqinfo(log_debug, TPLOGQI_GET_TP) <= 0);
	EXPECT(verbose() == 0);
	EXPECT(tplogqinfo(log_debug, TPLOGQI_GET_TP) > 0);
	return 0;
}
