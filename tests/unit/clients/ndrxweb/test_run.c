/* SPDX-License-Identifier: Apache-2.0 */
/* test_run.c - the output of an order is its own, whatever else runs */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "clients/ndrxweb/run.h"

static unsigned int told;

static void tell(struct ow_run *r)
{
	(void)r;
	told++;
}

/* A shell that runs `script`. */
static struct ow_run *begin(struct ow_runs *s, const char *script, bool changes)
{
	char *const argv[] = { (char *)"sh", (char *)"-c",
			       (char *)(uintptr_t)script, NULL };
	const struct ow_run_begin b = { .path = "/bin/sh", .argv = argv,
					.user = "anna", .changes = changes };
	struct ow_run *r = NULL;

	assert_int_equal(ow_run_begin(s, &b, &r), 0);
	return r;
}

/* Its process has ended, and is not reaped. */
static void wait_zombie(const struct ow_run *r)
{
	siginfo_t i;

	assert_int_equal(waitid(P_PID, (id_t)r->pid, &i, WEXITED | WNOWAIT), 0);
}

static void step_until(struct ow_runs *s, const struct ow_run *r)
{
	struct pollfd p = { .fd = ow_runs_fd(s), .events = POLLIN };

	while (!r->ended) {
		poll(&p, 1, ow_runs_wait(s, 100));
		ow_runs_step(s, tell);
	}
}

static void has(const struct ow_run *r, const char *text)
{
	assert_int_equal(r->n, strlen(text));
	assert_memory_equal(r->output, text, r->n);
}

static void an_order_that_comes_before_the_answer_was_sent_changes_nothing(
    void **state)
{
	struct ow_runs *s = ow_runs_new(60);
	struct ow_run *first = begin(s, "echo first", true), *other;

	told = 0;
	step_until(s, first);
	assert_int_equal(told, 1);
	/* The place is free; the answer still lies in memory. */
	other = begin(s, "echo other", true);
	has(first, "first\n");
	step_until(s, other);
	has(first, "first\n");
	has(other, "other\n");
	ow_run_leave(first);
	ow_run_leave(other);
	ow_runs_step(s, tell);
	assert_int_equal(told, 2);
	ow_runs_free(s);
}

static void orders_that_run_together_are_read_apart(void **state)
{
	struct ow_runs *s = ow_runs_new(60);
	struct ow_run *r[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		r[i] = begin(s, i % 2 == 0 ? "echo even; exit 3"
					   : "echo odd; echo odd >&2", false);
	for (i = 0; i < 4; i++)
		wait_zombie(r[i]);
	for (i = 0; i < 4; i++)
		step_until(s, r[i]);
	for (i = 0; i < 4; i++) {
		has(r[i], i % 2 == 0 ? "even\n" : "odd\nodd\n");
		assert_int_equal(r[i]->status, i % 2 == 0 ? 3 : 0);
		ow_run_leave(r[i]);
	}
	ow_runs_step(s, tell);
	ow_runs_free(s);
}

static void one_that_changes_something_waits_for_the_end_of_the_other(
    void **state)
{
	struct ow_runs *s = ow_runs_new(60);
	struct ow_run *first = begin(s, "echo first", true), *r = NULL;
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)"echo no",
			       NULL };
	const struct ow_run_begin b = { .path = "/bin/sh", .argv = argv,
					.user = "anna", .changes = true };

	wait_zombie(first); /* it has ended, and nobody has looked */
	assert_int_equal(ow_run_begin(s, &b, &r), -EBUSY);
	step_until(s, first);
	has(first, "first\n");
	assert_int_equal(ow_run_begin(s, &b, &r), 0);
	step_until(s, r);
	has(r, "no\n");
	ow_run_leave(first);
	ow_run_leave(r);
	ow_runs_step(s, tell);
	ow_runs_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
		    an_order_that_comes_before_the_answer_was_sent_changes_nothing),
		cmocka_unit_test(orders_that_run_together_are_read_apart),
		cmocka_unit_test(
		    one_that_changes_something_waits_for_the_end_of_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
