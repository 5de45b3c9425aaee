/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local.c - errors of the functions that need no server
 */
#include "tests/man/errors/errors.h"

#include <inicfg.h>
#include <lcf.h>
#include <ndebug.h>
#include <oatmi.h>
#include <pthread.h>
#include <tpadm.h>
#include <tpbind.h>

static char room[400];

static void buffers(char *p)
{
	struct tpload load;
	UBFH *info = NULL;

	FAILS(TPEINVAL, tpalloc(NULL, NULL, 10));
	FAILS(TPEOTYPE, tpalloc("NOTYPE", NULL, 10));
	FAILS(TPENOENT, tpalloc("VIEW", "NOVIEW", 10));
	FAILS_WITHOUT_MEMORY(TPEOS, tpalloc("STRING", NULL, 100));
	FAILS(TPEINVAL, tpsetcallinfo(NULL, NULL, 0));
	FAILS(TPESYSTEM, tpgetcallinfo(p, &info, 0));
	FAILS(TPEINVAL, tpsprio(1000, TPABSOLUTE));
	FAILS(TPEINVAL, tpsblktime(-1, TPBLK_NEXT));
	FAILS(TPEINVAL, tpsetsigrstrt(7));
	FAILS(TPEINVAL, tpsetcaller("a:b", 0));
	FAILS(TPEPERM, tpsetcaller("anna", 0));
	FAILS(TPEINVAL, tpgettrace(NULL));
	FAILS(TPEINVAL, tpnotespan(NULL));
	FAILS(TPEINVAL, tpsvcload("", NULL));
	FAILS(TPENOENT, tpsvcload("NOSVC", &load));
}

static void texts(char *p)
{
	UBFH *ubf = (UBFH *)tpalloc("UBF", NULL, 1024);
	char *q = NULL;
	long n = sizeof(room);

	FAILS(TPEINVAL, tpconvert(NULL, NULL, TPTOSTRING | TPCONVCLTID));
	FAILS(TPEINVAL, tpexport(NULL, 0, room, &n, 0));
	FAILS(TPEOTYPE, tpimport("{\"buftype\":\"NOTYPE\",\"version\":1,"
				 "\"data\":\"x\"}", 0, &q, &n, 0));
	FAILS(TPEINVAL, tpubftojson(NULL, room, sizeof(room)));
	FAILS_WITHOUT_MEMORY(TPEOS, tpexport(p, 0, room, &n, 0));
	FAILS_WITHOUT_MEMORY(TPEOS, tpjsontoubf(ubf, "{\"NAME\":\"x\"}"));
	FAILS(TPENOENT, tpgetconn());
	FAILS(TPEOTYPE, tpviewtojson(room, "NOVIEW", room, 10, 0));
}

static void ciphers(void)
{
	long n = sizeof(room);

	FAILS(TPEINVAL, tpencrypt(NULL, 0, room, &n, TPEX_STRING));
	n = 1;
	FAILS(TPELIMIT, tpencrypt("hello", 0, room, &n, TPEX_STRING));
}

static void without_a_key(void)
{
	long n = sizeof(room);

	FAILS(TPEOS, tpencrypt("hello", 0, room, &n, TPEX_STRING));
}

static void logs(void)
{
	char *none = NULL, *p = tpalloc("UBF", NULL, 1024);
	ndrx_inicfg_t *cfg = ndrx_inicfg_new();

	FAILS(NEFORMAT, tplogconfig(LOG_FACILITY_TP, -1, "tp=loud", NULL,
				    NULL));
	FAILS(NESYSTEM, tplogconfig(LOG_FACILITY_TP, -1, NULL, NULL,
				    "no/such/file"));
	FAILS(NEINVAL, tplogqinfo(4, 0));
	FAILS(NEINVAL, ndrx_inicfg_add(NULL, "x", NULL));
	FAILS(NEINVALINI, ndrx_inicfg_add(cfg, "no/such/file", NULL));
	FAILS_WITHOUT_MEMORY(NEMALLOC, ndrx_inicfg_new());
	ndrx_inicfg_free(cfg);
	FAILS(TPEINVAL, tplogsetreqfile(&none, NULL, NULL));
	EXPECT(p != NULL);
	memset(p, 0, 64);
	FAILS(TPESYSTEM, tplogsetreqfile(&p, "a.log", NULL));
	FAILS(TPENOENT, tploggetbufreqfile(tpalloc("UBF", NULL, 1024), room,
					   sizeof(room)));
	FAILS_WITHOUT_MEMORY(TPEOS, tplogsetreqfile(&none, "a.log", NULL));
}

