/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_log.c - the decisions of a tmsrv survive kills and power cuts
 *
 * A child works with a log and is killed at each fault point in turn; what was
 * acknowledged before must be found again. A power cut leaves what was synced,
 * and any prefix of what was not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "servers/tmsrv/log.h"
#include "libatmi/base/fault.h"
#include "tests/unit/servers/folder.h"

#define NAME   "TRN.log"
#define ROUNDS 6

/* Shared with the child: what it was told. */
static struct told {
	uint64_t identity;
	uint64_t number; /* the last one given */
	uint64_t committed[ROUNDS * 2], ended[ROUNDS * 2];
	int n_committed, n_ended;
	off_t synced; /* bytes of the file when the last commit returned */
} *told;

static char folder[64];
static long left; /* fault points until the kill; 0: none */

void ow_fault_hit(const char *name);
void ow_fault_hit(const char *name)
{
	(void)name;
	if (left > 0 && --left == 0)
		kill(getpid(), SIGKILL);
}

static void path_of(char *to, size_t size)
{
	snprintf(to, size, "%s/%s", folder, NAME);
}

static struct tmlog *open_log(void)
{
	struct tmlog *l = NULL;
	char why[300] = "";

	if (tmlog_open(folder, NAME, &l, why, sizeof(why)) != 0)
		fail_msg("%s", why);
	return l;
}

static int fresh(void **state)
{
	folder_make(folder, "/tmp/ow_tmlog");
	memset(told, 0, sizeof(*told));
	left = 0;
	return 0;
}

static int clean(void **state)
{
	return folder_remove(folder);
}

struct found {
	uint64_t tran[100];
	int n;
};

static void note(uint64_t tran, const struct tmlog_branch *b, uint32_t n,
		 uint32_t by_hand, void *arg)
{
	struct found *f = arg;

	assert_int_equal(n, 2);
	assert_int_equal(b[0].rmid, 1);
	assert_int_equal(b[1].rmid, 2);
	assert_int_equal(b[1].branch, tran & 0xffff);
	f->tran[f->n++] = tran;
}

static bool has(const struct found *f, uint64_t tran)
{
	int i;

	for (i = 0; i < f->n; i++)
		if (f->tran[i] == tran)
			return true;
	return false;
}

static int commit(struct tmlog *l, uint64_t tran)
{
	struct tmlog_branch b[2] = { { 1, 1 },
				     { 2, (uint32_t)(tran & 0xffff) } };

	return tmlog_commit(l, tran, b, 2);
}

/* ---- without faults ---- */

static void what_is_committed_is_found_until_it_ends(void **state)
{
	struct tmlog *l = open_log();
	uint64_t identity = tmlog_identity(l);
	struct found f = { .n = 0 };

	assert_int_not_equal(identity, 0);
	assert_int_equal(commit(l, 5), 0);
	assert_int_equal(commit(l, 6), 0);
	tmlog_end(l, 5);
	tmlog_close(l);
	l = open_log();
	tmlog_each(l, note, &f);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.tran[0], 6);
	assert_int_equal(tmlog_identity(l), identity);
	tmlog_close(l);
}

static void numbers_are_never_given_twice(void **state)
{
	struct tmlog *l = NULL;
	uint64_t last = 0, n = 0;
	int i, k;

	for (i = 0; i < 3; i++) {
		l = open_log();
		for (k = 0; k < 3; k++) {
			assert_int_equal(tmlog_number(l, &n), 0);
			assert_true(n > last);
			last = n;
		}
		tmlog_close(l);
	}
	l = open_log();
	for (k = 0; k < 2100000; k++) {
		tmlog_number(l, &n);
		if (n <= last)
			fail_msg("%llu after %llu", (unsigned long long)n,
				 (unsigned long long)last);
		last = n;
	}
	tmlog_close(l);
}

static void a_log_belongs_to_one_process(void **state)
{
	struct tmlog *l = open_log(), *other = NULL;
	char why[300] = "";

	assert_int_equal(tmlog_open(folder, NAME, &other, why, sizeof(why)),
			 -EBUSY);
	assert_non_null(strstr(why, "another process"));
	tmlog_close(l);
}

static void a_file_that_is_no_log_is_refused(void **state)
{
	struct tmlog *l = NULL;
	char path[128], why[300] = "";
	FILE *f;

	path_of(path, sizeof(path));
	f = fopen(path, "w");
	fputs("some other file", f);
	fclose(f);
	assert_int_equal(tmlog_open(folder, NAME, &l, why, sizeof(why)),
			 -EBADMSG);
}

static void a_full_file_is_replaced(void **state)
{
	struct tmlog *l = open_log();
	struct found f = { .n = 0 };
	char path[128];
	struct stat st;
	uint64_t i;

	path_of(path, sizeof(path));
	assert_int_equal(commit(l, 7), 0);
	for (i = 100; i < 400100; i++)
		tmlog_end(l, i);
	assert_int_equal(commit(l, 8), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size < (4 << 20));
	tmlog_close(l);
	l = open_log();
	tmlog_each(l, note, &f);
	assert_int_equal(f.n, 2);
	assert_true(has(&f, 7) && has(&f, 8));
	tmlog_close(l);
}

