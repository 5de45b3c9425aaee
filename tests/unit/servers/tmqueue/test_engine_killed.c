/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_engine_killed.c - a tmqueue is killed around the commit of a batch
 */
#include "tests/unit/servers/tmqueue/engine_fixture.h"

#include <sys/wait.h>

static const char *fatal; /* the fault point that kills; NULL: none */
static bool commits; /* something was committed since it was set */

void ow_fault_hit(const char *name);
void ow_fault_hit(const char *name)
{
	if (fatal == NULL)
		return;
	commits |= strcmp(name, "tmqueue.commit") == 0;
	/* A batch without changes is answered, too. */
	if (commits && strcmp(name, fatal) == 0)
		kill(getpid(), SIGKILL);
}

/* A child enqueues "a", and is killed at the point. True: it was told so. */
static bool is_told_until(const char *point)
{
	char told = 0;
	int status = 0, end[2];
	pid_t pid;

	close_engine();
	assert_int_equal(pipe(end), 0);
	pid = fork();
	if (pid == 0) {
		open_engine();
		dequeue(9, 0, 0); /* the batches of its start are over */
		wait_for(9);
		fatal = point;
		enqueue(1, 0, "a");
		wait_for(1);
		_exit(write(end[1], "!", 1) != 1);
	}
	close(end[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	told = read(end[0], &told, 1) == 1;
	close(end[0]);
	open_engine();
	return told;
}

static void killed_before_the_commit_it_has_told_nobody_and_kept_nothing(
    void **state)
{
	assert_false(is_told_until("tmqueue.commit"));
	assert_queue(2, NULL);
}

static void killed_after_the_commit_it_has_told_nobody_but_kept_it(void **state)
{
	assert_false(is_told_until("tmqueue.answer"));
	assert_queue(2, "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(killed_before_the_commit_it_has_told_nobody_and_kept_nothing),
		FACT(killed_after_the_commit_it_has_told_nobody_but_kept_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
