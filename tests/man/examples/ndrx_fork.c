/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndrx_fork.c - runs the example of ndrx_fork(3)
 *
 * prints: in the child
 */
#include <sys/wait.h>
#include "tests/man/examples/example.h"
#include "ndrx_fork.inc"

int main(void)
{
	int pid = helper(), status = -1;

	if (pid == 0)
		return 0; /* the child */
	EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
	return 0;
}
