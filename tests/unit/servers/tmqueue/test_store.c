/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_store.c - batches, journal and checkpoints of a queue space
 *
 * A store that is closed without store_finish() is what a killed tmqueue leaves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libndrx/storage/damage.h"
#include "servers/tmqueue/store.h"
#include "libatmi/base/fault.h"
#include "tests/unit/servers/folder.h"

static const char *fatal; /* the fault point that kills; NULL: none */

void ow_fault_hit(const char *name);
void ow_fault_hit(const char *name)
{
	if (fatal != NULL && strcmp(name, fatal) == 0)
		kill(getpid(), SIGKILL);
}

struct base {
	char folder[64], journal[80];
	struct store s;
	char why[1024];
};

static void open_base(struct base *b)
{
	assert_int_equal(store_open(&b->s, b->folder, "S", b->why,
				    sizeof(b->why)), 0);
}

static void again(struct base *b)
{
	store_close(&b->s);
	open_base(b);
}

static int setup(void **state)
{
	struct base *b = calloc(1, sizeof(*b));

	folder_make(b->folder, "/tmp/ow_tmqueue");
	snprintf(b->journal, sizeof(b->journal), "%s/S.tmj", b->folder);
	open_base(b);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct base *b = *state;

	store_close(&b->s);
	folder_remove(b->folder);
	free(b);
	return 0;
}

/* A batch with one record. */
static void put(struct base *b, char key, const char *value)
{
	assert_int_equal(store_begin(&b->s, 4096, false), 0);
	assert_int_equal(store_put(&b->s, b->s.order, &key, 1, value,
				   strlen(value) + 1), 0);
	assert_int_equal(store_commit(&b->s), 0);
}

/* The value of the key; "-": it is not there. */
static const char *value_of(struct base *b, char key)
{
	static char value[64];
	MDB_val v;
	int r;

	assert_int_equal(store_begin(&b->s, 0, true), 0);
	r = store_get(&b->s, b->s.order, &key, 1, &v);
	snprintf(value, sizeof(value), "%s",
		 r == 0 ? (const char *)v.mv_data : "-");
	store_abort(&b->s);
	return value;
}

static void a_batch_is_one_sync_and_a_checkpoint_has_many(void **state)
{
	struct base *b = *state;
	uint64_t before = store_commits(&b->s);
	int i;

	for (i = 0; i < 10; i++)
		put(b, 'a', "x");
	assert_int_equal(store_commits(&b->s), before + 10);
	assert_int_equal(b->s.journal.batches, 10);
	assert_int_equal(store_checkpoint(&b->s), 0);
	assert_int_equal(b->s.journal.batches, 0);
	again(b);
	assert_string_equal(value_of(b, 'a'), "x");
}

static void a_batch_that_changes_nothing_is_not_synced(void **state)
{
	struct base *b = *state;
	uint64_t before = store_commits(&b->s);

	assert_int_equal(store_begin(&b->s, 4096, false), 0);
	assert_int_equal(store_commit(&b->s), 0);
	assert_int_equal(store_commits(&b->s), before);
}

static void what_the_journal_has_outlives_the_process(void **state)
{
	struct base *b = *state;

	put(b, 'a', "1");
	put(b, 'b', "2");
	put(b, 'a', "3");
	assert_int_equal(store_begin(&b->s, 4096, false), 0);
	assert_int_equal(store_del(&b->s, b->s.order, "b", 1), 0);
	assert_int_equal(store_commit(&b->s), 0);
	again(b);
	assert_string_equal(value_of(b, 'a'), "3");
	assert_string_equal(value_of(b, 'b'), "-");
	again(b);
	assert_string_equal(value_of(b, 'a'), "3");
}

static void an_aborted_batch_takes_no_other_with_it(void **state)
{
	struct base *b = *state;

	put(b, 'a', "1");
	assert_int_equal(store_begin(&b->s, 4096, false), 0);
	assert_int_equal(store_put(&b->s, b->s.order, "a", 1, "2", 2), 0);
	assert_int_equal(store_put(&b->s, b->s.order, "b", 1, "2", 2), 0);
	store_abort(&b->s);
	assert_string_equal(value_of(b, 'a'), "1");
	assert_string_equal(value_of(b, 'b'), "-");
	put(b, 'c', "3");
	again(b);
	assert_string_equal(value_of(b, 'a'), "1");
	assert_string_equal(value_of(b, 'c'), "3");
}

