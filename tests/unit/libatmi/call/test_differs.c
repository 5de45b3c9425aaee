/* SPDX-License-Identifier: Apache-2.0 */
/* test_differs.c - what programs of other runtimes meet otherwise here */
#include "tests/unit/libatmi/domain_fixture.h"

#include <atmi.h>
#include <stdlib.h>
#include <xatmi.h>

#include "libatmi/call/life.h"

static int fresh(void **state)
{
	ow_ctx_leave();
	return 0;
}

static void an_error_has_no_number_of_a_detail(void **state)
{
	assert_int_equal(tpcall((char *)"NONE", NULL, 0, NULL, NULL, 0), -1);
	assert_int_equal(tperrordetail(0), -1);
	assert_int_not_equal(tperrordetail(0), TPED_MINVAL);
	setenv("NDRX_COMPAT", "strict-tuxedo", 1);
	assert_int_equal(tperrordetail(0), TPED_MINVAL);
	assert_int_equal(tperrno, TPEINVAL); /* of tpcall() */
	assert_int_equal(tperrordetail(1), -1);
	assert_string_equal(tpstrerrordetail(TPED_MINVAL, 0), "no detail");
	assert_non_null(strstr(tpstrerrordetail(TPED_SVCTIMEOUT, 0), "time-out"));
	assert_non_null(strstr(tpstrerrordetail(TPED_MAXVAL, 0), "transaction"));
	assert_null(tpstrerrordetail(TPED_MAXVAL + 1, 0));
	assert_null(tpstrerrordetail(-1, 0));
	unsetenv("NDRX_COMPAT");
	assert_string_equal(tpstrerrordetail(tperrno, 0), tpstrerror(tperrno));
}

static void the_next_calls_time_out_is_asked_for_by_0(void **state)
{
	assert_int_equal(tpsblktime(7, TPBLK_ALL), 0);
	assert_int_equal(tpsblktime(3, TPBLK_NEXT), 0);
	assert_int_equal(tpgblktime(0), 3);
	assert_int_equal(tpgblktime(TPBLK_ALL), 7);
	assert_int_equal(tpsblktime(0, TPBLK_NEXT), 0);
	assert_int_equal(tpgblktime(0), 7);
}

static void a_client_is_server_0_of_a_node_from_1_on(void **state)
{
	assert_int_equal(tpinit(NULL), 0);
	assert_int_equal(tpgetsrvid(), 0);
	assert_in_range(tpgetnodeid(), 1, 32);
}

static void no_driver_gives_a_connection(void **state)
{
	assert_null(tpgetconn());
	assert_int_equal(tperrno, TPENOENT);
}

static void a_buffer_is_not_made_smaller_than_what_it_holds(void **state)
{
	UBFH *p = (UBFH *)(void *)tpalloc((char *)"UBF", NULL, 4096);
	char value[3000];

	memset(value, 'x', sizeof(value));
	value[sizeof(value) - 1] = '\0';
	assert_int_equal(Badd(p, (BFLD_STRING << 25) | 1, value, 0), 0);
	assert_null(tprealloc((char *)p, 1024));
	assert_int_equal(tperrno, TPEINVAL);
	assert_string_equal(Bfind(p, (BFLD_STRING << 25) | 1, 0, NULL), value);
	tpfree((char *)p);
}

static void the_thread_that_calls_is_the_context(void **state)
{
	TPINIT *init = (TPINIT *)(void *)tpalloc((char *)"TPINIT", NULL,
						 TPINITNEED(0));

	assert_non_null(init);
	snprintf(init->usrname, sizeof(init->usrname), "nobody");
	init->flags = TPU_DIP;
	if (tpinit(init) != 0)
		fail_msg("%s", tpstrerror(tperrno));
	/* no <security> asks who it is */
	assert_int_equal(tpinit(NULL), 0);
	assert_int_equal(tpchkauth(), TPNOAUTH);
	assert_int_equal(tpappthrinit(NULL), 0);
	assert_int_equal(tpappthrterm(), 0);
	tpfree((char *)init);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_teardown(test, fresh)
		T(an_error_has_no_number_of_a_detail),
		T(the_next_calls_time_out_is_asked_for_by_0),
		T(a_client_is_server_0_of_a_node_from_1_on),
		T(no_driver_gives_a_connection),
		T(a_buffer_is_not_made_smaller_than_what_it_holds),
		T(the_thread_that_calls_is_the_context),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