static void *commit_many(void *arg)
{
	struct tmlog *l = arg;
	uint64_t n = 0;
	int i;

	for (i = 0; i < 200; i++) {
		if (tmlog_number(l, &n) != 0 || commit(l, n) != 0)
			return (void *)1;
		tmlog_end(l, n);
	}
	return NULL;
}

static void one_sync_serves_all_that_commit_meanwhile(void **state)
{
	struct tmlog *l = open_log();
	uint64_t syncs = 0, commits = 0;
	pthread_t t[8];
	void *r;
	int i;

	for (i = 0; i < 8; i++)
		assert_int_equal(pthread_create(&t[i], NULL, commit_many, l),
				 0);
	for (i = 0; i < 8; i++) {
		pthread_join(t[i], &r);
		assert_null(r);
	}
	tmlog_figures(l, &syncs, &commits);
	assert_int_equal(commits, 1600);
	assert_true(syncs <= commits + 1);
	tmlog_close(l);
}

/* ---- kills ---- */

static void work(void)
{
	struct tmlog *l = open_log();
	struct stat st;
	char path[128];
	uint64_t n = 0;
	int i;

	path_of(path, sizeof(path));
	told->identity = tmlog_identity(l);
	for (i = 0; i < ROUNDS; i++) {
		if (tmlog_number(l, &n) != 0)
			_exit(1);
		told->number = n;
		if (commit(l, n) != 0)
			_exit(2);
		told->committed[told->n_committed++] = n;
		if (stat(path, &st) == 0)
			told->synced = st.st_size;
		if (i % 2 == 0) {
			told->ended[told->n_ended++] = n;
			tmlog_end(l, n);
		}
	}
	tmlog_close(l);
}

static bool was_ended(uint64_t n)
{
	int i;

	for (i = 0; i < told->n_ended; i++)
		if (told->ended[i] == n)
			return true;
	return false;
}

/* All that was acknowledged is there, and no number comes again. */
static void check(void)
{
	struct tmlog *l = open_log();
	struct found f = { .n = 0 };
	uint64_t n = 0;
	int i;

	if (told->identity != 0)
		assert_int_equal(tmlog_identity(l), told->identity);
	tmlog_each(l, note, &f);
	for (i = 0; i < told->n_committed; i++)
		if (!was_ended(told->committed[i]))
			assert_true(has(&f, told->committed[i]));
	assert_int_equal(tmlog_number(l, &n), 0);
	assert_true(n > told->number);
	told->number = n;
	tmlog_close(l);
}

/* True: it was killed. */
static bool dies_at(long n)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		left = n;
		work();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		assert_int_equal(WEXITSTATUS(status), 0);
	return WIFSIGNALED(status);
}

static void a_kill_at_any_point_loses_nothing_acknowledged(void **state)
{
	long n;

	for (n = 1; n < 1000; n++) {
		told->n_committed = told->n_ended = 0;
		told->identity = 0;
		told->number = 0;
		clean(NULL);
		mkdir(folder, 0700);
		if (!dies_at(n))
			break;
		check();
		check(); /* also what the first check has written */
	}
	assert_in_range(n, 30, 999);
}

/* ---- power cuts ---- */

static char *read_file(const char *path, size_t *ret_size)
{
	struct stat st;
	char *p;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	p = malloc((size_t)st.st_size);
	assert_int_equal(read(fd, p, (size_t)st.st_size), st.st_size);
	close(fd);
	*ret_size = (size_t)st.st_size;
	return p;
}

static void write_file(const char *path, const char *p, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, size), (ssize_t)size);
	close(fd);
}

static char mark_then[32];

static void keep_mark(const char *path)
{
	char mark[160], *p;
	size_t size = 0;

	snprintf(mark, sizeof(mark), "%s.mark", path);
	p = read_file(mark, &size);
	assert_int_equal(size, sizeof(mark_then));
	memcpy(mark_then, p, size);
	free(p);
}

/* Bytes of the file that are records. */
static size_t used(const char *p, size_t size)
{
	while (size > 0 && p[size - 1] == '\0')
		size--;
	return (size + 7) / 8 * 8;
}

/* The image of a file that a power cut leaves: the first `keep` bytes. Its
 * watermark is not synced: it is as it was. */
static void cut(const char *path, const char *image, size_t size, size_t keep)
{
	char *p = malloc(size), mark[160];

	snprintf(mark, sizeof(mark), "%s.mark", path);
	write_file(mark, mark_then, sizeof(mark_then));

	memset(p, 0, size);
	memcpy(p, image, keep);
	write_file(path, p, size);
	free(p);
}

