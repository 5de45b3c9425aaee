/* SPDX-License-Identifier: Apache-2.0 */
/* test_run_files.c - what servers write in the folder of the domain */
#include "libndrx/observe/run_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "libatmi/domain/domain.h"
#include "tests/unit/libatmi/scratch.h"

static char seen[80];

static void note(long srvid, FILE *f, void *arg)
{
	char line[20] = "", *end = seen + strlen(seen);

	assert_non_null(fgets(line, sizeof(line), f));
	snprintf(end, sizeof(seen) - (size_t)(end - seen), "%ld %s;", srvid,
		 line);
}

static void put(const struct ow_domain *d, const char *name)
{
	char path[700];

	snprintf(path, sizeof(path), "%s/%s", d->run_dir, name);
	scratch_write(path, name);
	assert_int_equal(chmod(path, 0600), 0);
}

/* A folder may have signs in its name that are those of a pattern. */
static void the_files_of_a_name_are_read_in_any_folder(void **state)
{
	static const char *const folders[] = { "run", "r[u]n", "r*n?", "r\\n" };
	static struct ow_domain d;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(d.run_dir, sizeof(d.run_dir), "%s/%s", scratch_dir,
			 folders[i]);
		assert_int_equal(mkdir(d.run_dir, 0700), 0);
		put(&d, "http.7");
		put(&d, "http.12");
		put(&d, "http.7~");
		put(&d, "http.x");
		put(&d, "https.9");
		put(&d, "hosts.8");
		seen[0] = '\0';
		ow_run_files_each(&d, "http", note, NULL);
		assert_string_equal(seen, "12 http.12;7 http.7;");
	}
}

static void a_domain_without_a_folder_has_none(void **state)
{
	static struct ow_domain d;

	seen[0] = '\0';
	ow_run_files_each(&d, "http", note, NULL);
	assert_string_equal(seen, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_files_of_a_name_are_read_in_any_folder),
		cmocka_unit_test(a_domain_without_a_folder_has_none),
	};

	scratch_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
