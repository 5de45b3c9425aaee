/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shmq_servers.h - servers of a queue in shared memory that tests wake
 */
#ifndef OW_SHMQ_SERVERS_H
#define OW_SHMQ_SERVERS_H

#include "tests/unit/libatmi/transport/shm/shmq_test.h"

#include "libatmi/wire/msg.h"
#include "libatmi/transport/shm/shmq.h"
#include "libatmi/transport/shm/segment.h"

#define SERVERS 6

static uint64_t tick_ns; /* period at which server 1 polls; 0: never */

/* A server's loop; served[] counts, awake[] counts its wake-ups. */
static inline void serve(uint32_t srvid, const char *name)
{
	struct ow_waitset *w = NULL;
	struct ow_queue *q = NULL;
	uint32_t tag = 0;

	if (ow_srv_take(dom->tables, srvid, "t") != 0 ||
	    ow_queue_open(dom, ow_service_queue(name), &q) != 0 ||
	    ow_waitset_open(dom, srvid, &w) != 0)
		_exit(1);
	assert_int_equal(ow_tables_lock(dom->tables), 0);
	if (ow_waitset_add_queue(w, q, 3) != 0)
		_exit(2);
	ow_tables_unlock(dom->tables);
	if (srvid == 1)
		ow_waitset_tick(w, tick_ns);
	atomic_store(&shared->awake[srvid], 1);
	for (;;) {
		if (ow_waitset_wait(w, true, &tag, NULL) != 0 ||
		    tag == OW_WAITSET_TICK)
			continue;
		atomic_fetch_add(&shared->awake[srvid], 1);
		if (recv_id(q, OW_DEADLINE_NOW) >= 0)
			atomic_fetch_add(&shared->served[srvid], 1);
	}
}

static inline bool is_asleep(uint32_t id)
{
	return atomic_load(&dom->tables->srv[id].wake_word) == OW_WORD_IDLE;
}

static inline uint32_t all_served(void)
{
	uint32_t i, n = 0;

	for (i = 1; i <= SERVERS; i++)
		n += atomic_load(&shared->served[i]);
	return n;
}

static inline bool all_asleep_but(uint32_t id)
{
	uint32_t i;

	for (i = 1; i <= SERVERS; i++)
		if (i != id && !is_asleep(i))
			return false;
	return true;
}

static inline bool all_asleep(void)
{
	return all_asleep_but(0);
}

static inline void start_servers(const char *name, pid_t *pid)
{
	uint32_t i;

	clear_shared();
	for (i = 1; i <= SERVERS; i++) {
		pid[i] = test_fork();
		if (pid[i] == 0)
			serve(i, name);
		WAIT_FOR(atomic_load(&shared->awake[i]) == 1 && is_asleep(i));
	}
	WAIT_FOR(all_asleep());
}

static inline char proc_state(pid_t pid)
{
	char path[40], text[512] = "", *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f == NULL)
		return 'X';
	if (fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	fclose(f);
	end = strrchr(text, ')');
	return end != NULL ? end[2] : 'X';
}

/*
 * Are messages left in the queue while every server sleeps, at 20 looks in a
 * row? A woken server that waits for a CPU is in state R: not asleep.
 */
static inline bool lost(const pid_t *pid, uint32_t n)
{
	struct timespec nap = { .tv_nsec = 1000000 };
	uint32_t i, look;

	for (look = 0; look < 20; look++) {
		for (i = 1; i <= SERVERS; i++)
			if (proc_state(pid[i]) == 'R')
				return false;
		if (all_served() >= n)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

static inline void stop_servers(const pid_t *pid)
{
	uint32_t i;

	for (i = 1; i <= SERVERS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
		ow_reap_server(dom, i, false);
	}
}

/* Send n messages, each when all servers sleep. */
static inline void send_apart(struct ow_queue *q, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		WAIT_FOR(all_asleep());
		assert_int_equal(send_id(q, i, 50, OW_DEADLINE_NOW), 0);
		WAIT_FOR(all_served() == i + 1);
	}
}

/* As a sender that dies between putting its message and waking. */
static inline void put_silently(const char *svc)
{
	struct ow_shmq *q = NULL;
	uint64_t ref = 0;
	struct ow_msg *m;
	void *data;

	assert_int_equal(ow_shmq_open(dom, svc, &q), 0);
	assert_int_equal(ow_block_alloc(dom->blocks, sizeof(uint32_t), 0, &ref,
					&data), 0);
	m = ow_block_msg(dom->blocks, ref);
	*m = (struct ow_msg){ .magic = OW_MSG_MAGIC,
			      .version = OW_MSG_VERSION,
			      .kind = OW_MSG_REQUEST,
			      .buftype = OW_BUF_CARRAY,
			      .len = sizeof(uint32_t) };
	memset(data, 0, sizeof(uint32_t));
	ow_block_post(dom->blocks, ref, OW_BLOCK_QUEUED);
	assert_int_equal(ow_shmq_put(q, ref, 50, NULL), 0);
	ow_shmq_close(q);
}

#endif
