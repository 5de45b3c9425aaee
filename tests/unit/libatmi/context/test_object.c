/* SPDX-License-Identifier: Apache-2.0 */
/* test_object.c - the object API: calls in the context that they name */
#include "tests/unit/libatmi/domain_fixture.h"

#include <oatmi.h>
#include <odebug.h>
#include <oubf.h>
#include <pthread.h>
#include <stdlib.h>

#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "tests/unit/libubf/failing_alloc.h"

#define FIELD Bmkfldid(BFLD_LONG, 77)
#define INNER Bmkfldid(BFLD_UBF, 78)

static void a_call_in_the_null_context_makes_one(void **state)
{
	TPCONTEXT_T c = TPNULLCONTEXT, same;

	assert_int_equal(Otpsblktime(&c, 7, TPBLK_ALL), 0);
	assert_non_null(c);
	assert_null(ow_ctx_peek());
	same = c;
	assert_int_equal(Otpgblktime(&c, TPBLK_ALL), 7);
	assert_ptr_equal(c, same);
	assert_int_equal(Otpgprio(&c), 50);
	tpfreectxt(c);
	assert_int_equal(tperrno, 0);
}

static void the_thread_keeps_its_own_context(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 0);
	struct ow_ctx *mine;

	assert_int_equal(tpinit(NULL), 0);
	mine = ow_ctx_peek();
	assert_int_equal(tpsblktime(3, TPBLK_ALL), 0);
	assert_int_equal(tpcancel(5), -1);
	assert_int_equal(Otpsblktime(&c, 7, TPBLK_ALL), 0);
	assert_int_equal(Otpgblktime(&c, 99), -1);
	assert_int_equal(tperrno, TPEBADDESC); /* its own error */
	assert_int_equal(Otperrno(&c), TPEINVAL);
	assert_non_null(strstr(Otpstrerror(&c, TPEINVAL), "TPBLK_NEXT"));
	assert_non_null(strstr(tpstrerror(tperrno), "never given"));
	assert_ptr_equal(ow_ctx_peek(), mine);
	assert_int_equal(tpgblktime(TPBLK_ALL), 3);
	tpfreectxt(c);
}

static void two_contexts_have_errors_of_their_own(void **state)
{
	TPCONTEXT_T a = tpnewctxt(0, 0), b = tpnewctxt(0, 0);

	assert_int_equal(OBfree(&a, NULL), -1);
	assert_int_equal(OBnum(&b, NULL), -1);
	assert_int_equal(OBboolsetcbf(&b, NULL, NULL), -1);
	assert_int_equal(Otplogqinfo(&a, 0, 0), -1);
	assert_int_equal(OBerror(&a), BNOTFLD);
	assert_int_not_equal(OBerror(&b), BNOTFLD);
	assert_int_equal(Berror, 0);
	assert_int_equal(ONerror(&a), NEINVAL);
	assert_int_equal(ONerror(&b), 0);
	assert_int_equal(Nerror, 0);
	assert_string_equal(ONecodestr(&a, NEINVAL), "NEINVAL");
	assert_non_null(strstr(ONstrerror(&a, NEINVAL), "last error"));
	assert_null(strstr(ONstrerror(&b, NEINVAL), "last error"));
	*O_exget_tpurcode_addr(&a) = 12;
	assert_int_equal(Otpurcode(&a), 12);
	assert_int_equal(Otpurcode(&b), 0);
	tpfreectxt(a);
	tpfreectxt(b);
}

static void the_errors_of_a_context_that_is_on_are_the_threads(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 1);

	assert_int_equal(Otpcancel(&c, 5), -1);
	assert_int_equal(tperrno, TPEBADDESC);
	assert_ptr_equal(O_exget_tperrno_addr(&c), _exget_tperrno_addr());
	assert_ptr_equal(O_exget_tpurcode_addr(&c), _exget_tpurcode_addr());
	assert_ptr_equal(Ondrx_Bget_Ferror_addr(&c), ndrx_Bget_Ferror_addr());
	assert_ptr_equal(O_Nget_Nerror_addr(&c), _Nget_Nerror_addr());
	tpfreectxt(c);
}

