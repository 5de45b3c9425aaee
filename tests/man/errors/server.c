/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - errors of the functions of servers
 *
 * serves: TRY
 */
#include "tests/man/errors/errors.h"

#include <fcntl.h>
#include <tpbind.h>

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
	FAILS(TPEPROTO, tpsetcaller("anna", 0));
	FAILS(TPEPROTO, tpsettrace(NULL));
	FAILS(TPEINVAL, tpgetcaller(NULL, 0));
	setenv("NDRX_COMPAT", "strict-tuxedo", 1);
	FAILS(TPEPROTO, tpsetunsol(NULL));
	unsetenv("NDRX_COMPAT");
	tpreturn(TPSUCCESS, wrong, NULL, 0, 0);
}

/* More services than a server offers. */
static void many(void)
{
	char name[20];
	int i, n = -1;

	do {
		snprintf(name, sizeof(name), "MANY%d", ++n);
	} while (n < 1000 && tpadvertise(name, OTHER) == 0);
	FAILS(TPELIMIT, tpadvertise(name, OTHER));
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "MANY%d", i);
		EXPECT(tpunadvertise(name) == 0);
	}
}

int tpsvrinit(int argc, char **argv)
{
	many();
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
	FAILS(TPEPROTO, tptimeleft());
	return ndrx_main(argc, argv);
}
