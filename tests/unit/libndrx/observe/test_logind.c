/* SPDX-License-Identifier: Apache-2.0 */
/* test_logind.c - will logind remove a user's shared memory at logout? */
#include "libndrx/observe/logind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/libatmi/scratch.h"

static void folder(const char *path)
{
	char command[300];

	snprintf(command, sizeof(command), "mkdir -p %s%s", scratch_dir, path);
	assert_int_equal(system(command), 0);
}

static void file(const char *path, const char *text)
{
	char full[300];

	snprintf(full, sizeof(full), "%s%s", scratch_dir, path);
	scratch_write(full, text);
}

static bool risk(void)
{
	return ow_logind_removes_ipc(scratch_dir, 1000, "bank");
}

static int clear(void **state)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf %s/*", scratch_dir);
	return system(command);
}

static void without_logind_nothing_is_removed(void **state)
{
	assert_false(risk());
	folder("/run/systemd/seats"); /* an image made of a machine */
	assert_false(risk());
}

static void ordinary_users_lose_their_memory_by_default(void **state)
{
	folder("/run/systemd/system");
	folder("/run/systemd/seats");
	assert_true(risk());
	assert_false(ow_logind_removes_ipc(scratch_dir, 999, "bank"));
	assert_false(ow_logind_removes_ipc(scratch_dir, 0, "root"));
}

static void users_who_linger_are_spared(void **state)
{
	folder("/run/systemd/system");
	folder("/run/systemd/seats");
	folder("/var/lib/systemd/linger");
	file("/var/lib/systemd/linger/other", "");
	assert_true(risk());
	file("/var/lib/systemd/linger/bank", "");
	assert_false(risk());
}

static void the_setting_is_read_and_drop_ins_win(void **state)
{
	folder("/run/systemd/system");
	folder("/run/systemd/seats");
	folder("/etc/systemd/logind.conf.d");
	file("/etc/systemd/logind.conf", "[Login]\n#RemoveIPC=no\n");
	assert_true(risk());
	file("/etc/systemd/logind.conf", "[Login]\nRemoveIPC=no\n");
	assert_false(risk());
	file("/etc/systemd/logind.conf.d/10-a.conf",
	     "[Login]\nRemoveIPC = yes\n");
	assert_true(risk());
	file("/etc/systemd/logind.conf.d/20-b.conf",
	     "[Login]\nRemoveIPC=false\n");
	assert_false(risk());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(without_logind_nothing_is_removed,
					  clear),
		cmocka_unit_test_teardown(
		    ordinary_users_lose_their_memory_by_default, clear),
		cmocka_unit_test_teardown(users_who_linger_are_spared, clear),
		cmocka_unit_test_teardown(the_setting_is_read_and_drop_ins_win,
					  clear),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
