/* SPDX-License-Identifier: Apache-2.0 */
/* test_context.c - contexts move between threads as a whole */
#include "tests/unit/libatmi/context/context_fixture.h"

#include <stdlib.h>

#include "libatmi/call/context.h"
#include "libatmi/call/life.h"
#include "tests/unit/libubf/failing_alloc.h"

#define FIELD Bmkfldid(BFLD_LONG, 77)

#define CONSTANT(value) ((TPCONTEXT_T)(intptr_t)(value))

/* ---- unsolicited messages ---- */

static void a_handler_of_unsolicited_messages_changes_no_context(void **state)
{
	TPCONTEXT_T c = NULL, other = tpnewctxt(0, 0);
	struct ow_ctx *mine;

	assert_int_equal(tpinit(NULL), 0);
	mine = ow_ctx_hide(); /* as while a handler runs */
	assert_int_equal(tpgetctxt(&c, 0), -1);
	assert_int_equal(tperrno, TPEPROTO);
	assert_int_equal(tpsetctxt(other, 0), -1);
	assert_int_equal(tperrno, TPEPROTO);
	assert_null(tpnewctxt(0, 1));
	assert_int_equal(tperrno, TPEPROTO);
	ow_ctx_show(mine);
	assert_ptr_equal(ow_ctx_peek(), mine);
	tpfreectxt(other);
	assert_int_equal(tpterm(), 0);
}

static void look(struct ow_ctx *c)
{
}

static void nothing(struct ow_listener *l)
{
}

static void a_context_goes_on_listening_on_another_thread(void **state)
{
	static struct ow_listener l = { .look = look, .arm = look,
					.halt = nothing, .stop = nothing,
					.end = nothing };
	TPCONTEXT_T c;

	assert_int_equal(tpinit(NULL), 0);
	ow_ctx_set_listener(ow_ctx_peek(), &l);
	c = got();
	assert_int_equal(tpsetctxt(c, 0), 0);
	assert_ptr_equal(ow_ctx_peek()->listener, &l);
	assert_non_null(ow_ctx_peek()->attend);
	assert_int_equal(tpterm(), 0);
	tpfreectxt(c);
}

/* ---- tpgetctxt, tpsetctxt ---- */

static void a_thread_without_a_context_has_none_to_give(void **state)
{
	TPCONTEXT_T c = &c;

	assert_int_equal(tpterm(), 0);
	assert_int_equal(tpgetctxt(&c, 0), TPNULLCONTEXT);
	assert_null(c);
	assert_int_equal(tpsetctxt(TPNULLCONTEXT, 0), 0);
}

static void strict_tuxedo_leaves_the_context_on_the_thread(void **state)
{
	TPCONTEXT_T c = TPNULLCONTEXT, again;

	assert_int_equal(tpinit(NULL), 0);
	assert_int_equal(tpsblktime(7, TPBLK_ALL), 0);
	setenv("NDRX_COMPAT", "strict-tuxedo", 1);
	assert_int_equal(tpgetctxt(&c, 0), TPMULTICONTEXTS);
	assert_int_equal(tpgblktime(TPBLK_ALL), 7);
	assert_int_equal(tpgetctxt(&again, 0), TPMULTICONTEXTS);
	assert_ptr_equal(again, c);
	assert_int_equal(tpsetctxt(c, 0), 0);
	assert_int_equal(tpsetctxt(TPNULLCONTEXT, 0), 0);
	assert_int_equal(tpgblktime(TPBLK_ALL), 0);
	assert_int_equal(tpsetctxt(c, 0), 0);
	assert_int_equal(tpgblktime(TPBLK_ALL), 7);
	tpfreectxt(c);
	assert_int_equal(tperrno, 0);
	assert_int_equal(tpgblktime(TPBLK_ALL), 0);
	assert_int_equal(tpsetctxt(c, 0), -1);
	assert_int_equal(tperrno, TPENOENT);
	assert_int_equal(tpterm(), 0); /* the one of the process */
	unsetenv("NDRX_COMPAT");
}

