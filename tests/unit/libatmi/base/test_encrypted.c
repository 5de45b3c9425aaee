/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_encrypted.c - ${dec=TEXT} decrypted, and why it is not
 *
 * tpencrypt() has one key for the life of a process; the value that is tried
 * comes from the first test.
 */
#include "libatmi/base/encrypted.h"

#include <fcntl.h>
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
#include <xatmi.h>

#include "tests/unit/libatmi/scratch.h"

static char hidden[256], why[OW_CCONFIG_WHY];
static char *plain;

static int decrypt(const char *text)
{
	free(plain);
	plain = NULL;
	why[0] = '\0';
	return ow_encrypted_value(NULL, text, strlen(text), &plain, why);
}

static void a_value_is_decrypted(void **state)
{
	long n = sizeof(hidden);

	assert_int_equal(tpencrypt((char *)"a pass word", 0, hidden, &n,
				   TPEX_STRING), 0);
	assert_int_equal(decrypt(hidden), 0);
	assert_string_equal(plain, "a pass word");
}

/* Whatever is wrong, the plain text is in no message. */
static void refused(const char *text, const char *reason)
{
	assert_int_equal(decrypt(text), -1);
	assert_null(plain);
	assert_non_null(strstr(why, reason));
	assert_null(strstr(why, "pass word"));
}

static void what_was_cut_or_changed_is_refused(void **state)
{
	char text[256];

	for (size_t n = 0; n < strlen(hidden); n++) {
		snprintf(text, sizeof(text), "%.*s", (int)n, hidden);
		refused(text, n % 4 == 0 ? "not encrypted with the key"
					 : "cut off");
	}
	snprintf(text, sizeof(text), "%s", hidden);
	text[30] = text[30] == 'A' ? 'B' : 'A';
	refused(text, "changed since");
	refused("?", "not base64");
}

static void a_value_with_a_zero_byte_is_refused(void **state)
{
	char bytes[] = "ab\0cd", made[256];
	long n = sizeof(made);

	assert_int_equal(tpencrypt(bytes, 5, made, &n, TPEX_STRING), 0);
	refused(made, "zero byte");
}

/* The key is looked for each time. */
static void another_key_or_none_is_told(void **state)
{
	const char *path = scratch_path("key");

	scratch_write(path, "another key\n");
	chmod(path, 0600);
	setenv("NDRX_ENCKEYFILE", path, 1);
	refused(hidden, "not encrypted with the key");
	chmod(path, 0640);
	refused(hidden, "chmod 600");
	setenv("NDRX_ENCKEYFILE", "/none/at/all", 1);
	refused(hidden, "/none/at/all");
	unsetenv("NDRX_ENCKEYFILE");
	setenv("NDRX_ENCKEYCMD", "exit 1 --token=t0ken", 1);
	refused(hidden, "NDRX_ENCKEYCMD: it prints no line");
	assert_null(strstr(why, "t0ken"));
	/* A command that needs the value for which it is run. */
	setenv("NDRX_ENCKEYCMD", "printf '%s\n' \"$NDRX_ENCKEYCMD_RUNS\"", 1);
	refused(hidden, "not encrypted with the key");
	setenv("NDRX_ENCKEYCMD_RUNS", "1", 1);
	refused(hidden, "needs its own key");
	unsetenv("NDRX_ENCKEYCMD_RUNS");
	unsetenv("NDRX_ENCKEYCMD");
	assert_int_equal(decrypt(hidden), 0);
}

/* A command runs once for values that are read together, also if it fails. */
static void the_key_of_several_values_is_found_once(void **state)
{
	struct ow_encrypted_key key = { .is_tried = false };
	const char *path = scratch_path("runs");
	char command[512];
	struct stat st;
	int i;

	(void)state;
	snprintf(command, sizeof(command), "printf x >> %s; exit 1", path);
	setenv("NDRX_ENCKEYCMD", command, 1);
	for (i = 0; i < 4; i++) {
		if (i == 3)
			ow_encrypted_forget(&key);
		why[0] = '\0';
		assert_int_equal(ow_encrypted_value(&key, hidden,
						    strlen(hidden), &plain,
						    why), -1);
		assert_non_null(strstr(why, "NDRX_ENCKEYCMD"));
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, i < 3 ? 1 : 2);
	}
	unsetenv("NDRX_ENCKEYCMD");
	ow_encrypted_forget(&key);
	for (i = 0; i < 2; i++) {
		free(plain);
		assert_int_equal(ow_encrypted_value(&key, hidden,
						    strlen(hidden), &plain,
						    why), 0);
		assert_string_equal(plain, "a pass word");
	}
	ow_encrypted_forget(&key);
}

/* A key that stands nowhere as a whole, byte by byte. */
enum { KEY_LEN = 40 };

static char key_byte(size_t i)
{
	return (char)('A' + (i * i + 5 * i) % 57);
}

/* How often is it in the heap? Builds with sanitizers have none of this name. */
static unsigned int count_in_heap(void)
{
	char line[512], *from = NULL, *to = NULL;
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned int n = 0;
	size_t i;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strstr(line, "[heap]") != NULL)
			assert_int_equal(sscanf(line, "%p-%p", (void **)&from,
						(void **)&to), 2);
	fclose(f);
	for (; from + KEY_LEN <= to; from++) {
		for (i = 0; i < KEY_LEN && from[i] == key_byte(i); i++)
			;
		n += i == KEY_LEN;
	}
	return n;
}

/* Memory that was freed keeps what it has until it is used again. */
static void the_text_of_the_key_stays_in_no_memory(void **state)
{
	const char *path = scratch_path("unseen");
	char text[KEY_LEN + 1], command[512];
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	size_t i;

	(void)state;
	for (i = 0; i < KEY_LEN; i++)
		text[i] = key_byte(i);
	text[KEY_LEN] = '\n';
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	close(fd);
	setenv("NDRX_ENCKEYFILE", path, 1);
	refused(hidden, "not encrypted with the key");
	assert_int_equal(count_in_heap(), 0);
	unsetenv("NDRX_ENCKEYFILE");
	snprintf(command, sizeof(command), "cat %s", path);
	setenv("NDRX_ENCKEYCMD", command, 1);
	refused(hidden, "not encrypted with the key");
	assert_int_equal(count_in_heap(), 0);
	unsetenv("NDRX_ENCKEYCMD");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_decrypted),
		cmocka_unit_test(what_was_cut_or_changed_is_refused),
		cmocka_unit_test(a_value_with_a_zero_byte_is_refused),
		cmocka_unit_test(another_key_or_none_is_told),
		cmocka_unit_test(the_key_of_several_values_is_found_once),
		cmocka_unit_test(the_text_of_the_key_stays_in_no_memory),
	};
	int r;

	scratch_make();
	r = cmocka_run_group_tests(tests, NULL, NULL);

	free(plain);
	return r;
}
