/* SPDX-License-Identifier: Apache-2.0 */
/* test_orderer.c - the words of who gives an order, without those that are hidden */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "libatmi/base/masked.h"
#include "libatmi/domain/orderer.h"

/* A shell with this environment, and a secret among its words. It runs. */
static pid_t start(char *variable)
{
	char *env[] = { (char *)"A=1", variable, NULL };
	char *words[] = { (char *)"/bin/sh", (char *)"-c", (char *)"kill -STOP $$",
			  (char *)"sh", (char *)"s3cret", NULL };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execve(words[0], words, env);
		_exit(127);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

static void expect(char *variable, const char *want)
{
	char said[200];
	siginfo_t ended;
	pid_t pid = start(variable);

	ow_orderer_words(pid, said, sizeof(said));
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
	/* It may have had words that were read a moment ago. */
	assert_true(ow_masked_words(pid));
	waitpid(pid, NULL, 0);
	assert_true(ow_masked_words(pid));
	assert_string_equal(said, want);
}

static void words_are_shown(void **state)
{
	expect(NULL, "sh -c kill -STOP $$ sh s3cret");
	expect((char *)OW_MASKED_WORDS "=0", "sh -c kill -STOP $$ sh s3cret");
}

static void decrypted_words_are_not(void **state)
{
	expect((char *)OW_MASKED_WORDS "=1", "sh ***");
}

static void of_this_process_words_are_shown(void **state)
{
	char said[200];

	ow_orderer_words(getpid(), said, sizeof(said));
	assert_non_null(strstr(said, "test_orderer"));
	assert_false(ow_masked_words(getpid()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_shown),
		cmocka_unit_test(decrypted_words_are_not),
		cmocka_unit_test(of_this_process_words_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
