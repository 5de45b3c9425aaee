/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hitter.c - kill or stop a server chosen at random
 */
#include "bench/hitter.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/transport/transport.h"
#include "libatmi/wire/msg.h"
#include "libatmi/domain/prc.h"

#define STOPPED_NS (200 * OW_NS_PER_MS)
#define TRIES	   20 /* to find a living server */
/* Tries to catch a server at work: its service takes a few microseconds. */
#define CATCH_NS (40 * OW_NS_PER_MS)

static const char *const names[OW_HITS] = {
	[OW_HIT_KILL] = "kill",
	[OW_HIT_BUSY] = "busy",
	[OW_HIT_STOP] = "stop",
};

int ow_hit_parse(const char *name, enum ow_hit *ret_hit)
{
	int i;

	for (i = 0; i < OW_HITS; i++)
		if (strcmp(name, names[i]) == 0) {
			*ret_hit = (enum ow_hit)i;
			return 0;
		}
	return -EINVAL;
}

const char *ow_hit_name(enum ow_hit hit)
{
	return names[hit];
}

void ow_hitter_init(struct ow_hitter *h, struct ow_domain *d,
		    enum ow_hit kind, uint32_t servers)
{
	int i;

	*h = (struct ow_hitter){
		.d = d,
		.t = d->tables,
		.kind = kind,
		.servers = servers,
		.seed = (unsigned int)ow_clock_mono_ns(),
	};
	for (i = 0; i < OW_HITTER_STOPPED; i++)
		h->stopped[i].pidfd = -1;
}

static int send_signal(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

/* A pidfd of the living server with this id, or -1. */
static int open_server(const struct ow_tables *t, uint32_t id)
{
	pid_t pid = atomic_load(&t->srv[id].pid);
	int fd;

	if (pid <= 1)
		return -1;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd >= 0 && (!ow_srv_alive(t, id) ||
			atomic_load(&t->srv[id].pid) != pid)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The in-flight record is the receive slot, or a block of the server's. */
static bool has_request(const struct ow_hitter *h, uint32_t id)
{
	const struct ow_msg *in_hand = (const void *)ow_tables_rx(h->t, id);
	const struct ow_srv *s = &h->t->srv[id];

	if (h->d->transport->recorded != NULL)
		return in_hand->magic != 0;
	return atomic_load(&s->state) == OW_SRV_BUSY &&
	       ow_blocks_taken(h->d->blocks,
			       ow_prc_find(h->t, atomic_load(&s->pid),
					   atomic_load(&s->start)));
}

/* Any server id, or the id of a busy server; 0: there is none. */
static uint32_t choose(struct ow_hitter *h)
{
	uint32_t first = (uint32_t)rand_r(&h->seed) % h->servers, i, id;

	if (h->kind != OW_HIT_BUSY)
		return 1 + first;
	for (i = 0; i < h->servers; i++) {
		id = 1 + (first + i) % h->servers;
		if (has_request(h, id))
			return id;
	}
	return 0;
}

/* The hit that comes now, if it succeeds, is that number `h->hits`. */
static void note_time(struct ow_hitter *h)
{
	atomic_store(&h->hit_ns[h->hits % OW_HITTER_TIMES],
		     ow_clock_mono_ns());
}

uint64_t ow_hitter_first_since(const struct ow_hitter *h, uint64_t ns)
{
	uint64_t first = 0, t;
	int i;

	for (i = 0; i < OW_HITTER_TIMES; i++) {
		t = atomic_load(&h->hit_ns[i]);
		if (t >= ns && (first == 0 || t < first))
			first = t;
	}
	return first;
}

/* Kill a stopped server if it has a request in hand; otherwise continue it.
 * Takes pidfd. */
static bool kill_busy(struct ow_hitter *h, int pidfd, uint32_t id)
{
	const struct timespec pause = { .tv_nsec = 200 * 1000 };
	bool caught;

	send_signal(pidfd, SIGSTOP);
	nanosleep(&pause, NULL);
	caught = has_request(h, id);
	if (caught)
		note_time(h);
	send_signal(pidfd, caught ? SIGKILL : SIGCONT);
	close(pidfd);
	return caught;
}

static bool kill_any(struct ow_hitter *h, int pidfd)
{
	bool hit;

	note_time(h);
	hit = send_signal(pidfd, SIGKILL) == 0;
	close(pidfd);
	return hit;
}

/* Stop a server and remember to continue it. */
static bool stop_one(struct ow_hitter *h, int pidfd)
{
	int i;

	for (i = 0; i < OW_HITTER_STOPPED; i++) {
		if (h->stopped[i].pidfd >= 0)
			continue;
		h->stopped[i].pidfd = pidfd;
		h->stopped[i].until_ns = ow_clock_mono_ns() + STOPPED_NS;
		return send_signal(pidfd, SIGSTOP) == 0;
	}
	close(pidfd);
	return false;
}

static void continue_due(struct ow_hitter *h, uint64_t now)
{
	int i;

	for (i = 0; i < OW_HITTER_STOPPED; i++) {
		if (h->stopped[i].pidfd < 0 || h->stopped[i].until_ns > now)
			continue;
		send_signal(h->stopped[i].pidfd, SIGCONT);
		close(h->stopped[i].pidfd);
		h->stopped[i].pidfd = -1;
	}
}

static bool try_one(struct ow_hitter *h)
{
	uint32_t id = choose(h);
	int fd = id > 0 ? open_server(h->t, id) : -1;

	if (fd < 0)
		return false;
	switch (h->kind) {
	case OW_HIT_BUSY:
		return kill_busy(h, fd, id);
	case OW_HIT_STOP:
		return stop_one(h, fd);
	default:
		return kill_any(h, fd);
	}
}

void ow_hitter_strike(struct ow_hitter *h)
{
	uint64_t now = ow_clock_mono_ns(), end = now;
	int i;

	if (h->kind == OW_HIT_BUSY)
		end += CATCH_NS;
	continue_due(h, now);
	for (i = 0; i < TRIES || ow_clock_mono_ns() < end; i++)
		if (try_one(h)) {
			h->hits++;
			return;
		}
}

void ow_hitter_end(struct ow_hitter *h)
{
	continue_due(h, UINT64_MAX);
}
