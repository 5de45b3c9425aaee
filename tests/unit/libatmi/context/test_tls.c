/* SPDX-License-Identifier: Apache-2.0 */
/* test_tls.c - parts of a context move between threads by themselves */
#include "tests/unit/libatmi/context/context_fixture.h"

#include "libatmi/call/life.h"

static void *has_ubf_part(void *part)
{
	assert_int_equal(ndrx_ubf_tls_set(part), 0);
	assert_errors(0, BNOTFLD, 0);
	assert_ptr_equal(ndrx_ubf_tls_get(), part);
	assert_errors(0, 0, 0);
	return NULL;
}

static void the_ubf_part_goes_alone(void **state)
{
	TPCONTEXT_T c;
	void *u;

	assert_int_equal(tpinit(NULL), 0);
	err();
	u = ndrx_ubf_tls_get();
	assert_int_equal(Berror, 0);
	assert_int_equal(Nerror, NEINVAL);
	in_thread(has_ubf_part, u);
	assert_int_equal(ndrx_ubf_tls_set(u), 0);
	assert_int_equal(ndrx_ubf_tls_set(u), 0); /* it is on already */
	assert_int_equal(Berror, BNOTFLD);
	c = got(); /* a part with a handle of its own goes its own way */
	assert_int_equal(tpsetctxt(c, 0), 0);
	assert_int_equal(Berror, 0);
	assert_int_equal(Nerror, NEINVAL);
	assert_int_equal(ndrx_ubf_tls_set(u), 0);
	assert_int_equal(Berror, BNOTFLD);
	assert_int_equal(ndrx_ubf_tls_set(NULL), 0);
	assert_int_equal(Berror, 0);
	ndrx_ubf_tls_free(u);
	assert_int_equal(tperrno, 0);
	tpfreectxt(c);
}

static void the_nstd_part_goes_alone(void **state)
{
	void *n = ndrx_nstd_tls_new(0, 1);

	err();
	tplogsetreqfile_direct(scratch_path("request"));
	assert_ptr_equal(ndrx_nstd_tls_get(), n);
	assert_int_equal(Nerror, 0);
	assert_int_equal(tploggetreqfile(NULL, 0), 0);
	assert_int_equal(Berror, BNOTFLD);
	assert_int_equal(ndrx_nstd_tls_set(n), 0);
	assert_int_equal(Nerror, NEINVAL);
	assert_int_equal(tploggetreqfile(NULL, 0), 1);
	ndrx_nstd_tls_free(n);
	assert_int_equal(Nerror, 0);
	assert_int_equal(tploggetreqfile(NULL, 0), 0);
}

static void the_atmi_part_takes_others_along(void **state)
{
	void *a;

	assert_int_equal(tpterm(), 0);
	assert_null(ndrx_atmi_tls_get(0));
	assert_int_equal(tpsblktime(7, TPBLK_ALL), 0);
	err();
	a = ndrx_atmi_tls_get(CTXT_PRIV_UBF);
	assert_non_null(a);
	assert_null(ow_ctx_peek());
	assert_errors(0, 0, NEINVAL);
	assert_int_equal(ndrx_atmi_tls_set(a, 0, CTXT_PRIV_NONE), 0);
	assert_int_equal(Berror, 0); /* it rests on */
	assert_int_equal(tpgblktime(TPBLK_ALL), 7);
	assert_ptr_equal(ndrx_atmi_tls_get(CTXT_PRIV_NONE), a);
	assert_int_equal(ndrx_atmi_tls_set(a, 0, CTXT_PRIV_UBF), 0);
	assert_int_equal(Berror, BNOTFLD);
	ndrx_atmi_tls_free(a);
	assert_null(ow_ctx_peek());
	a = ndrx_atmi_tls_new(NULL, 0, 1);
	assert_int_equal(tpsblktime(5, TPBLK_ALL), 0);
	assert_ptr_equal(got(), a); /* a context as any other */
	assert_int_equal(tpsetctxt(a, 0), 0);
	ndrx_atmi_tls_free(a);
}

static void *has_nothing_of(void *part)
{
	assert_int_equal(ndrx_ubf_tls_set(part), -1);
	assert_int_equal(tperrno, TPEPROTO);
	ndrx_ubf_tls_free(part);
	assert_int_equal(tperrno, TPEPROTO);
	return NULL;
}

static void wrong_parts_are_refused(void **state)
{
	void *u = ndrx_ubf_tls_new(0, 1);

	in_thread(has_nothing_of, u);
	assert_ptr_equal(ndrx_ubf_tls_get(), u);
	assert_int_equal(ndrx_nstd_tls_set(u), -1);
	assert_int_equal(tperrno, TPENOENT);
	assert_int_equal(ndrx_atmi_tls_set(u, 0, 0), -1);
	assert_int_equal(tperrno, TPENOENT);
	assert_int_equal(tpsetctxt(u, 0), -1);
	assert_int_equal(tperrno, TPENOENT);
	ndrx_nstd_tls_free(u);
	assert_int_equal(tperrno, TPENOENT);
	assert_int_equal(ndrx_atmi_tls_set(u, 1, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(ndrx_atmi_tls_set(u, 0, 0x40), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_null(ndrx_atmi_tls_get(0x40));
	assert_int_equal(tperrno, TPEINVAL);
	assert_null(ndrx_atmi_tls_new(u, 0, 0));
	assert_int_equal(tperrno, TPEINVAL);
	ndrx_ubf_tls_free(u);
	assert_int_equal(ndrx_ubf_tls_set(u), -1);
	assert_int_equal(tperrno, TPENOENT);
	ndrx_ubf_tls_free(NULL);
	assert_int_equal(tperrno, TPENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(the_ubf_part_goes_alone),
		FACT(the_nstd_part_goes_alone),
		FACT(the_atmi_part_takes_others_along),
		FACT(wrong_parts_are_refused),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
