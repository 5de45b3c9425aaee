/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrx_lcf_publish.c - runs the example of ndrx_lcf_publish(3)
 */
#include <lcf.h>
#include "tests/man/examples/example.h"
#include "ndrx_lcf_publish.inc"

int main(void)
{
	ndrx_lcf_command_t cmd = { .arg_a = "you" };
	char name[32];
	long flags = 0;

	EXPECT(ndrx_plugin_init(name, sizeof(name)) == 0);
	EXPECT(strcmp(name, "greeter") == 0);
	EXPECT(greet(&cmd, &flags) == 0);
	EXPECT(strcmp(cmd.fbackmsg, "greeted") == 0);
	EXPECT(flags == NDRX_LCF_FLAG_FBACK_MSG);
	return 0;
}