static void a_journal_that_is_full_becomes_a_checkpoint(void **state)
{
	struct base *b = *state;
	char big[100000], key;
	int i;

	memset(big, 'x', sizeof(big));
	for (i = 0; i < 100; i++) {
		key = (char)('0' + i);
		assert_int_equal(store_begin(&b->s, sizeof(big), false), 0);
		assert_int_equal(store_put(&b->s, b->s.order, &key, 1, big,
					   sizeof(big)), 0);
		assert_int_equal(store_commit(&b->s), 0);
	}
	assert_in_range(b->s.journal.batches, 1, 60);
	again(b);
	for (i = 0; i < 100; i++)
		assert_string_not_equal(value_of(b, (char)('0' + i)), "-");
}

static void a_batch_larger_than_the_journal_is_committed_at_once(void **state)
{
	struct base *b = *state;
	size_t size = JOURNAL_BYTES + 1;
	char *big = calloc(1, size);

	put(b, 'a', "1");
	assert_int_equal(store_begin(&b->s, size, false), 0);
	assert_int_equal(store_put(&b->s, b->s.order, "b", 1, big, size), 0);
	assert_int_equal(store_commit(&b->s), 0);
	assert_int_equal(b->s.journal.batches, 0);
	free(big);
	put(b, 'c', "3");
	again(b);
	assert_string_equal(value_of(b, 'a'), "1");
	assert_string_equal(value_of(b, 'b'), "");
	assert_string_equal(value_of(b, 'c'), "3");
}

/* Overwrite a byte of the journal's file. */
static void damage(struct base *b, off_t at)
{
	int fd = open(b->journal, O_RDWR);
	char byte = 0;

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

/* A watermark of an earlier time: what a power cut may leave of it. */
static void keep_mark(struct base *b, bool back)
{
	static char mark[32];
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "%s/S.mark", b->folder);
	fd = open(path, O_RDWR);
	assert_int_equal(back ? pwrite(fd, mark, sizeof(mark), 0)
			      : pread(fd, mark, sizeof(mark), 0),
			 sizeof(mark));
	close(fd);
}

/* A batch fills a page here. The last one was not synced. */
static void a_batch_that_is_torn_by_a_power_cut_ends_the_journal(void **state)
{
	struct base *b = *state;

	put(b, 'a', "1");
	put(b, 'b', "2");
	keep_mark(b, false);
	put(b, 'c', "3");
	store_close(&b->s);
	damage(b, 2 * 4096 + 57);
	keep_mark(b, true);
	open_base(b);
	assert_string_equal(value_of(b, 'a'), "1");
	assert_string_equal(value_of(b, 'b'), "2");
	assert_string_equal(value_of(b, 'c'), "-");
}

static void refused(struct base *b, const char *why)
{
	struct store other;

	assert_int_equal(store_open(&other, b->folder, "S", b->why,
				    sizeof(b->why)), -EBADMSG);
	assert_non_null(strstr(b->why, why));
	assert_non_null(strstr(b->why, "xadmin repair"));
}

static void accept_damage(struct base *b)
{
	char report[96];

	snprintf(report, sizeof(report), "%s/S.tmq.damage", b->folder);
	assert_int_equal(ow_damage_accept(report), 0);
}

/* The watermark knows it, and without it the batches that follow do. */
static void damage_behind_what_was_synced_is_refused(void **state)
{
	struct base *b = *state;

	keep_mark(b, false);
	put(b, 'a', "1");
	put(b, 'b', "2");
	put(b, 'c', "3");
	store_close(&b->s);
	damage(b, 1 * 4096 + 57);
	refused(b, "ends at byte 4096 with batch 1, and batch 3 was on disk");
	keep_mark(b, true);
	refused(b, "ends at byte 4096 with batch 1, and batch 3 was on disk");
	damage(b, 1 * 4096 + 57);
	damage(b, 2 * 4096 + 57);
	open_base(b); /* torn: nothing says that it was on disk */
	assert_string_equal(value_of(b, 'b'), "2");
}

static void what_an_operator_has_accepted_is_not_accepted_again(void **state)
{
	struct base *b = *state;

	put(b, 'a', "1");
	put(b, 'b', "2");
	store_close(&b->s);
	damage(b, 4096 + 57);
	refused(b, "batch 2 was on disk");
	accept_damage(b);
	open_base(b);
	store_close(&b->s);
	open_base(b);
	store_close(&b->s);
	assert_int_equal(unlink(b->journal), 0);
	refused(b, "missing or cut short");
}

static void batches_of_an_earlier_epoch_are_not_replayed(void **state)
{
	struct base *b = *state;

	put(b, 'a', "old");
	put(b, 'b', "old");
	assert_int_equal(store_checkpoint(&b->s), 0);
	put(b, 'a', "new");
	assert_int_equal(store_begin(&b->s, 4096, false), 0);
	assert_int_equal(store_del(&b->s, b->s.order, "b", 1), 0);
	assert_int_equal(store_commit(&b->s), 0);
	assert_int_equal(store_checkpoint(&b->s), 0);
	put(b, 'c', "new"); /* in the place of the first; the second is there */
	again(b);
	assert_string_equal(value_of(b, 'a'), "new");
	assert_string_equal(value_of(b, 'b'), "-");
	assert_string_equal(value_of(b, 'c'), "new");
}

