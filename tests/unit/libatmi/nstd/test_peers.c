/* SPDX-License-Identifier: Apache-2.0 */
/* test_peers.c - lists, files, times and macros that programs for Enduro/X use */
#include <fcntl.h>
#include <lcf.h>
#include <nstdutil.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <thlock.h>
#include <time.h>
#include <xatmi.h>
#include <cmocka.h>

#include "tests/unit/libatmi/scratch.h"

exprivate NDRX_SPIN_LOCKDECL(M_spin);

static void a_list_grows(void **state)
{
	ndrx_growlist_t list;
	long i, *all;

	ndrx_growlist_init(&list, 3, sizeof(long));
	assert_int_equal(list.maxindexused, -1);
	for (i = 0; i < 100; i++)
		assert_int_equal(ndrx_growlist_append(&list, &i), EXSUCCEED);
	i = 7;
	assert_int_equal(ndrx_growlist_add(&list, &i, 500), EXSUCCEED);
	all = list.mem;
	assert_int_equal(all[99], 99);
	assert_int_equal(all[300], 0);
	assert_int_equal(all[500], 7);
	assert_int_equal(list.maxindexused, 500);
	assert_true(list.itemsalloced > 500);
	assert_int_equal(ndrx_growlist_add(&list, &i, -1), EXFAIL);
	ndrx_growlist_free(&list);
	assert_int_equal(list.maxindexused, -1);
}

static void a_file_is_made_or_gets_the_time_of_now(void **state)
{
	struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
	char *path = (char *)scratch_path("touched");
	struct stat st;

	assert_int_equal(ndrx_file_touch(path), 0);
	assert_int_equal(ndrx_file_regular(path), EXTRUE);
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	assert_int_equal(ndrx_file_touch(path), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_mtime > 1000);
	assert_int_equal(ndrx_file_touch((char *)"/no/such/folder"), -1);
}

static void a_time_is_text_in_a_slot_of_its_own(void **state)
{
	char *one, *two;

	setenv("TZ", "UTC", 1);
	tzset();
	one = ndrx_get_strtstamp_from_sec(0, 0);
	two = ndrx_get_strtstamp_from_sec(1, 86399);
	assert_string_equal(one, "1970-01-01 00:00:00");
	assert_string_equal(two, "1970-01-01 23:59:59");
	assert_ptr_equal(ndrx_get_strtstamp_from_sec(20, 1), one);
}

static void a_buffer_holds_the_longest_message(void **state)
{
	int ret = EXFAIL;
	char *buf = NULL;
	size_t len = 0;

	NDRX_SYSBUF_MALLOC_OUT(buf, len, ret);
	assert_true((long)len == NDRX_MSGSIZEMAX);
	buf[len - 1] = 'x';
	NDRX_SYSBUF_FREE(buf);
	ret = EXSUCCEED;
out:
	assert_int_equal(ret, EXSUCCEED);
}

static void macros_mean_what_they_say(void **state)
{
	FILE *f = NDRX_FOPEN(scratch_path("opened"), "w");
	ndrx_longptr_t number = (ndrx_longptr_t)f;

	assert_ptr_equal((FILE *)number, f);
	assert_int_equal(NDRX_FCLOSE(f), 0);
	NDRX_FPFREE(NDRX_FPMALLOC(10, 0));
	assert_non_null(strstr(EX_PROGNAME, "test_peers"));
	assert_string_equal(CONF_NDRX_XA_FLAGS, "NDRX_XA_FLAGS");
	assert_int_equal(EX_SIZEOF_LONG, sizeof(long));
	assert_int_equal(NDRX_LCF_LCMD_VERSION, 1);
	assert_int_equal(NDRX_LCF_CCMD_VERSION, 1);
	assert_int_equal(NDRX_LCF_XCMD_VERSION, 1);
	NDRX_SPIN_INIT_V(M_spin);
	NDRX_SPIN_LOCK_V(M_spin);
	assert_int_not_equal(NDRX_SPIN_TRYLOCK_V(M_spin), 0);
	NDRX_SPIN_UNLOCK_V(M_spin);
	NDRX_SPIN_DESTROY_V(M_spin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_grows),
		cmocka_unit_test(a_file_is_made_or_gets_the_time_of_now),
		cmocka_unit_test(a_time_is_text_in_a_slot_of_its_own),
		cmocka_unit_test(a_buffer_holds_the_longest_message),
		cmocka_unit_test(macros_mean_what_they_say),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