static void *shares(void *arg)
{
	assert_int_equal(tpsetctxt(arg, 0), 0);
	assert_int_equal(tpgblktime(TPBLK_ALL), 7);
	assert_int_equal(tpsblktime(8, TPBLK_ALL), 0);
	assert_int_equal(tperrno, 0);
	assert_int_equal(tpcancel(5), -1); /* its error is this thread's */
	return NULL;
}

static void *puts_on(void *arg)
{
	return (void *)(intptr_t)tpsetctxt(arg, 0);
}

static void a_context_rests_when_a_shared_one_takes_its_place(void **state)
{
	TPCONTEXT_T c = TPNULLCONTEXT, other;
	void *r = NULL;
	pthread_t t;

	assert_int_equal(tpinit(NULL), 0);
	setenv("NDRX_COMPAT", "strict-tuxedo", 1);
	assert_int_equal(tpgetctxt(&c, 0), TPMULTICONTEXTS);
	other = tpnewctxt(0, 0);
	assert_int_equal(tpsetctxt(other, 0), 0);
	assert_int_equal(tpsetctxt(c, 0), 0);
	pthread_create(&t, NULL, puts_on, other);
	pthread_join(t, &r);
	assert_null(r);
	tpfreectxt(other);
	assert_int_equal(tperrno, 0);
	assert_int_equal(tpterm(), 0);
	unsetenv("NDRX_COMPAT");
}

static void strict_tuxedo_has_one_context_for_two_threads(void **state)
{
	TPCONTEXT_T c = TPNULLCONTEXT;
	pthread_t t;

	assert_int_equal(tpinit(NULL), 0);
	assert_int_equal(tpsblktime(7, TPBLK_ALL), 0);
	setenv("NDRX_COMPAT", "strict-tuxedo", 1);
	assert_int_equal(tpgetctxt(&c, 0), TPMULTICONTEXTS);
	pthread_create(&t, NULL, shares, c);
	pthread_join(t, NULL);
	assert_int_equal(tpgblktime(TPBLK_ALL), 8);
	assert_int_equal(tperrno, 0);
	assert_int_equal(tpterm(), 0);
	assert_int_equal(tpsetctxt(c, 0), -1);
	assert_int_equal(tperrno, TPENOENT);
	assert_int_equal(tpterm(), 0); /* the one of the process */
	unsetenv("NDRX_COMPAT");
}

static void a_context_is_taken_off_and_put_on_again(void **state)
{
	struct ow_ctx *mine;
	TPCONTEXT_T c;

	assert_int_equal(tpinit(NULL), 0);
	mine = ow_ctx_peek();
	assert_int_equal(tpsblktime(7, TPBLK_ALL), 0);
	c = got();
	assert_null(ow_ctx_peek());
	assert_int_equal(tpgblktime(TPBLK_ALL), 0); /* of another context */
	assert_ptr_not_equal(ow_ctx_peek(), mine);
	assert_int_equal(tpsetctxt(c, 0), 0);
	assert_ptr_equal(ow_ctx_peek(), mine);
	assert_int_equal(tpgblktime(TPBLK_ALL), 7);
	assert_int_equal(tpsetctxt(c, 0), 0); /* it is on already */
	assert_ptr_equal(got(), c); /* one handle, always the same */
	assert_int_equal(tpsetctxt(TPNULLCONTEXT, 0), 0);
	assert_int_equal(tpsetctxt(c, 0), 0); /* it rested */
	assert_int_equal(tpgblktime(TPBLK_ALL), 7);
	tpfreectxt(c);
	assert_null(ow_ctx_peek());
}

