/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integrasv.c - a server as programs for Enduro/X are written
 *
 * A main() of its own, callbacks by NDRX_INTEGRA(), a dispatch table with rows
 * without a service name, EXFAIL_OUT, stopwatches, ubfutil, and a 1,024-byte
 * UBF buffer filled to the brim. Service INTEGRA returns what came and the
 * time it took; it is linked with libatmisrvinteg, which has the callbacks of
 * threads that this program leaves out.
 */
#include <stdio.h>
#include <stdlib.h>

#include <atmi.h>
#include <exhash.h>
#include <ndebug.h>
#include <ndrstandard.h>
#include <ndrx_config.h>
#include <nerror.h>
#include <nstdutil.h>
#include <nstopwatch.h>
#include <sys_mqueue.h>
#include <sys_unix.h>
#include <thlock.h>
#include <tmenv.h>
#include <ubf.h>
#include <ubfutil.h>
#include <userlog.h>
#include <Uunix.h>

#define T_STRING ((BFLDID)(BFLD_STRING << 25 | 1))

/* A structure in a hash table, as exhash.h has them. */
typedef struct {
	char name[MAXTIDENT + 1];
	long calls;
	EX_hash_handle hh;
} counted_t;

exprivate counted_t *M_counted;
exprivate ndrx_stopwatch_t M_since;

exprivate int count_call(const char *name, long *calls)
{
	int ret = EXSUCCEED;
	counted_t *c = NULL;

	EXHASH_FIND_STR(M_counted, name, c);
	if (NULL == c) {
		NDRX_CALLOC_OUT(c, 1, sizeof(*c), counted_t);
		NDRX_STRCPY_SAFE(c->name, name);
		EXHASH_ADD_STR(M_counted, name, c);
	}
	*calls = ++c->calls;
out:
	return ret;
}

/* Fill the buffer until nothing more fits; how many fields it holds. */
exprivate int fill(UBFH *p_ub, int *fields)
{
	int ret = EXSUCCEED;

	while (EXSUCCEED == Badd(p_ub, T_STRING, "8 bytes", 0))
		(*fields)++;
	if (BNOSPACE != Berror) {
		NDRX_LOG(log_error, "Badd: %s", Bstrerror(Berror));
		EXFAIL_OUT(ret);
	}
	ndrx_debug_dump_UBF(log_dump, "filled", p_ub);
out:
	return ret;
}

expublic void INTEGRA(TPSVCINFO *p_svc)
{
	int ret = EXSUCCEED, fields = 0;
	UBFH *p_ub = NULL;
	ndrx_stopwatch_t w;
	long calls = 0;
	char *answer = NULL;

	ndrx_stopwatch_reset(&w);
	if (NULL == (p_ub = (UBFH *)tpalloc("UBF", NULL, 1024)) ||
	    NULL == (answer = tpalloc("STRING", NULL, 256))) {
		NDRX_LOG(log_error, "tpalloc: %s", tpstrerror(tperrno));
		EXFAIL_OUT(ret);
	}
	if (EXSUCCEED != count_call(p_svc->name, &calls) ||
	    EXSUCCEED != fill(p_ub, &fields))
		EXFAIL_OUT(ret);
	snprintf(answer, 256, "%s call %ld filled %d in time %d up %d",
		 NULL != p_svc->data ? p_svc->data : "", calls,
		 NDRX_MIN(fields, 1), ndrx_stopwatch_get_delta(&w) >= 0,
		 ndrx_stopwatch_get_delta_sec(&M_since) >= 0);
out:
	tpfree((char *)p_ub);
	tpreturn(EXSUCCEED == ret ? TPSUCCESS : TPFAIL, 0, answer, 0, 0);
}

exprivate int NDRX_INTEGRA(tpsvrinit)(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	ndrx_stopwatch_reset(&M_since);
	TP_LOG(log_info, "%s", Uunixmsg[Uunixerr]);
	return EXSUCCEED;
}

exprivate void NDRX_INTEGRA(tpsvrdone)(void)
{
	printf("done\n");
}

exprivate struct tmdsptchtbl_t M_table[] = {
	{ "", "NONE", INTEGRA, 0, 0 },
	{ NULL, "ONLYBYS", INTEGRA, 0, 0 },
	{ "INTEGRA", "INTEGRA", INTEGRA, 0, 0 },
	{ NULL, NULL, NULL, 0, 0 }
};

exprivate struct tmsvrargs_t M_args = {
	&tmnull_switch, &M_table[0], 0, NDRX_INTEGRA(tpsvrinit),
	NDRX_INTEGRA(tpsvrdone), NULL, NULL, NULL, NULL, NULL, NULL, NULL
};

int main(int argc, char **argv)
{
	return _tmstartserver(argc, argv, &M_args);
}
