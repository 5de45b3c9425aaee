/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rings.c - take the spans of all processes of the domain
 */
#include "clients/ndrxotel/rings.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/proc.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"
#include "libatmi/log/log.h"
#include "libatmi/member/join.h"
#include "libatmi/span/ring.h"

#define WANT_NS	 (5 * OW_NS_PER_SEC)
#define FIND_NS	 (200 * OW_NS_PER_MS)
#define ALIVE_NS (500 * OW_NS_PER_MS) /* is its number in use? */
#define SAME_NS	 (5 * OW_NS_PER_SEC)  /* by the same process? In /proc */
#define LOOKS	 3 /* for new rings, after the folder has changed */

struct ring {
	struct ow_span_ring *ring;
	char name[64];
	struct ow_span_from from; /* of the last look */
	uint64_t alive_ns, same_ns; /* it lived then */
};

struct ow_otel_rings {
	struct ow_domain *d;
	int lock_fd;
	struct ring *ring;
	size_t n, room;
	uint64_t found_ns;
	struct timespec changed; /* the folder, when it was looked at */
	int looks;		 /* that are to follow */
	uint64_t read, gone_dropped, gone_torn; /* of rings removed */
};

static int no_room(char *why, size_t size)
{
	snprintf(why, size, "no memory");
	return -ENOMEM;
}

int ow_otel_rings_open(struct ow_otel_rings **ret, char *why, size_t size)
{
	struct ow_otel_rings *r = calloc(1, sizeof(*r));
	int e;

	if (r == NULL)
		return no_room(why, size);
	e = ow_domain_join(false, &r->d, why, size);
	if (e != 0) {
		free(r);
		return -ENOENT;
	}
	r->lock_fd = ow_span_reader_begin(r->d);
	if (r->lock_fd >= 0) {
		*ret = r;
		return 0;
	}
	e = r->lock_fd;
	snprintf(why, size, e == -EAGAIN ? "another ndrxotel reads the spans "
					   "of this domain"
					 : "%s: %s", r->d->shm_dir,
		 strerror(-e));
	ow_domain_leave(r->d);
	free(r);
	return e;
}

static void forget(struct ow_otel_rings *r, struct ring *at)
{
	struct ow_span_from from;

	ow_span_ring_from(at->ring, &from);
	r->gone_dropped += from.dropped;
	r->gone_torn += from.torn;
	ow_span_ring_close(at->ring);
	*at = r->ring[--r->n];
}

struct ow_otel_rings *ow_otel_rings_close(struct ow_otel_rings *r)
{
	if (r == NULL)
		return NULL;
	ow_otel_rings_want(r, false);
	while (r->n > 0)
		forget(r, r->ring);
	free(r->ring);
	close(r->lock_fd);
	ow_domain_leave(r->d);
	free(r);
	return NULL;
}

const struct ow_domain *ow_otel_rings_domain(const struct ow_otel_rings *r)
{
	return r->d;
}

void ow_otel_rings_choose(struct ow_otel_rings *r, uint32_t one_in,
			  uint32_t slow_ms)
{
	atomic_store(&r->d->tables->head->spans_one_in, one_in);
	atomic_store(&r->d->tables->head->spans_slow_ms, slow_ms);
}

void ow_otel_rings_want(struct ow_otel_rings *r, bool want)
{
	atomic_store(&r->d->tables->head->spans_until,
		     want ? ow_clock_mono_ns() + WANT_NS : 0);
}

/* ---- which there are ---- */

static struct ring *find(struct ow_otel_rings *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (strcmp(r->ring[i].name, name) == 0)
			return &r->ring[i];
	return NULL;
}