static void errors_go_with_their_context(void **state)
{
	TPCONTEXT_T c;

	assert_int_equal(tpinit(NULL), 0);
	err();
	assert_int_equal(tpcancel(5), -1);
	*_exget_tpurcode_addr() = 11;
	c = got();
	assert_errors(0, 0, 0);
	assert_int_equal(tpurcode, 0);
	assert_int_equal(tpsetctxt(c, 0), 0);
	assert_errors(TPEBADDESC, BNOTFLD, NEINVAL);
	assert_int_equal(tpurcode, 11);
	assert_non_null(strstr(tpstrerror(tperrno), "never given"));
	assert_non_null(strstr(Bstrerror(Berror), "last error"));
	tpfreectxt(c);
}

static void an_iteration_goes_with_its_context(void **state)
{
	UBFH *p = (UBFH *)tpalloc("UBF", NULL, 1024);
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	TPCONTEXT_T c;
	long i;

	assert_int_equal(tpinit(NULL), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(Badd(p, FIELD, (char *)&i, 0), 0);
	assert_int_equal(Bnext(p, &id, &occ, NULL, NULL), 1);
	c = got();
	id = BFIRSTFLDID;
	occ = 0;
	while (Bnext(p, &id, &occ, NULL, NULL) == 1)
		;
	assert_int_equal(tpsetctxt(c, 0), 0);
	id = FIELD;
	occ = 0;
	assert_int_equal(Bnext(p, &id, &occ, NULL, NULL), 1);
	assert_int_equal(occ, 1);
	tpfreectxt(c);
	tpfree((char *)p);
}

static void loggers_go_with_their_context(void **state)
{
	char file[200] = "";
	TPCONTEXT_T c;

	assert_int_equal(tpinit(NULL), 0);
	tplogsetreqfile_direct(scratch_path("request"));
	c = got();
	assert_int_equal(tploggetreqfile(file, sizeof(file)), 0);
	assert_int_equal(tpsetctxt(c, 0), 0);
	assert_int_equal(tploggetreqfile(file, sizeof(file)), 1);
	assert_string_equal(file, scratch_path("request"));
	tpfreectxt(c);
	assert_int_equal(tploggetreqfile(file, sizeof(file)), 0);
}

static void an_implicit_context_ends_when_another_takes_its_place(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 0);

	assert_int_equal(tpsblktime(7, TPBLK_ALL), 0);
	tplogsetreqfile_direct(scratch_path("request"));
	assert_int_equal(tpsetctxt(c, 0), 0);
	assert_int_equal(tpsetctxt(TPNULLCONTEXT, 0), 0);
	assert_int_equal(tpgblktime(TPBLK_ALL), 0);
	assert_int_equal(tploggetreqfile(NULL, 0), 0);
	tpfreectxt(c);
	assert_int_equal(tpterm(), 0);
}