static void a_missing_or_short_journal_is_refused(void **state)
{
	struct base *b = *state;

	put(b, 'a', "1");
	store_close(&b->s);
	assert_int_equal(truncate(b->journal, 8192), 0);
	refused(b, "S.tmj is missing or cut short");
	assert_int_equal(unlink(b->journal), 0);
	refused(b, "S.tmj is missing or cut short");
	accept_damage(b);
	open_base(b);
	assert_string_equal(value_of(b, 'a'), "-");
}

static void an_older_data_base_is_refused(void **state)
{
	struct base *b = *state;
	char command[256];

	put(b, 'a', "1");
	assert_int_equal(store_checkpoint(&b->s), 0);
	snprintf(command, sizeof(command), "cp %s/S.tmq %s/older", b->folder,
		 b->folder);
	assert_int_equal(system(command), 0);
	put(b, 'b', "2");
	assert_int_equal(store_checkpoint(&b->s), 0);
	put(b, 'c', "3");
	store_close(&b->s);
	snprintf(command, sizeof(command), "cp %s/older %s/S.tmq", b->folder,
		 b->folder);
	assert_int_equal(system(command), 0);
	refused(b, "batch 3 was on disk");
}

static void after_a_proper_end_the_journal_is_not_needed(void **state)
{
	struct base *b = *state;

	put(b, 'a', "1");
	assert_int_equal(store_finish(&b->s), 0);
	store_close(&b->s);
	assert_int_equal(unlink(b->journal), 0);
	open_base(b);
	assert_string_equal(value_of(b, 'a'), "1");
}

