/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tpencrypt.c - encrypt, decrypt, and what changes on the way
 *
 * A process has one key for its life: each test is a process.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <xatmi.h>

#include "tests/unit/libatmi/scratch.h"

static char out[4096], back[4096];

static long encrypt(const char *text, long len, long flags)
{
	long n = sizeof(out);

	assert_int_equal(tpencrypt((char *)text, len, out, &n, flags), 0);
	return n;
}

/* Run `fn` in a child, so that it finds its key anew. */
static void alone(void (*fn)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

static void roundtrip(void)
{
	static const int sizes[] = { 0, 1, 15, 16, 17, 1000 };
	char text[1001];
	long n, m;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(text, 'a' + (int)i, sizeof(text));
		n = encrypt(text, sizes[i], 0);
		m = sizeof(back);
		assert_int_equal(tpdecrypt(out, n, back, &m, 0), 0);
		assert_int_equal(m, sizes[i]);
		assert_memory_equal(back, text, (size_t)m);
	}
	n = encrypt("hello", 0, TPEX_STRING);
	assert_int_equal(n, strlen(out) + 1);
	m = sizeof(back);
	assert_int_equal(tpdecrypt(out, 0, back, &m, TPEX_STRING), 0);
	assert_string_equal(back, "hello");
	assert_int_equal(m, 6);
}

static void what_was_encrypted_is_decrypted(void **state)
{
	alone(roundtrip);
}

static void differs(void)
{
	char first[200];
	long n = encrypt("hello", 5, 0);

	memcpy(first, out, (size_t)n);
	assert_int_equal(encrypt("hello", 5, 0), n);
	assert_memory_not_equal(first, out, (size_t)n);
	assert_null(memmem(out, (size_t)n, "hello", 5));
}

static void the_same_text_never_looks_the_same(void **state)
{
	alone(differs);
}

static void changed(void)
{
	long n = encrypt("attack at dawn", 14, 0), i, m;

	for (i = 0; i < n; i++) {
		m = sizeof(back);
		out[i] ^= 1;
		assert_int_equal(tpdecrypt(out, n, back, &m, 0), -1);
		assert_int_equal(tperrno, TPEINVAL);
		out[i] ^= 1;
	}
	for (i = 0; i < n; i++) {
		m = sizeof(back);
		assert_int_equal(tpdecrypt(out, i, back, &m, 0), -1);
		assert_int_equal(tperrno, TPEINVAL);
	}
}

static void one_changed_bit_is_found(void **state)
{
	alone(changed);
}

static void errors(void)
{
	long n = 3, m;

	assert_int_equal(tpencrypt(NULL, 1, out, &n, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpencrypt("x", 1, NULL, &n, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpencrypt("x", 1, out, NULL, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpencrypt("x", -1, out, &n, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpencrypt("x", 1, out, &n, 0x100), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpencrypt("x", 1, out, &n, 0), -1);
	assert_int_equal(tperrno, TPELIMIT);
	assert_int_equal(n, 64);
	assert_int_equal(tpencrypt("x", 1, out, &n, 0), 0);
	m = 0;
	assert_int_equal(tpdecrypt(out, n, back, &m, 0), -1);
	assert_int_equal(tperrno, TPELIMIT);
	assert_int_equal(m, 1);
	assert_int_equal(tpdecrypt("not base64", 0, back, &m, TPEX_STRING), -1);
	assert_int_equal(tperrno, TPEINVAL);
	assert_int_equal(tpdecrypt(NULL, 0, back, &m, 0), -1);
	assert_int_equal(tperrno, TPEINVAL);
}

static void errors_are_told_apart(void **state)
{
	alone(errors);
}

static void write_key(const char *path, const char *text, mode_t mode)
{
	FILE *fp = fopen(path, "we");

	fputs(text, fp);
	fclose(fp);
	assert_int_equal(chmod(path, mode), 0);
	setenv("NDRX_ENCKEYFILE", path, 1);
}

static const char *kept; /* encrypted by another process, in a file */

static void keep(void)
{
	long n = encrypt("hello", 5, TPEX_STRING);
	FILE *fp = fopen(kept, "we");

	fwrite(out, 1, (size_t)n, fp);
	fclose(fp);
}

static int read_kept(void)
{
	char *text = scratch_read(kept);
	long m = sizeof(back);
	int r = tpdecrypt(text, 0, back, &m, TPEX_STRING);

	free(text);
	return r;
}

static void readable(void)
{
	assert_int_equal(read_kept(), 0);
	assert_string_equal(back, "hello");
}

static void unreadable(void)
{
	assert_int_equal(read_kept(), -1);
	assert_int_equal(tperrno, TPEINVAL);
}

static void no_key(void)
{
	long n = sizeof(out);

	assert_int_equal(tpencrypt("x", 1, out, &n, 0), -1);
	assert_int_equal(tperrno, TPEOS);
}

static void processes_with_the_same_key_understand_each_other(void **state)
{
	const char *path = scratch_path("key");

	kept = scratch_path("kept");
	write_key(path, "the first key\nrest\n", 0600);
	alone(keep);
	alone(readable);
	write_key(path, "the second key\n", 0600);
	alone(unreadable);
	unsetenv("NDRX_ENCKEYFILE");
	alone(unreadable); /* user and host */
	setenv("NDRX_ENCKEYCMD", "echo the first key", 1);
	alone(readable);
	unsetenv("NDRX_ENCKEYCMD");
}

static void a_key_that_is_configured_and_missing_is_an_error(void **state)
{
	const char *path = scratch_path("key");

	write_key(path, "key\n", 0644);
	alone(no_key);
	write_key(path, "\n", 0600);
	alone(no_key);
	setenv("NDRX_ENCKEYFILE", "/nonexistent/key", 1);
	alone(no_key);
	unsetenv("NDRX_ENCKEYFILE");
	setenv("NDRX_ENCKEYCMD", "false", 1);
	alone(no_key);
	setenv("NDRX_ENCKEYCMD", "echo key; exit 3", 1);
	alone(no_key);
	unsetenv("NDRX_ENCKEYCMD");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_encrypted_is_decrypted),
		cmocka_unit_test(the_same_text_never_looks_the_same),
		cmocka_unit_test(one_changed_bit_is_found),
		cmocka_unit_test(errors_are_told_apart),
		cmocka_unit_test(
		    processes_with_the_same_key_understand_each_other),
		cmocka_unit_test(
		    a_key_that_is_configured_and_missing_is_an_error),
	};

	scratch_make();
	setenv("NDRX_DEBUG_STR", "ndrx=0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