static void a_power_cut_at_any_byte_loses_nothing_synced(void **state)
{
	size_t size = 0, keep, end, before, i;
	struct tmlog *l = open_log();
	struct found f;
	char path[128], *image;

	path_of(path, sizeof(path));
	assert_int_equal(commit(l, 3), 0);
	image = read_file(path, &size);
	before = used(image, size);
	keep_mark(path);
	free(image);
	/* What follows was written, and never synced. */
	tmlog_end(l, 3);
	assert_int_equal(commit(l, 4), 0);
	tmlog_close(l);
	image = read_file(path, &size);
	end = used(image, size);
	assert_true(end > before);
	for (keep = before; keep <= end; keep++) {
		cut(path, image, size, keep);
		l = open_log();
		f.n = 0;
		tmlog_each(l, note, &f);
		for (i = 0; i < (size_t)f.n; i++)
			assert_true(f.tran[i] == 3 || f.tran[i] == 4);
		/* 3 until its end is whole; 4 as soon as it is. The last
		 * bytes of a record may be zeros. */
		if (keep <= before + 32 || keep >= before + 40)
			assert_int_equal(has(&f, 3), keep <= before + 32);
		if (keep <= end - 8 || keep == end)
			assert_int_equal(has(&f, 4), keep == end);
		tmlog_close(l);
	}
	free(image);
}

/* ---- subordinates ---- */

struct prepared {
	uint64_t tran[8];
	uint32_t by_hand[8];
	int n;
};

static void note_prepared(uint64_t tran, const struct tmlog_branch *w,
			  uint32_t n, uint32_t by_hand, void *arg)
{
	struct prepared *p = arg;

	assert_int_equal(n, 2);
	assert_int_equal(w[1].branch, tran);
	p->tran[p->n] = tran;
	p->by_hand[p->n++] = by_hand;
}

static int prepare(struct tmlog *l, uint64_t tran)
{
	const struct tmlog_branch w[2] = { { 7, 7 }, { 8, (uint32_t)tran } };

	return tmlog_prepared(l, tran, w, 2);
}

static struct prepared find_prepared(struct tmlog *l)
{
	struct prepared p = { .n = 0 };
	struct found f = { .n = 0 };

	tmlog_each_prepared(l, note_prepared, &p);
	tmlog_each(l, note, &f); /* they are no decisions */
	assert_int_equal(f.n, 0);
	return p;
}

static void what_is_prepared_is_found_until_it_ends(void **state)
{
	struct tmlog *l = open_log();
	struct prepared p;

	assert_int_equal(prepare(l, 5), 0);
	assert_int_equal(prepare(l, 6), 0);
	assert_int_equal(prepare(l, 7), 0);
	assert_int_equal(tmlog_by_hand(l, 7, 2), 0);
	tmlog_end(l, 5);
	tmlog_close(l);
	tmlog_close(open_log()); /* it is written anew each time */
	l = open_log();
	p = find_prepared(l);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.tran[0] + p.tran[1], 13);
	assert_int_equal(p.by_hand[p.tran[0] == 7 ? 0 : 1], 2);
	assert_int_equal(p.by_hand[p.tran[0] == 7 ? 1 : 0], 0);
	tmlog_end(l, 6);
	tmlog_end(l, 7);
	tmlog_close(l);
	l = open_log();
	assert_int_equal(find_prepared(l).n, 0);
	tmlog_close(l);
}

static void a_vote_that_is_cut_off_was_not_given(void **state)
{
	size_t size = 0, keep, end, before;
	struct tmlog *l = open_log();
	struct prepared p;
	char path[128], *image;

	path_of(path, sizeof(path));
	assert_int_equal(prepare(l, 3), 0);
	image = read_file(path, &size);
	before = used(image, size);
	keep_mark(path);
	free(image);
	assert_int_equal(prepare(l, 4), 0);
	tmlog_close(l);
	image = read_file(path, &size);
	end = used(image, size);
	for (keep = before; keep <= end; keep++) {
		cut(path, image, size, keep);
		l = open_log();
		p = find_prepared(l);
		if (keep <= end - 8 || keep == end)
			assert_int_equal(p.n, keep == end ? 2 : 1);
		tmlog_close(l);
	}
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define FACT(f) cmocka_unit_test_setup_teardown(f, fresh, clean)
		FACT(what_is_committed_is_found_until_it_ends),
		FACT(numbers_are_never_given_twice),
		FACT(a_log_belongs_to_one_process),
		FACT(a_file_that_is_no_log_is_refused),
		FACT(a_full_file_is_replaced),
		FACT(one_sync_serves_all_that_commit_meanwhile),
		FACT(a_kill_at_any_point_loses_nothing_acknowledged),
		FACT(a_power_cut_at_any_byte_loses_nothing_synced),
		FACT(what_is_prepared_is_found_until_it_ends),
		FACT(a_vote_that_is_cut_off_was_not_given),
	};

	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
