/* SPDX-License-Identifier: Apache-2.0 */
/* test_tcp_link.c - what an entry of tpbridge says about a TCP link */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "libatmi/domain/tcp_link.h"

/* Split at blanks, then read: the result; -2: these are no such options. */
static int look(const char *text, struct ow_tcp_link *ret, char (*why)[200])
{
	static char copy[512];
	char *words[32], *save = NULL, *w;
	int n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (w = strtok_r(copy, " ", &save); w != NULL;
	     w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	memset(ret, 0, sizeof(*ret));
	(*why)[0] = '\0';
	if (!ow_tcp_link_is(n, words))
		return -2;
	return ow_tcp_link_read(n, words, ret, *why, sizeof(*why));
}

static void options_are_read_with_and_without_blanks(void **state)
{
	static const char *const texts[] = {
		"-n2 -r -i 10.1.0.2 -p 4433 -tP -z30",
		"-n 2 -i10.1.0.2 -p4433 -t P -r -z 30 -c5 -k 200 -K 600 -P 4",
		"-r6 -f -n 2 -h 10.1.0.2 -p 4433 -tP -b 100 -R 3 -A 1 -Q 5 "
		"-q 5 -L 9 -m 40 -M 150 -B 2 -a 60 -T 10",
	};
	struct ow_tcp_link l;
	char why[200], address[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(look(texts[i], &l, &why), 0);
		assert_true(l.passive && l.is_offering);
		assert_int_equal(l.node, 2);
		ow_tcp_link_address(&l, address, sizeof(address));
		assert_string_equal(address, "10.1.0.2:4433");
		assert_string_equal(l.unknown, "");
		assert_int_equal(l.v6, i == 2);
	}
}

static void what_is_wrong_or_missing_is_named(void **state)
{
	static const char *const rows[][2] = {
		{ "-n 2 -i h -p 1 -t X", "-t is" },
		{ "-n 0 -i h -p 1 -t A", "-n is" },
		{ "-n 256 -i h -p 1 -t A", "-n is" },
		{ "-n 2x -i h -p 1 -t A", "-n is" },
		{ "-n 2 -i h -p 65536 -t A", "-p is" },
		{ "-n 2 -i a,b -p 1 -t A", "-i is" },
		{ "-i h -p 1 -t A", "-n, " },
		{ "-n 2 -i h -t A", "-p, " },
		{ "-n 2 -p 1 -t P", "address to listen" },
		{ "-n 2 -p 1 -t A", "address of the other" },
		{ "-n 2 -i h -p 1 -t", "last option" },
	};
	struct ow_tcp_link l;
	char why[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(look(rows[i][0], &l, &why), -1);
		assert_non_null(strstr(why, rows[i][1]));
		assert_int_equal(l.node, 0);
	}
}

static void other_letters_are_noted_and_other_bridges_are_none(void **state)
{
	struct ow_tcp_link l;
	char why[200];

	(void)state;
	assert_int_equal(look("-n 2 -i h -p 1 -t A -y -w 3 -y", &l, &why), 0);
	assert_string_equal(l.unknown, "yw");
	assert_false(l.is_offering || l.passive);
	assert_int_equal(look("-c bank -u nats://n1 -xtest", &l, &why), -2);
}

static void addresses_of_version_six_have_brackets(void **state)
{
	struct ow_tcp_link l;
	char why[200], address[64];

	(void)state;
	assert_int_equal(look("-n 2 -6 -i fe80::1 -p 7 -t A", &l, &why), 0);
	ow_tcp_link_address(&l, address, sizeof(address));
	assert_string_equal(address, "[fe80::1]:7");
}

static void only_loopback_is_out_of_reach_of_others(void **state)
{
	static const struct {
		const char *host;
		bool open;
	} rows[] = { { "127.0.0.1", false }, { "127.1.2.3", false },
		     { "::1", false },	     { "localhost", false },
		     { "0.0.0.0", true },    { "::", true },
		     { "10.0.0.1", true },   { "node1", true } };
	struct ow_tcp_link l = { .node = 2 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(l.host, sizeof(l.host), "%s", rows[i].host);
		assert_int_equal(ow_tcp_link_is_open(&l), rows[i].open);
	}
}

static void nats_server_is_looked_for_in_path_first(void **state)
{
	char folder[] = "/tmp/ow_unit_link_XXXXXX", file[64], dirs[96],
	     path[256];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/nats-server", folder);
	f = fopen(file, "w");
	assert_non_null(f);
	fclose(f);
	snprintf(dirs, sizeof(dirs), "/nowhere:%s", folder);
	/* A file that is no program is none. */
	if (ow_tcp_link_program(dirs, path, sizeof(path)) == 0)
		assert_string_not_equal(path, file);
	assert_int_equal(chmod(file, 0700), 0);
	assert_int_equal(ow_tcp_link_program(dirs, path, sizeof(path)), 0);
	assert_string_equal(path, file);
	unlink(file);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_read_with_and_without_blanks),
		cmocka_unit_test(what_is_wrong_or_missing_is_named),
		cmocka_unit_test(
		    other_letters_are_noted_and_other_bridges_are_none),
		cmocka_unit_test(addresses_of_version_six_have_brackets),
		cmocka_unit_test(only_loopback_is_out_of_reach_of_others),
		cmocka_unit_test(nats_server_is_looked_for_in_path_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