static TPCONTEXT_T taken;
static void *part;

static void *take(void *arg)
{
	(void)arg;
	FAILS(TPEPROTO, ndrx_ubf_tls_set(part));
	FAILS(TPEPROTO, tpsetctxt(taken, 0));
	FAILS(TPEPROTO, Otpsprio(&taken, 50, 0));
	return NULL;
}

static void contexts(void)
{
	TPCONTEXT_T gone = tpnewctxt(0, 0);
	void *gone_part;
	pthread_t t;

	EXPECT(gone != NULL);
	tpfreectxt(gone);
	FAILS(TPEINVAL, tpgetctxt(NULL, 0));
	FAILS(TPENOENT, tpsetctxt(gone, 0));
	FAILS(TPEINVAL, Otpsprio(NULL, 50, 0));
	FAILS(TPENOENT, Otpsprio(&gone, 50, 0));
	gone_part = ndrx_ubf_tls_new(0, 0);
	ndrx_ubf_tls_free(gone_part);
	FAILS(TPENOENT, ndrx_ubf_tls_set(gone_part));
	taken = tpnewctxt(0, 1);
	part = ndrx_ubf_tls_new(0, 1);
	EXPECT(taken != NULL && part != NULL);
	FAILS(TPEINVAL, ndrx_atmi_tls_new(part, 0, 0));
	EXPECT(pthread_create(&t, NULL, take, NULL) == 0);
	pthread_join(t, NULL);
	EXPECT(tpsetctxt(TPNULLCONTEXT, 0) == 0);
}

static void more_contexts_than_there_are(void)
{
	TPCONTEXT_T none = TPNULLCONTEXT;
	int i;

	for (i = 0; i < 70000 && tpnewctxt(0, 0) != NULL; i++)
		;
	FAILS(TPELIMIT, tpnewctxt(0, 0));
	FAILS(TPELIMIT, ndrx_nstd_tls_new(0, 0));
	FAILS(TPELIMIT, Otpsprio(&none, 50, 0));
}

static void without_memory_for_contexts(void)
{
	TPCONTEXT_T none = TPNULLCONTEXT;

	FAILS_WITHOUT_MEMORY(TPEOS, tpnewctxt(0, 0));
	FAILS_WITHOUT_MEMORY(TPEOS, ndrx_nstd_tls_new(0, 0));
	FAILS_WITHOUT_MEMORY(TPEOS, Otpsprio(&none, 50, 0));
}

static int nothing(ndrx_lcf_command_t *cmd, long *p_flags)
{
	return 0;
}

static int nothing_else(ndrx_lcf_command_t *cmd, long *p_flags)
{
	return 1;
}

static void commands(void)
{
	ndrx_lcf_reg_func_t one = { 1, 1500, "one", nothing };
	ndrx_lcf_reg_func_t other = { 1, 1500, "other", nothing_else };

	FAILS(TPEINVAL, ndrx_lcf_func_add(NULL));
	EXPECT(ndrx_lcf_func_add(&one) == 0);
	FAILS(TPEMATCH, ndrx_lcf_func_add(&other));
}

static void without_a_domain(void)
{
	ndrx_lcf_command_t cmd = { .version = 1, .command = 1500,
				   .cmdstr = "one", .procid = "1",
				   .flags = NDRX_LCF_FLAG_ALL };
	UBFH *in = (UBFH *)tpalloc("UBF", NULL, 1024), *out = NULL;

	FAILS(TPENOENT, ndrx_lcf_publish(1, &cmd));
	FAILS(TPENOENT, tpreplyfd());
	FAILS(TPEPROTO, tpreplytimeout());
	FAILS(TPEINVAL, tpreplywait(-1));
	CBadd(in, Bfldid("TA_OPERATION"), "GET", 0, BFLD_STRING);
	CBadd(in, Bfldid("TA_CLASS"), "T_SERVER", 0, BFLD_STRING);
	FAILS(TPENOENT, tpadmcall(in, &out, 0));
}

int main(void)
{
	char *p = text("hello");

	with("NDRX_QPREFIX=/nosuchdomain", without_a_domain);
	with("NDRX_ENCKEYFILE=no/such/file", without_a_key);
	with("NDRX_TOUT=10", without_memory_for_contexts);
	with("NDRX_TOUT=10", more_contexts_than_there_are);
	buffers(p);
	texts(p);
	ciphers();
	logs();
	contexts();
	commands();
	FAILS(TPEINVAL, tpadmcall(NULL, NULL, 0));
	return wrong;
}
