/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durable.c - durable queues, and bare commits of LMDB to compare them with
 *
 *	durable queue THREADS MESSAGES BYTES	through tmqueue, queue Q of space S
 *	durable put THREADS MESSAGES BYTES	the same, and the messages stay
 *	durable bare BATCH MESSAGES BYTES FILE	BATCH messages a commit
 *
 * All messages are put, then taken (put: not taken). The result is one JSON object.
 */
#include <lmdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <atmi.h>

#include "libatmi/base/clock.h"

#define PATIENCE 1000 /* tries to reach tmqueue, 10 ms each */
#define THREADS	 256

static long each, bytes;
static pthread_barrier_t phase;
static bool takes = true;

static void report(long n, uint64_t put_ns, uint64_t get_ns, long failed)
{
	printf("{\"failed\":%ld,\"put_per_s\":%.0f,\"get_per_s\":%.0f}\n",
	       failed, (double)n * 1e9 / (double)put_ns,
	       (double)n * 1e9 / (double)get_ns);
}

/* ---- through tmqueue ---- */

static int put(char *data)
{
	TPQCTL c;

	memset(&c, 0, sizeof(c));
	return tpenqueue((char *)"S", (char *)"Q", &c, data, bytes, 0);
}

static int get(char **data)
{
	long len = 0;
	TPQCTL c;

	memset(&c, 0, sizeof(c));
	return tpdequeue((char *)"S", (char *)"Q", &c, data, &len, 0);
}

static void *work(void *arg)
{
	char *data = tpalloc((char *)"CARRAY", NULL, bytes);
	long i, failed = 0;

	memset(data, 'x', (size_t)bytes);
	pthread_barrier_wait(&phase);
	for (i = 0; i < each; i++)
		failed += put(data) != 0;
	pthread_barrier_wait(&phase);
	for (i = 0; i < each && takes; i++)
		failed += get(&data) != 0;
	pthread_barrier_wait(&phase);
	tpfree(data);
	tpterm();
	return (void *)(intptr_t)failed;
}

static int through_tmqueue(long n)
{
	pthread_t threads[THREADS];
	char *data = tpalloc((char *)"CARRAY", NULL, bytes);
	uint64_t t[3];
	void *failed;
	long i, sum = 0;

	/* tmqueue is being started. */
	for (i = 0; i < PATIENCE && put(data) != 0; i++)
		usleep(10000);
	if (get(&data) != 0)
		return 1;
	pthread_barrier_init(&phase, NULL, (unsigned int)n + 1);
	for (i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (i = 0; i < 3; i++) {
		pthread_barrier_wait(&phase);
		t[i] = ow_clock_mono_ns();
	}
	for (i = 0; i < n; i++) {
		pthread_join(threads[i], &failed);
		sum += (long)(intptr_t)failed;
	}
	report(n * each, t[1] - t[0], t[2] - t[1], sum);
	tpfree(data);
	return tpterm();
}

/* ---- bare ---- */

static void must(int r)
{
	if (r == 0)
		return;
	fprintf(stderr, "durable: %s\n", mdb_strerror(r));
	exit(1);
}

static void put_batch(MDB_env *env, MDB_dbi dbi, long from, long batch,
		      char *data)
{
	MDB_val v = { (size_t)bytes, data };
	MDB_txn *txn;
	uint64_t n;
	long i;

	must(mdb_txn_begin(env, NULL, 0, &txn));
	for (i = 0; i < batch; i++) {
		n = (uint64_t)(from + i);
		must(mdb_put(txn, dbi, &(MDB_val){ sizeof(n), &n }, &v,
			     MDB_APPEND));
	}
	must(mdb_txn_commit(txn));
}

static void get_batch(MDB_env *env, MDB_dbi dbi, long batch, char *data)
{
	MDB_cursor *c;
	MDB_val k, v;
	MDB_txn *txn;
	long i;

	must(mdb_txn_begin(env, NULL, 0, &txn));
	must(mdb_cursor_open(txn, dbi, &c));
	for (i = 0; i < batch; i++) {
		must(mdb_cursor_get(c, &k, &v, MDB_FIRST));
		memcpy(data, v.mv_data, v.mv_size);
		must(mdb_cursor_del(c, 0));
	}
	mdb_cursor_close(c);
	must(mdb_txn_commit(txn));
}

static int bare(long batch, const char *path)
{
	char *data = calloc(1, (size_t)bytes);
	long n = each / batch * batch, i;
	uint64_t t[3];
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;

	must(mdb_env_create(&env));
	must(mdb_env_set_mapsize(env, (size_t)1 << 34));
	must(mdb_env_open(env, path, MDB_NOSUBDIR | MDB_NOLOCK, 0600));
	must(mdb_txn_begin(env, NULL, 0, &txn));
	must(mdb_dbi_open(txn, NULL, MDB_INTEGERKEY, &dbi));
	must(mdb_txn_commit(txn));
	t[0] = ow_clock_mono_ns();
	for (i = 0; i < n; i += batch)
		put_batch(env, dbi, i, batch, data);
	t[1] = ow_clock_mono_ns();
	for (i = 0; i < n; i += batch)
		get_batch(env, dbi, batch, data);
	t[2] = ow_clock_mono_ns();
	report(n, t[1] - t[0], t[2] - t[1], 0);
	mdb_env_close(env);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (argc < 5 || n < 1 || n > THREADS)
		return 2;
	each = atol(argv[3]);
	bytes = atol(argv[4]);
	if (strcmp(argv[1], "bare") == 0)
		return argc > 5 ? bare(n, argv[5]) : 2;
	takes = strcmp(argv[1], "put") != 0;
	each /= n;
	return through_tmqueue(n);
}
