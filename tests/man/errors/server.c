/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - errors of the functions of servers
 *
 * serves: TRY
 */
#include "tests/man/errors/errors.h"

#include <fcntl.h>

static int on_input(int fd, uint32_t events, void *ptr1)
{
	return 0;
}

static void OTHER(TPSVCINFO *svc)
{
	tpreturn(TPSUCCESS, 0, NULL, 0, 0);
}

/* Answers how many calls did not fail as they should. */
static void TRY(TPSVCINFO *svc)
{
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	long len = 1;

	FAILS(TPEINVAL, tpext_addpollerfd(-1, 0, NULL, on_input));
	FAILS(TPEMATCH, tpext_delpollerfd(fd));
	FAILS(TPEPERM, tpext_addpollerfd(fd, 0, NULL, on_input));
	FAILS(TPEINVAL, tpsrvgetctxdata2((char *)&len, &len));
	FAILS(TPEINVAL, tpsrvsetctxdata(NULL, 0));
	FAILS(TPEPROTO, tpsetunsol(NULL));
	tpreturn(TPSUCCESS, wrong, NULL, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	FAILS(TPEINVAL, tpadvertise(NULL, TRY));
	FAILS(TPENOENT, tpunadvertise("NOBODY"));
	FAILS(TPEPROTO, tpext_addpollerfd(0, 0, NULL, on_input));
	EXPECT(tpadvertise("TRY", TRY) == 0);
	FAILS(TPEMATCH, tpadvertise("TRY", OTHER));
	return 0;
}

void tpsvrdone(void)
{
}

int main(int argc, char **argv)
{
	FAILS(TPEPROTO, tpadvertise("EARLY", OTHER));
	FAILS(TPEPROTO, tpsrvgetctxdata());
	return ndrx_main(argc, argv);
}
