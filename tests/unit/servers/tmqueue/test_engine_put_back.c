/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_engine_put_back.c - a message that nobody got comes back, also on a full
 * disk
 */
#include "tests/unit/servers/tmqueue/engine_fixture.h"

static uint64_t used_bytes(void)
{
	MDB_envinfo info;

	mdb_env_info(t.sp.store.env, &info);
	return (info.me_last_pgno + 1) * 4096;
}

/* `big` is given to a caller who is not there, while the disk has only what is
 * kept for removals. */
static void lose_caller_on_a_full_disk(const char *big)
{
	enqueue(0, 0, big);
	assert_int_equal(wait_for(0)->a.tperr, 0);
	gather();
	/* A reader keeps the pages that the message leaves. */
	assert_int_equal(mdb_txn_begin(t.sp.store.env, NULL, MDB_RDONLY,
				       &t.reader), 0);
	assert_int_equal(store_checkpoint(&t.sp.store), 0);
	dequeue(1, 0, 0);
	t.undelivered = 1;
	t.sp.store.full = true;
	t.sp.store.retry_ns = UINT64_MAX;
	t.sp.store.allocated = used_bytes() + (UINT64_C(2) << 20);
	let_go();
}

static void wait_until_it_goes_on(void)
{
	pthread_mutex_lock(&t.lock);
	while (t.held)
		pthread_cond_wait(&t.changed, &t.lock);
	pthread_mutex_unlock(&t.lock);
}

static void message_that_comes_back_later_is_whole(void **state)
{
	static char big[(4u << 20) - 1];
	const struct result *r;
	int n = 2, i;

	memset(big, 'x', sizeof(big) - 1);
	lose_caller_on_a_full_disk(big);
	for (i = 0; i < 2; i++) { /* it was tried, and found no room */
		wait_until_it_goes_on();
		gather();
		if (i == 0)
			let_go();
	}
	mdb_txn_abort(t.reader);
	t.sp.store.full = false;
	t.sp.store.retry_ns = 0;
	t.undelivered = -1;
	let_go();
	enqueue(2, 0, "next");
	assert_int_equal(wait_for(2)->a.tperr, 0);
	do { /* a second between two tries */
		usleep(500000);
		dequeue(++n, 0, TPQPEEK);
		r = wait_for(n);
	} while (r->a.len != sizeof(big) - 1 && n < 14);
	assert_int_equal(r->a.len, sizeof(big) - 1);
	assert_memory_equal(r->text, big, sizeof(r->text) - 1);
	dequeue(++n, 0, 0);
	assert_int_equal(wait_for(n)->a.tperr, 0);
	assert_queue(n + 1, "next");
}

static void message_that_comes_back_at_the_end_finds_room_on_a_full_disk(
	void **state)
{
	lose_caller_on_a_full_disk("a");
	t.engine = engine_stop(t.engine);
	mdb_txn_abort(t.reader);
	t.undelivered = -1;
	t.sp.store.full = false;
	t.sp.store.retry_ns = 0;
	assert_int_equal(engine_start(&t.engine, &t.sp, &ports), 0);
	assert_queue(2, "a");
}

static void message_that_cannot_come_back_is_named(void **state)
{
	static char big[(4u << 20) - 1];
	char command[200];

	memset(big, 'x', sizeof(big) - 1);
	lose_caller_on_a_full_disk(big);
	t.engine = engine_stop(t.engine);
	mdb_txn_abort(t.reader);
	snprintf(command, sizeof(command),
		 "grep -q 'bytes is lost' %s/ULOG*", t.folder);
	assert_int_equal(system(command), 0);
	t.sp.store.full = false;
	t.sp.store.retry_ns = 0;
	assert_int_equal(engine_start(&t.engine, &t.sp, &ports), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FACT(message_that_comes_back_later_is_whole),
		FACT(message_that_comes_back_at_the_end_finds_room_on_a_full_disk),
		FACT(message_that_cannot_come_back_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
