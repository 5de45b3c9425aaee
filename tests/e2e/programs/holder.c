/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holder.c - keep the domain lock, for stories about processes that do
 *
 * Prints "held" when it has the lock. Then it hangs, or stops itself (SIGSTOP)
 * with the argument "stop". It releases the lock when it is continued, or at
 * the end of its standard input. With the argument "blocks" it prints how many
 * blocks are not free.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"
#include "libatmi/transport/block/block.h"

int main(int argc, char **argv)
{
	struct ow_domain *d = NULL;
	uint64_t blocks = 0, bytes = 0;
	char why[512] = "", c;

	if (ow_domain_join(false, &d, why, sizeof(why)) != 0 ||
	    ow_tables_lock(d->tables) != 0) {
		fprintf(stderr, "holder: %s\n", why);
		return 1;
	}
	printf("held\n");
	fflush(stdout);
	if (argc > 1 && strcmp(argv[1], "blocks") == 0) {
		ow_blocks_usage(d->blocks, &blocks, &bytes);
		printf("%llu\n", (unsigned long long)blocks);
	} else if (argc > 1 && strcmp(argv[1], "stop") == 0)
		raise(SIGSTOP);
	else
		while (read(0, &c, 1) > 0)
			;
	ow_tables_unlock(d->tables);
	return 0;
}
