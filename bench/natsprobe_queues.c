/* SPDX-License-Identifier: Apache-2.0 */
/*
 * natsprobe_queues.c - the least that one-way calls over POSIX queues can cost
 *
 *	threads -> queue -> sender -> NATS -> receiver -> queue -> servers
 *
 * Each arrow to or from a queue is a bare mq_send() or mq_receive() that blocks
 * in the kernel: no bell, no epoll, no record, no check, no deadline. The sender
 * puts what its queue holds into one message of NATS, up to 64 KB, as a bridge
 * does. What a bridge makes less than this is its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/natsprobe.h"
#include "libatmi/base/clock.h"

#define SERVERS	  4
#define DEPTH	  10 /* stock limit of fs.mqueue.msg_max */
#define GATHERED  65536
#define PROCESSES (SERVERS + 2)

struct way {
	const char *url;
	long threads, calls, size;
	mqd_t here, there;
	atomic_long *taken; /* shared by all processes */
	int ready[2];
};

/* An unlinked queue: it goes with the last process. */
static mqd_t queue_new(const struct way *w, const char *side)
{
	struct mq_attr a = { .mq_maxmsg = DEPTH, .mq_msgsize = w->size };
	char name[64];
	mqd_t q;

	snprintf(name, sizeof(name), "/natsprobe-%d-%s", getpid(), side);
	q = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &a);
	mq_unlink(name);
	if (q != (mqd_t)-1)
		return q;
	fprintf(stderr, "natsprobe: mq_open: %s\n", strerror(errno));
	exit(1);
}

static void serve(struct way *w)
{
	char *room = malloc((size_t)w->size);

	(void)!write(w->ready[1], "r", 1);
	while (mq_receive(w->there, room, (size_t)w->size, NULL) >= 0)
		atomic_fetch_add(w->taken, 1);
}

static void on_message(natsConnection *c, natsSubscription *sub, natsMsg *m,
		       void *arg)
{
	const struct way *w = arg;
	const char *p = natsMsg_GetData(m);
	const char *end = p + natsMsg_GetDataLength(m);

	(void)c;
	(void)sub;
	for (; p < end; p += w->size)
		mq_send(w->there, p, (size_t)w->size, 0);
	natsMsg_Destroy(m);
}

static void receive(struct way *w)
{
	natsConnection *c = ow_probe_connect(w->url);
	natsSubscription *sub = NULL;

	if (natsConnection_Subscribe(&sub, c, OW_PROBE_SUBJECT, on_message,
				     w) != NATS_OK ||
	    natsSubscription_SetPendingLimits(sub, -1, -1) != NATS_OK ||
	    natsConnection_Flush(c) != NATS_OK)
		exit(1);
	(void)!write(w->ready[1], "r", 1);
	for (;;)
		pause();
}

static void send_on(struct way *w)
{
	static const struct timespec past = { 0, 0 };
	natsConnection *c = ow_probe_connect(w->url);
	char *room = malloc(GATHERED);
	size_t size = (size_t)w->size, n;

	(void)!write(w->ready[1], "r", 1);
	while (mq_receive(w->here, room, size, NULL) >= 0) {
		n = size;
		while (n + size <= GATHERED &&
		       mq_timedreceive(w->here, room + n, size, NULL, &past) >=
			       0)
			n += size;
		natsConnection_Publish(c, OW_PROBE_SUBJECT, room, (int)n);
	}
}

static void *call(void *arg)
{
	const struct way *w = arg;
	char *data = calloc(1, (size_t)w->size);
	long i, n = w->calls / w->threads;

	for (i = 0; i < n; i++)
		mq_send(w->here, data, (size_t)w->size, 0);
	free(data);
	return NULL;
}

static pid_t begin(struct way *w, void (*job)(struct way *))
{
	char c;
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		job(w);
		_exit(1);
	}
	if (pid < 0 || read(w->ready[0], &c, 1) != 1)
		exit(1);
	return pid;
}

static uint64_t measure(struct way *w)
{
	pthread_t *t = calloc((size_t)w->threads, sizeof(*t));
	uint64_t begun = ow_clock_mono_ns();
	long i, all = w->calls / w->threads * w->threads;

	for (i = 0; i < w->threads; i++)
		pthread_create(&t[i], NULL, call, w);
	for (i = 0; i < w->threads; i++)
		pthread_join(t[i], NULL);
	while (atomic_load(w->taken) < all)
		usleep(100);
	free(t);
	return ow_clock_mono_ns() - begun;
}

int ow_probe_queues(const char *url, long threads, long calls, long size)
{
	struct way w = { .url = url, .threads = threads, .calls = calls,
			 .size = size };
	pid_t pid[PROCESSES];
	uint64_t took;
	int i;

	w.here = queue_new(&w, "here");
	w.there = queue_new(&w, "there");
	w.taken = mmap(NULL, sizeof(*w.taken), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w.taken == MAP_FAILED || pipe(w.ready) != 0)
		return 1;
	for (i = 0; i < SERVERS; i++)
		pid[i] = begin(&w, serve);
	pid[i++] = begin(&w, receive);
	pid[i++] = begin(&w, send_on);
	took = measure(&w);
	while (i-- > 0) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	printf("{\"calls_per_s\":%.0f}\n",
	       (double)(calls / threads * threads) * 1e9 / (double)took);
	return 0;
}