static void wrong_arguments_are_refused(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 0);

	assert_int_equal(tpgetctxt(NULL, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpgetctxt(&c, 1), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpsetctxt(c, 1), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpsetctxt(CONSTANT(TPINVALIDCONTEXT), 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpsetctxt(CONSTANT(TPSINGLECONTEXT), 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	tpfreectxt(TPNULLCONTEXT);
	assert_int_equal(tperrno, TPEINVAL);
	tpfreectxt(CONSTANT(TPINVALIDCONTEXT));
	assert_int_equal(tperrno, TPEINVAL);
	tpfreectxt(c);
	assert_int_equal(tperrno, 0);
}

static void what_was_freed_or_never_made_is_not_found(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 0), other;
	uintptr_t n;

	tpfreectxt(c);
	assert_int_equal(tpsetctxt(c, 0), -1);
	assert_int_equal(tperrno, TPENOENT);
	tpfreectxt(c);
	assert_int_equal(tperrno, TPENOENT);
	other = tpnewctxt(0, 0); /* at the same place */
	assert_ptr_not_equal(other, c);
	assert_int_equal(tpsetctxt(c, 0), -1);
	assert_int_equal(tperrno, TPENOENT);
	tpfreectxt(other);
	for (n = 1; n != 0; n <<= 1) { /* any number */
		assert_int_equal(tpsetctxt((TPCONTEXT_T)(n | 1), 0), -1);
		assert_int_equal(tpsetctxt((TPCONTEXT_T)(n | 0x1000), 0), -1);
		tpfreectxt((TPCONTEXT_T)n);
		assert_int_not_equal(tperrno, 0);
	}
}

/* ---- threads ---- */

static void *takes_over(void *context)
{
	assert_int_equal(tpsetctxt(context, 0), 0);
	assert_int_equal(tperrno, TPEBADDESC);
	assert_int_equal(tpgblktime(TPBLK_ALL), 7);
	assert_int_equal(tpsblktime(8, TPBLK_ALL), 0);
	assert_ptr_equal(got(), context);
	return NULL;
}

static void a_context_goes_on_in_another_thread(void **state)
{
	TPCONTEXT_T c;

	assert_int_equal(tpsblktime(7, TPBLK_ALL), 0);
	err();
	assert_int_equal(tpcancel(5), -1);
	c = got();
	in_thread(takes_over, c);
	assert_int_equal(tpsetctxt(c, 0), 0);
	assert_int_equal(tpgblktime(TPBLK_ALL), 8);
	tpfreectxt(c);
}

static void *cannot_have(void *context)
{
	assert_int_equal(tpinit(NULL), 0);
	assert_int_equal(tpsetctxt(context, 0), -1);
	assert_int_equal(tperrno, TPEPROTO);
	tpfreectxt(context);
	assert_int_equal(tperrno, TPEPROTO);
	assert_non_null(ow_ctx_peek()); /* it kept its own */
	return NULL;
}

static void two_threads_cannot_have_one_context(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 1);

	assert_int_equal(tpinit(NULL), 0);
	in_thread(cannot_have, c);
	assert_non_null(ow_ctx_peek());
	tpfreectxt(c);
	assert_int_equal(tperrno, 0);
}

static void *ends_with(void *context)
{
	assert_int_equal(tpsetctxt(context, 0), 0);
	assert_int_equal(tpsblktime(9, TPBLK_ALL), 0);
	tplogsetreqfile_direct(scratch_path("request"));
	return NULL;
}

static void a_context_rests_when_its_thread_ends(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 0);

	in_thread(ends_with, c);
	assert_int_equal(tpsetctxt(c, 0), 0);
	assert_int_equal(tpgblktime(TPBLK_ALL), 9);
	assert_int_equal(tploggetreqfile(NULL, 0), 1);
	tpfreectxt(c);
}

static void a_context_made_so_ends_with_its_thread(void **state)
{
	TPCONTEXT_T c = tpnewctxt(1, 0);

	in_thread(ends_with, c);
	assert_int_equal(tpsetctxt(c, 0), -1);
	assert_int_equal(tperrno, TPENOENT);
	assert_int_equal(tpinit(NULL), 0);
	c = got(); /* it was implicit */
	in_thread(ends_with, c);
	assert_int_equal(tpsetctxt(c, 0), -1);
	assert_int_equal(tperrno, TPENOENT);
}

static void a_context_outlives_tpterm(void **state)
{
	TPCONTEXT_T c = tpnewctxt(0, 1);

	assert_int_equal(tpsblktime(7, TPBLK_ALL), 0);
	assert_int_equal(tpterm(), 0);
	assert_null(ow_ctx_peek());
	assert_int_equal(tpgblktime(TPBLK_ALL), 0);
	assert_ptr_equal(got(), c);
	tpfreectxt(c);
}

static void child_has_no_handles(void *context)
{
	TPCONTEXT_T c = NULL;

	if (tpsetctxt(context, 0) != -1 || tperrno != TPENOENT)
		_exit(1);
	if (tpgetctxt(&c, 0) != TPNULLCONTEXT || c != NULL)
		_exit(2);
	if (tpinit(NULL) != 0 || tpgetctxt(&c, 0) != TPMULTICONTEXTS)
		_exit(3);
	if (tpsetctxt(c, 0) != 0)
		_exit(4);
	tpfreectxt(c);
	_exit(tperrno);
}