static void paths_are_variable_arguments(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 0);
	UBFH *in = (UBFH *)tpalloc("UBF", NULL, 1024);
	UBFH *out = (UBFH *)tpalloc("UBF", NULL, 4096);
	long v = 5, w = 0;
	BFLDLEN len = sizeof(w);

	assert_int_equal(OBadd(&c, in, FIELD, (char *)&v, 0), 0);
	assert_int_equal(OBadd(&c, out, INNER, (char *)in, 0), 0);
	assert_int_equal(OBgetrv(&c, out, (char *)&w, &len, INNER, 0, FIELD, 0,
				 BBADFLDOCC), 0);
	assert_int_equal(w, 5);
	assert_int_equal(OBpresrv(&c, out, INNER, 0, FIELD, 0, BBADFLDOCC), 1);
	assert_int_equal(OBpresrv(&c, out, INNER, 0, FIELD, 1, BBADFLDOCC), 0);
	assert_int_equal(OBgetrv(&c, out, (char *)&w, &len, INNER, 0, FIELD, 1,
				 BBADFLDOCC), -1);
	assert_int_equal(OBerror(&c), BNOTPRES);
	tpfree((char *)in);
	tpfree((char *)out);
	tpfreectxt(c);
}

/* ---- refusals ---- */

static void *uses(void *arg)
{
	TPCONTEXT_T c = arg;
	long n = 0;

	assert_int_equal(Otpgprio(&c), -1);
	assert_int_equal(tperrno, TPEPROTO);
	assert_int_equal(Otperrno(&c), TPEPROTO); /* as the program asks */
	assert_int_equal(OBnum(&c, NULL), -1);
	assert_int_equal(OBerror(&c), BEINVAL);
	assert_null(Otpalloc(&c, "STRING", NULL, 10));
	assert_int_equal(Otplogqinfo(&c, 0, n), -1);
	assert_int_equal(ONerror(&c), NEINVAL);
	Otplog(&c, 5, "not in that context");
	OTP_LOG(&c, log_error, "not in that context: %ld", ++n);
	assert_non_null(strstr(tpstrerror(tperrno), "another thread"));
	return NULL;
}

static void a_context_of_another_thread_is_refused(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 1);
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, uses, c), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_int_equal(tperrno, 0);
	tpfreectxt(c);
}

static void wrong_contexts_are_refused(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 0);

	tpfreectxt(c);
	assert_int_equal(Otpgprio(&c), -1);
	assert_int_equal(Otperrno(&c), TPENOENT);
	assert_int_equal(Otpgprio(NULL), -1);
	assert_int_equal(Otperrno(NULL), TPEINVAL);
	c = (TPCONTEXT_T)(intptr_t)TPINVALIDCONTEXT;
	assert_int_equal(Otpgprio(&c), -1);
	assert_int_equal(Otperrno(&c), TPENOENT);
}

static void the_last_context_is_tpelimit(void **state)
{
	static TPCONTEXT_T all[70000];
	TPCONTEXT_T c = NULL;
	long n = 0;

	while ((all[n] = tpnewctxt(0, 0)) != NULL)
		n++;
	assert_int_equal(Otpgprio(&c), -1);
	assert_int_equal(tperrno, TPELIMIT);
	assert_null(c);
	while (n-- > 0)
		tpfreectxt(all[n]);
}

static void *without_memory(void *arg)
{
	TPCONTEXT_T c = arg;

	countdown = 0;
	assert_int_equal(Otpgprio(&c), -1);
	assert_int_equal(tperrno, TPEOS);
	countdown = 1; /* the stack of what was put aside */
	assert_int_equal(Otpgprio(&c), -1);
	assert_int_equal(tperrno, TPEOS);
	countdown = -1;
	assert_int_equal(Otpgprio(&c), 50);
	return NULL;
}

static void without_memory_it_is_tpeos(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 0);
	pthread_t t;

	assert_int_equal(pthread_create(&t, NULL, without_memory, c), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	tpfreectxt(c);
	assert_int_equal(tperrno, 0);
}