/* What a tmqueue without checksums has left: its records are bare. */
static void make_earlier(struct base *b, uint32_t version)
{
	struct { uint32_t version, pad; uint64_t id, last, branch; } space = {
		.version = version, .id = 7, .last = 5 };
	struct { uint64_t epoch; uint32_t begun, pad; } epoch = { .epoch = 9 };
	char path[96], command[128];
	MDB_val k, v;
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi meta, order;

	store_close(&b->s);
	snprintf(command, sizeof(command), "rm -f %s/S.*", b->folder);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/S.tmq", b->folder);
	assert_int_equal(mdb_env_create(&env), 0);
	mdb_env_set_maxdbs(env, 16);
	assert_int_equal(mdb_env_open(env, path, MDB_NOSUBDIR | MDB_NOLOCK,
				      0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, "meta", MDB_CREATE, &meta), 0);
	assert_int_equal(mdb_dbi_open(txn, "order", MDB_CREATE, &order), 0);
	k = (MDB_val){ 5, (void *)"space" };
	v = (MDB_val){ sizeof(space), &space };
	assert_int_equal(mdb_put(txn, meta, &k, &v, 0), 0);
	k.mv_data = (void *)"epoch";
	v = (MDB_val){ sizeof(epoch), &epoch };
	if (version == 2)
		assert_int_equal(mdb_put(txn, meta, &k, &v, 0), 0);
	k = (MDB_val){ 1, (void *)"a" };
	v = (MDB_val){ 2, (void *)"1" };
	assert_int_equal(mdb_put(txn, order, &k, &v, 0), 0);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

static void a_data_base_without_checksums_is_taken_over(void **state)
{
	struct base *b = *state;
	uint32_t version;

	for (version = 1; version <= 2; version++) {
		make_earlier(b, version);
		open_base(b);
		assert_string_equal(value_of(b, 'a'), "1");
		put(b, 'b', "2");
		again(b);
		assert_string_equal(value_of(b, 'a'), "1");
		assert_string_equal(value_of(b, 'b'), "2");
		assert_int_equal(b->s.last, 5);
	}
}

/* A child makes a batch and a checkpoint, and is killed at the fault point. */
static void die_at(struct base *b, const char *point)
{
	int status = 0;
	pid_t pid;

	store_close(&b->s);
	pid = fork();
	if (pid == 0) {
		open_base(b);
		put(b, 'a', "1");
		put(b, 'b', "2");
		fatal = point;
		(void)store_checkpoint(&b->s);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	open_base(b);
}

static void a_kill_around_a_checkpoint_loses_nothing(void **state)
{
	static const char *const points[] = { "tmqueue.checkpoint",
					      "tmqueue.checkpointed" };
	struct base *b = *state;
	size_t i;

	for (i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		die_at(b, points[i]);
		assert_string_equal(value_of(b, 'a'), "1");
		assert_string_equal(value_of(b, 'b'), "2");
	}
}

/* Killed while it replays, and again. */
static void a_kill_while_the_journal_is_replayed_loses_nothing(void **state)
{
	struct base *b = *state;
	int status = 0;
	pid_t pid;

	put(b, 'a', "1");
	store_close(&b->s);
	pid = fork();
	if (pid == 0) {
		fatal = "tmqueue.checkpoint";
		open_base(b);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFSIGNALED(status));
	open_base(b);
	assert_string_equal(value_of(b, 'a'), "1");
}

/* Bytes of files that count as memory of this process. */
static uint64_t mapped(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*u %*u %lu", &pages), 1);
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* `n` records of `len` bytes under the numbers from 0 on, in batches of 8 MB. */
static void fill(struct base *b, uint64_t n, size_t len)
{
	char *data = calloc(1, len);
	uint64_t i;

	assert_non_null(data);
	for (i = 0; i < n; i++) {
		if (i % ((8 << 20) / len) == 0)
			assert_int_equal(store_begin(&b->s, 8 << 20, false), 0);
		assert_int_equal(store_put(&b->s, b->s.due, &i, sizeof(i),
					   data, len), 0);
		if (i + 1 == n || (i + 1) % ((8 << 20) / len) == 0)
			assert_int_equal(store_commit(&b->s), 0);
	}
	free(data);
	assert_int_equal(store_checkpoint(&b->s), 0);
}

#define MAPPED_MOST (MAPPED_WINDOWS * MAPPED_WINDOW + ((size_t)8 << 20))

static void what_was_read_stays_mapped_up_to_a_bound(void **state)
{
	struct base *b = *state;
	uint64_t i, before, most = 0;
	char link[80];
	MDB_val v;

	/* Also where its folder is reached by a link. */
	snprintf(link, sizeof(link), "%s/link", b->folder);
	assert_int_equal(symlink(b->folder, link), 0);
	store_close(&b->s);
	assert_int_equal(store_open(&b->s, link, "S", b->why, sizeof(b->why)),
			 0);
	fill(b, 144, 1 << 20);
	before = mapped();
	assert_int_equal(store_begin(&b->s, 0, true), 0);
	for (i = 0; i < 144; i++) {
		assert_int_equal(store_get(&b->s, b->s.due, &i, sizeof(i), &v),
				 0);
		most = mapped() > most ? mapped() : most;
	}
	store_abort(&b->s);
	/* Pages that are read do count. */
	assert_true(most > before + (16 << 20));
	assert_true(most < before + MAPPED_MOST);
}

static void what_is_written_over_stays_mapped_up_to_a_bound(void **state)
{
	struct base *b = *state;
	uint64_t i, n, before, most = 0;
	char data[2000] = "x";

	fill(b, 64000, sizeof(data));
	before = mapped();
	assert_int_equal(store_begin(&b->s, 8 << 20, false), 0);
	for (i = 0; i < 4000; i++) {
		n = i * 7919 % 64000; /* a prime: all over the file */
		assert_int_equal(store_put(&b->s, b->s.due, &n, sizeof(n), data,
					   sizeof(data)), 0);
		most = i % 100 == 0 && mapped() > most ? mapped() : most;
	}
	store_abort(&b->s);
	assert_true(most > before + (16 << 20));
	assert_true(most < before + MAPPED_WRITES * (128 << 10) + (8 << 20));
}

int main(void)
{
#define FACT(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		FACT(a_batch_is_one_sync_and_a_checkpoint_has_many),
		FACT(a_batch_that_changes_nothing_is_not_synced),
		FACT(what_the_journal_has_outlives_the_process),
		FACT(an_aborted_batch_takes_no_other_with_it),
		FACT(a_journal_that_is_full_becomes_a_checkpoint),
		FACT(a_batch_larger_than_the_journal_is_committed_at_once),
		FACT(a_batch_that_is_torn_by_a_power_cut_ends_the_journal),
		FACT(damage_behind_what_was_synced_is_refused),
		FACT(what_an_operator_has_accepted_is_not_accepted_again),
		FACT(an_older_data_base_is_refused),
		FACT(batches_of_an_earlier_epoch_are_not_replayed),
		FACT(a_missing_or_short_journal_is_refused),
		FACT(after_a_proper_end_the_journal_is_not_needed),
		FACT(a_data_base_without_checksums_is_taken_over),
		FACT(a_kill_around_a_checkpoint_loses_nothing),
		FACT(a_kill_while_the_journal_is_replayed_loses_nothing),
		FACT(what_was_read_stays_mapped_up_to_a_bound),
		FACT(what_is_written_over_stays_mapped_up_to_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