static void a_forked_child_has_none_of_its_parents_contexts(void **state)
{
	TPCONTEXT_T a = tpnewctxt(0, 0), b = tpnewctxt(0, 1);

	assert_int_equal(tpinit(NULL), 0);
	assert_int_equal(in_child(child_has_no_handles, a), 0);
	assert_int_equal(in_child(child_has_no_handles, b), 0);
	assert_int_equal(tpsetctxt(a, 0), 0);
	tpfreectxt(a);
	tpfreectxt(b);
	assert_int_equal(tperrno, 0);
}

/* ---- limits ---- */

static void the_last_context_is_tpelimit(void **state)
{
	static TPCONTEXT_T all[70000];
	TPCONTEXT_T c = NULL;
	long n = 0;

	while ((all[n] = tpnewctxt(0, 0)) != NULL)
		n++;
	assert_int_equal(tperrno, TPELIMIT);
	assert_int_equal(n, 65536);
	assert_int_equal(tpinit(NULL), 0);
	assert_int_equal(tpgetctxt(&c, 0), -1);
	assert_int_equal(tperrno, TPELIMIT);
	assert_null(c);
	assert_non_null(ow_ctx_peek()); /* the thread keeps it */
	while (n-- > 0)
		tpfreectxt(all[n]);
	assert_int_equal(tperrno, 0);
}

static void *without_memory(void *arg)
{
	TPCONTEXT_T c = NULL;

	countdown = 0;
	assert_null(tpnewctxt(0, 0));
	assert_int_equal(tperrno, TPEOS);
	countdown = 0;
	assert_int_equal(tpgetctxt(&c, 0), -1);
	assert_int_equal(tperrno, TPEOS);
	countdown = 0;
	assert_int_equal(tpsetctxt(TPNULLCONTEXT, 0), -1);
	assert_int_equal(tperrno, TPEOS);
	countdown = 0;
	assert_null(ndrx_ubf_tls_new(0, 0));
	assert_int_equal(tperrno, TPEOS);
	countdown = 0;
	assert_int_equal(ndrx_ubf_tls_set(arg), -1);
	assert_int_equal(tperrno, TPEOS);
	countdown = -1;
	return NULL;
}

static void without_memory_it_is_tpeos(void **state)
{
	void *u = ndrx_ubf_tls_new(0, 0);

	tpcancel(5); /* memory for the texts of errors */
	in_thread(without_memory, u);
	ndrx_ubf_tls_free(u);
	assert_int_equal(tperrno, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(a_thread_without_a_context_has_none_to_give),
		FACT(strict_tuxedo_leaves_the_context_on_the_thread),
		FACT(strict_tuxedo_has_one_context_for_two_threads),
		FACT(a_context_rests_when_a_shared_one_takes_its_place),
		FACT(a_context_is_taken_off_and_put_on_again),
		FACT(errors_go_with_their_context),
		FACT(an_iteration_goes_with_its_context),
		FACT(loggers_go_with_their_context),
		FACT(an_implicit_context_ends_when_another_takes_its_place),
		FACT(wrong_arguments_are_refused),
		FACT(what_was_freed_or_never_made_is_not_found),
		FACT(a_context_goes_on_in_another_thread),
		FACT(two_threads_cannot_have_one_context),
		FACT(a_context_rests_when_its_thread_ends),
		FACT(a_context_made_so_ends_with_its_thread),
		FACT(a_context_outlives_tpterm),
		FACT(a_forked_child_has_none_of_its_parents_contexts),
		FACT(the_last_context_is_tpelimit),
		FACT(without_memory_it_is_tpeos),
		FACT(a_handler_of_unsolicited_messages_changes_no_context),
		FACT(a_context_goes_on_listening_on_another_thread),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
