/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_existing.c - a program in the style of Enduro/X, as C99 and as C++11
 *
 * The same source is compiled by both compilers, without extensions, and run:
 * results by EXFAIL_OUT, stopwatches, entry points by NDRX_INTEGRA(), dumps of
 * ubfutil, and 1,024-byte buffers filled to the brim. It needs no domain.
 * Exit status 0: all as such programs expect.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atmi.h>
#include <ndebug.h>
#include <ndrstandard.h>
#include <nstdutil.h>
#include <nstopwatch.h>
#include <thlock.h>
#include <ubf.h>
#include <ubfutil.h>
#include <userlog.h>

#define T_SHORT	 ((BFLDID)(BFLD_SHORT << 25 | 101))
#define T_LONG	 ((BFLDID)(BFLD_LONG << 25 | 102))
#define T_STRING ((BFLDID)(BFLD_STRING << 25 | 103))

#define WANT(condition)                                                  \
	if (!(condition)) {                                              \
		fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, \
			#condition);                                     \
		EXFAIL_OUT(ret);                                         \
	}

exprivate MUTEX_LOCKDECL(M_lock);
exprivate int M_filled = 0;

/* Add a value until nothing more fits: how often it did. */
exprivate int fill(UBFH *p_ub, BFLDID bfldid, char *value)
{
	int n = 0;

	while (EXSUCCEED == Badd(p_ub, bfldid, value, 0))
		n++;
	MUTEX_LOCK_V(M_lock);
	M_filled += n;
	MUTEX_UNLOCK_V(M_lock);
	return BNOSPACE == Berror ? n : EXFAIL;
}

/* A full buffer is a buffer as any other. */
exprivate int check_full(UBFH *p_ub, BFLDID bfldid, int n)
{
	int ret = EXSUCCEED;
	UBFH *p_copy = (UBFH *)tpalloc((char *)"UBF", NULL, 1024);

	WANT(NULL != p_copy);
	WANT(n == Boccur(p_ub, bfldid));
	WANT(EXSUCCEED == Bcpy(p_copy, p_ub) && 0 == Bcmp(p_copy, p_ub));
	WANT(EXSUCCEED == Bdel(p_copy, bfldid, n / 2));
	WANT(1 == fill(p_copy, bfldid, Bfind(p_ub, bfldid, 0, NULL)));
	WANT(0 == Bcmp(p_copy, p_ub));
	ndrx_debug_dump_UBF(log_dump, (char *)"full", p_copy);
out:
	tpfree((char *)p_copy);
	return ret;
}

exprivate int fill_one(BFLDID bfldid, char *value, int least)
{
	int ret = EXSUCCEED;
	int n = 0;
	UBFH *p_ub = (UBFH *)tpalloc((char *)"UBF", NULL, 1024);

	WANT(NULL != p_ub && 1024 == Bsizeof(p_ub));
	n = fill(p_ub, bfldid, value);
	WANT(n >= least);
	WANT(EXSUCCEED == check_full(p_ub, bfldid, n));
out:
	tpfree((char *)p_ub);
	return ret;
}

exprivate int fill_all(void)
{
	int ret = EXSUCCEED;
	short s = 7;
	long l = 70000;
	char text[8];

	NDRX_STRCPY_SAFE(text, "7 bytes and more");
	WANT(0 == strcmp(text, "7 bytes"));
	WANT(EXSUCCEED == fill_one(T_SHORT, (char *)&s, 121));
	WANT(EXSUCCEED == fill_one(T_LONG, (char *)&l, 80));
	WANT(EXSUCCEED == fill_one(T_STRING, text, 60));
	WANT(M_filled >= 121 + 80 + 60);
out:
	return ret;
}

/* ---- stopwatches, entry points ---- */

exprivate int time_it(void)
{
	int ret = EXSUCCEED;
	ndrx_stopwatch_t w, other;

	ndrx_stopwatch_reset(&w);
	other = w;
	ndrx_stopwatch_plus(&other, 1500);
	WANT(1500 == ndrx_stopwatch_diff(&other, &w));
	ndrx_stopwatch_minus(&w, 2000);
	WANT(ndrx_stopwatch_get_delta(&w) >= 2000);
	WANT(ndrx_stopwatch_get_delta_sec(&w) >= 2);
	ndrx_stopwatch_timer_set(&other, 60000);
	WANT(ndrx_stopwatch_get_delta(&other) < 0);
out:
	return ret;
}

expublic int NDRX_INTEGRA(tpsvrinit)(int argc, char **argv);
expublic void NDRX_INTEGRA(tpsvrdone)(void);

expublic int NDRX_INTEGRA(tpsvrinit)(int argc, char **argv)
{
	return argc > 0 && NULL != argv ? EXSUCCEED : EXFAIL;
}

expublic void NDRX_INTEGRA(tpsvrdone)(void)
{
	userlog_const("done");
}

int main(int argc, char **argv)
{
	int ret = EXSUCCEED;
	struct tmsvrargs_t args;
	char *copy = NULL;

	setenv("NDRX_ULOG", "/nonexistent", 1);
	memset(&args, 0, sizeof(args));
	args.p_tpsvrinit = NDRX_INTEGRA(tpsvrinit);
	args.p_tpsvrdone = NDRX_INTEGRA(tpsvrdone);
	WANT(EXSUCCEED == args.p_tpsvrinit(argc, argv));
	NDRX_STRDUP_OUT(copy, argv[0]);
	WANT(NULL != strstr(copy, "header_existing"));
	WANT(EXSUCCEED == time_it());
	WANT(EXSUCCEED == fill_all());
out:
	NDRX_FREE(copy);
	return EXSUCCEED == ret ? 0 : 1;
}