/* ---- calls inside calls ---- */

static TPCONTEXT_T outer, inner;

static long count(char *buffer, long bufsz, void *sum)
{
	(void)buffer;
	*(long *)sum += bufsz;
	assert_int_equal(Otpgblktime(&inner, TPBLK_ALL), 8);
	assert_int_equal(Otpgblktime(&outer, TPBLK_ALL), 7);
	assert_int_equal(tpgblktime(TPBLK_ALL), 7);
	return bufsz;
}

static void a_callback_uses_another_context(void **state)
{
	UBFH *p = (UBFH *)tpalloc("UBF", NULL, 1024);
	long sum = 0;

	outer = tpnewctxt(0, 0);
	inner = tpnewctxt(0, 0);
	assert_int_equal(Otpsblktime(&outer, 7, TPBLK_ALL), 0);
	assert_int_equal(Otpsblktime(&inner, 8, TPBLK_ALL), 0);
	assert_int_equal(OBwritecb(&outer, p, count, &sum), 0);
	assert_true(sum > 0);
	assert_null(ow_ctx_peek());
	tpfreectxt(outer);
	tpfreectxt(inner);
	tpfree((char *)p);
}

static long strays(char *buffer, long bufsz, void *arg)
{
	(void)buffer;
	assert_int_equal(tpsetctxt(*(TPCONTEXT_T *)arg, 0), 0);
	return bufsz;
}

static void a_callback_that_changes_the_context_does_no_harm(void **state)
{
	UBFH *p = (UBFH *)tpalloc("UBF", NULL, 1024);
	TPCONTEXT_T a = tpnewctxt(0, 0), b = tpnewctxt(0, 0);

	assert_int_equal(tpsblktime(3, TPBLK_ALL), 0);
	assert_int_equal(OBwritecb(&a, p, strays, &b), 0);
	assert_int_equal(tpgblktime(TPBLK_ALL), 3);
	assert_int_equal(Otpsblktime(&a, 4, TPBLK_ALL), 0);
	assert_int_equal(Otpsblktime(&b, 5, TPBLK_ALL), 0);
	tpfreectxt(a);
	tpfreectxt(b);
	assert_int_equal(tperrno, 0);
	tpfree((char *)p);
}

static void lines_go_to_the_log_of_the_context(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 0);
	char file[200] = "", line[400] = "";
	FILE *f;

	assert_int_equal(tplogconfig(LOG_FACILITY_TP, 5, NULL, NULL,
				     scratch_path("process")), 0);
	Otplogsetreqfile_direct(&c, scratch_path("context"));
	assert_int_equal(Otploggetreqfile(&c, file, sizeof(file)), 1);
	OTP_LOG(&c, log_error, "a line of %s", "the context");
	tplogconfig(LOG_FACILITY_TP, 0, NULL, NULL, NULL);
	f = fopen(scratch_path("context"), "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_non_null(strstr(line, "a line of the context"));
	fclose(f);
	tpfreectxt(c);
}

static int setup(void **state)
{
	dom_make();
	return 0;
}

static int cleared(void **state)
{
	tpsetctxt(TPNULLCONTEXT, 0);
	tpterm();
	return 0;
}

#define FACT(fn) cmocka_unit_test_setup_teardown(fn, NULL, cleared)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(a_call_in_the_null_context_makes_one),
		FACT(the_thread_keeps_its_own_context),
		FACT(two_contexts_have_errors_of_their_own),
		FACT(the_errors_of_a_context_that_is_on_are_the_threads),
		FACT(paths_are_variable_arguments),
		FACT(a_context_of_another_thread_is_refused),
		FACT(wrong_contexts_are_refused),
		FACT(the_last_context_is_tpelimit),
		FACT(without_memory_it_is_tpeos),
		FACT(a_callback_uses_another_context),
		FACT(a_callback_that_changes_the_context_does_no_harm),
		FACT(lines_go_to_the_log_of_the_context),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