static void add(struct ow_otel_rings *r, const char *name)
{
	struct ow_span_ring *ring = NULL;
	size_t room = r->room == 0 ? 64 : r->room * 2;
	struct ring *p = r->ring;

	if (strlen(name) >= sizeof(p->name) ||
	    ow_span_ring_open(r->d, name, &ring) != 0)
		return; /* being made, or none of ours */
	if (r->n == r->room) {
		p = realloc(r->ring, room * sizeof(*p));
		if (p == NULL) {
			ow_span_ring_close(ring);
			return;
		}
		r->ring = p;
		r->room = room;
	}
	p = &r->ring[r->n++];
	*p = (struct ring){ .ring = ring };
	snprintf(p->name, sizeof(p->name), "%s", name);
	ow_span_ring_from(ring, &p->from);
}

/* May there be new ones? Its time is coarse: what comes in the same tick does not
 * change it. */
static bool has_changed(struct ow_otel_rings *r, const char *folder)
{
	struct stat st;

	if (stat(folder, &st) != 0)
		return true;
	if (st.st_mtim.tv_sec != r->changed.tv_sec ||
	    st.st_mtim.tv_nsec != r->changed.tv_nsec)
		r->looks = LOOKS;
	r->changed = st.st_mtim;
	return r->looks > 0;
}

static void look_for(struct ow_otel_rings *r)
{
	char folder[256];
	struct dirent *e;
	struct ring *p;
	DIR *dir;

	ow_domain_folder(r->d, folder, sizeof(folder));
	if (!has_changed(r, folder))
		return;
	r->looks--;
	dir = opendir(folder);
	if (dir == NULL)
		return;
	while ((e = readdir(dir)) != NULL) {
		if (strncmp(e->d_name, "spans.", 6) != 0)
			continue;
		p = find(r, e->d_name);
		if (p == NULL)
			add(r, e->d_name);
	}
	closedir(dir);
}

/* ---- what is in them ---- */

static bool is_dead(struct ring *p, uint64_t now)
{
	if (now < p->alive_ns + ALIVE_NS)
		return false;
	if (kill(ow_proc_id_pid(p->from.process), 0) < 0 && errno == ESRCH)
		return true;
	p->alive_ns = now;
	if (now < p->same_ns + SAME_NS)
		return false;
	p->same_ns = now;
	return !ow_proc_id_alive(p->from.process);
}

/* Take all, at most as many as the ring holds: other rings wait. */
static bool drain(struct ow_otel_rings *r, struct ring *p, bool dead,
		  ow_otel_take_fn *fn, void *arg)
{
	struct ow_otel_span s;
	uint32_t n = 0;

	s.pid = ow_proc_id_pid(p->from.process);
	memcpy(s.program, p->from.program, sizeof(s.program));
	while (n < p->from.size &&
	       ow_span_ring_take(p->ring, dead, &s.s) == 0) {
		fn(arg, &s);
		n++;
	}
	r->read += n;
	return n >= p->from.size / 4;
}

bool ow_otel_rings_take(struct ow_otel_rings *r, ow_otel_take_fn *fn,
			void *arg)
{
	uint64_t now = ow_clock_mono_ns();
	bool dead, full, soon = false;
	size_t i;

	if (now >= r->found_ns + FIND_NS) {
		r->found_ns = now;
		look_for(r);
	}
	for (i = r->n; i-- > 0;) {
		dead = is_dead(&r->ring[i], now);
		full = drain(r, &r->ring[i], dead, fn, arg);
		soon |= full;
		ow_span_ring_from(r->ring[i].ring, &r->ring[i].from);
		if (dead && r->ring[i].from.waiting == 0) {
			ow_span_ring_remove(r->d, r->ring[i].name);
			forget(r, &r->ring[i]);
		}
	}
	return soon;
}

void ow_otel_rings_count(const struct ow_otel_rings *r,
			 struct ow_otel_ring_counts *ret)
{
	size_t i;

	*ret = (struct ow_otel_ring_counts){ .read = r->read,
					     .dropped = r->gone_dropped,
					     .torn = r->gone_torn,
					     .rings = (uint32_t)r->n };
	for (i = 0; i < r->n; i++) {
		ret->dropped += r->ring[i].from.dropped;
		ret->torn += r->ring[i].from.torn;
	}
}
