/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ids.c - servers whose SRVID is not their id here
 */
#include "clients/tm/ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/libatmi/scratch.h"

static struct ids ids;

static void read_text(const char *text)
{
	char folder[300];

	setenv("TUXCONFIG", scratch_path("tux"), 1);
	snprintf(folder, sizeof(folder), "%s.d", scratch_path("tux"));
	mkdir(folder, 0700);
	snprintf(folder, sizeof(folder), "%s.d/conf", scratch_path("tux"));
	mkdir(folder, 0700);
	scratch_write(scratch_path("tux.d/conf/srvids"), text);
	ids_read(&ids);
}

static void instances_have_numbers_in_a_row(void **state)
{
	(void)state;
	read_text("2001 3 1\n3001 1 1\n");
	assert_int_equal(ids.n, 2);
	assert_int_equal(ids_theirs(&ids, 2001), 1);
	assert_int_equal(ids_theirs(&ids, 2003), 3);
	assert_int_equal(ids_theirs(&ids, 2004), 2004);
	assert_int_equal(ids_theirs(&ids, 3001), 1);
	assert_int_equal(ids_theirs(&ids, 7), 7);
}

static void an_id_here_chooses_unless_it_is_the_srvid_of_another(void **state)
{
	(void)state;
	read_text("2001 1 1\n5000 1 3001\n3001 1 1\n");
	assert_true(ids_is(&ids, 1, "1"));
	assert_true(ids_is(&ids, 2001, "1"));
	assert_true(ids_is(&ids, 2001, "2001"));
	assert_false(ids_is(&ids, 2001, "2"));
	assert_true(ids_is(&ids, 5000, "3001"));
	assert_false(ids_is(&ids, 3001, "3001"));
	assert_true(ids_is(&ids, 3001, "1"));
}

static void without_the_file_ids_are_those_here(void **state)
{
	(void)state;
	setenv("TUXCONFIG", scratch_path("none"), 1);
	ids_read(&ids);
	assert_int_equal(ids.n, 0);
	assert_true(ids_is(&ids, 4, "4"));
	read_text("2001 1\nx");
	assert_int_equal(ids.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instances_have_numbers_in_a_row),
		cmocka_unit_test(
		    an_id_here_chooses_unless_it_is_the_srvid_of_another),
		cmocka_unit_test(without_the_file_ids_are_those_here),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
