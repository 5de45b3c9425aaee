/* SPDX-License-Identifier: Apache-2.0 */
/* test_snapshot.c - what a server shows is seen whole, and while it lives */
#include "tests/unit/libatmi/domain_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#include "libatmi/domain/snapshot.h"

#define WORDS 2000

struct sums {
	struct ow_snapshot head;
	uint64_t n[WORDS];
};

static const struct ow_snapshot_kind kind = { .name = "sums",
					      .magic = 77,
					      .size = sizeof(struct sums) };

/* All words become `n`. */
static void show(struct sums *p, uint64_t n)
{
	int i;

	ow_snapshot_begin(&p->head, &kind);
	for (i = 0; i < WORDS; i++)
		p->n[i] = n;
	ow_snapshot_end(&p->head);
}

static void what_is_shown_is_read(void **state)
{
	struct sums *p = NULL, *got;

	assert_null(ow_snapshot_read(dom, &kind, 7));
	assert_int_equal(ow_snapshot_open(dom, &kind, 7, &p), 0);
	assert_null(ow_snapshot_read(dom, &kind, 7));
	show(p, 5);
	got = ow_snapshot_read(dom, &kind, 7);
	assert_non_null(got);
	assert_int_equal(got->n[WORDS - 1], 5);
	assert_int_equal(got->head.srvid, 7);
	assert_null(ow_snapshot_read(dom, &kind, 8));
	free(got);
	ow_snapshot_close(&p->head, &kind);
}

static void one_that_is_being_written_is_not_read(void **state)
{
	struct sums *p = NULL, *got;

	assert_int_equal(ow_snapshot_open(dom, &kind, 9, &p), 0);
	show(p, 1);
	ow_snapshot_begin(&p->head, &kind);
	assert_null(ow_snapshot_read(dom, &kind, 9));
	ow_snapshot_end(&p->head);
	got = ow_snapshot_read(dom, &kind, 9);
	assert_non_null(got);
	free(got);
	ow_snapshot_close(&p->head, &kind);
}

/* A child that shows and changes for ever, until it is killed. */
static pid_t start_writer(uint32_t srvid)
{
	/* Readers get a turn. */
	const struct timespec pause = { .tv_nsec = 100000 };
	struct sums *p = NULL;
	pid_t pid = fork();
	uint64_t n = 0;

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ow_snapshot_open(dom, &kind, srvid, &p) != 0)
		_exit(1);
	for (;;) {
		show(p, ++n);
		nanosleep(&pause, NULL);
	}
}

static void a_copy_is_never_half_old_and_half_new(void **state)
{
	pid_t pid = start_writer(10);
	struct sums *got;
	int seen = 0, i;

	while (seen < 200) {
		got = ow_snapshot_read(dom, &kind, 10);
		for (i = 0; got != NULL && i < WORDS; i++)
			assert_int_equal(got->n[i], got->n[0]);
		seen += got != NULL;
		free(got);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_null(ow_snapshot_read(dom, &kind, 10));
}

static void the_next_process_goes_on_with_what_is_there(void **state)
{
	struct sums *p = NULL, *got = NULL;
	pid_t pid = start_writer(11);

	while (got == NULL)
		got = ow_snapshot_read(dom, &kind, 11);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(ow_snapshot_open(dom, &kind, 11, &p), 0);
	assert_true(p->n[0] >= got->n[0]);
	free(got);
	show(p, 3);
	got = ow_snapshot_read(dom, &kind, 11);
	assert_non_null(got);
	assert_int_equal(got->n[0], 3);
	free(got);
	ow_snapshot_close(&p->head, &kind);
}

static void a_file_of_another_layout_is_replaced(void **state)
{
	const struct ow_snapshot_kind larger = {
		.name = "sums", .magic = 78, .size = sizeof(struct sums) + 8
	};
	struct ow_snapshot *p = NULL;
	struct sums *old = NULL;

	assert_int_equal(ow_snapshot_open(dom, &kind, 12, &old), 0);
	show(old, 4);
	assert_int_equal(ow_snapshot_open(dom, &larger, 12, &p), 0);
	assert_int_equal(p->magic, 0);
	assert_null(ow_snapshot_read(dom, &kind, 12));
	ow_snapshot_close(p, &larger);
	ow_snapshot_close(&old->head, &kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_shown_is_read),
		cmocka_unit_test(one_that_is_being_written_is_not_read),
		cmocka_unit_test(a_copy_is_never_half_old_and_half_new),
		cmocka_unit_test(the_next_process_goes_on_with_what_is_there),
		cmocka_unit_test(a_file_of_another_layout_is_replaced),
	};

	dom_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
