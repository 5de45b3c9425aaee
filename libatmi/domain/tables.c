/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.c - make, attach and lock the shared tables
 *
 * segment.h says how a segment comes to be. Nothing but the head is reserved
 * at first: slots and rows get their memory as they are taken.
 */
#include "libatmi/domain/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/fault.h"
#include "libatmi/domain/prc.h"
#include "libatmi/log/log.h"
#include "libatmi/base/segment.h"

#define PAGE   4096u
#define LOCK_S 10

/* Offsets of the parts. Each starts on a page of its own. */
#define OFF_HEAD 0
#define UP(x)	 (((uint64_t)(x) + PAGE - 1) / PAGE * PAGE)
#define OFF_SVC	 UP(sizeof(struct ow_tables_head))
#define OFF_SRV	 (OFF_SVC + UP(sizeof(struct ow_svc) * OW_SVC_MAX))
#define OFF_CLT	 (OFF_SRV + UP(sizeof(struct ow_srv) * OW_SRV_MAX))
#define OFF_RX	 (OFF_CLT + UP(sizeof(struct ow_clt) * OW_CLT_MAX))
#define OFF_ADV	 (OFF_RX + (uint64_t)OW_RX_SIZE * OW_SRV_MAX)
#define OFF_PRC \
	(OFF_ADV + (uint64_t)sizeof(struct ow_adv) * OW_ADV_MAX * OW_SRV_MAX)
#define SEG_SIZE (OFF_PRC + UP(sizeof(struct ow_prc) * OW_PRC_MAX))

static void read_boot_id(char *buf, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	memset(buf, 0, size);
	if (f == NULL)
		return;
	if (fgets(buf, (int)size, f) != NULL)
		buf[strcspn(buf, "\n")] = '\0';
	fclose(f);
}

/* -ENOSPC has a result of its own. */
static int space(int r)
{
	return r == -ENOSPC ? OW_TABLES_NOSPACE : r;
}

int ow_tables_reserve(const struct ow_tables *t, const void *p, size_t len)
{
	uint64_t off = (uint64_t)((const char *)p - (const char *)t->head);

	return space(ow_segment_reserve(t->fd, off, len));
}

/* Fill a fresh segment behind `fd`. */
static int build(int fd, const void *unused)
{
	struct ow_tables_head *h;
	int r;

	if (ftruncate(fd, (off_t)SEG_SIZE) < 0)
		return -errno;
	r = ow_segment_reserve(fd, OFF_HEAD, sizeof(*h));
	if (r != 0)
		return r;
	h = mmap(NULL, UP(sizeof(*h)), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 OFF_HEAD);
	if (h == MAP_FAILED)
		return -errno;
	h->version = OW_TABLES_VERSION;
	h->size = SEG_SIZE;
	read_boot_id(h->boot_id, sizeof(h->boot_id));
	ow_segment_init_lock(&h->lock);
	h->magic = OW_TABLES_MAGIC;
	munmap(h, UP(sizeof(*h)));
	return 0;
}

/* Is what lies behind `fd` a segment of ours, of this layout and boot? */
static int check_segment(int fd)
{
	struct {
		uint64_t magic;
		uint32_t version, transport;
		uint64_t size;
		char boot_id[40];
	} h; /* the head as far as it says what this is */
	char boot[sizeof(h.boot_id)];
	struct stat st;

	_Static_assert(offsetof(struct ow_tables_head, lock) >= sizeof(h),
		       "same beginning as struct ow_tables_head");
	if (fstat(fd, &st) < 0)
		return -errno;
	/* Somebody else's, under our name: nothing in it can be trusted. */
	if (st.st_uid != geteuid() && geteuid() != 0)
		return OW_TABLES_FOREIGN;
	if ((uint64_t)st.st_size != SEG_SIZE ||
	    pread(fd, &h, sizeof(h), OFF_HEAD) != (ssize_t)sizeof(h))
		return OW_TABLES_FOREIGN;
	read_boot_id(boot, sizeof(boot));
	if (h.magic != OW_TABLES_MAGIC || h.version != OW_TABLES_VERSION ||
	    h.size != SEG_SIZE || memcmp(h.boot_id, boot, sizeof(boot)) != 0)
		return OW_TABLES_FOREIGN;
	return 0;
}

static int map_segment(int fd, struct ow_tables **ret)
{
	struct ow_tables *t = calloc(1, sizeof(*t));
	char *p;

	if (t == NULL)
		return -ENOMEM;
	p = mmap(NULL, SEG_SIZE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED) {
		int e = -errno;

		free(t);
		return e;
	}
	madvise(p, SEG_SIZE, MADV_DONTDUMP);
	t->head = (struct ow_tables_head *)(p + OFF_HEAD);
	t->svc = (struct ow_svc *)(p + OFF_SVC);
	t->srv = (struct ow_srv *)(p + OFF_SRV);
	t->clt = (struct ow_clt *)(p + OFF_CLT);
	t->rx = (uint8_t(*)[OW_RX_SIZE])(p + OFF_RX);
	t->adv = (struct ow_adv(*)[OW_ADV_MAX])(p + OFF_ADV);
	t->prc = (struct ow_prc *)(p + OFF_PRC);
	t->fd = fd;
	t->writable = true;
	*ret = t;
	return 0;
}

int ow_tables_open(const char *path, bool create, struct ow_tables **ret)
{
	int fd, r, tries;

	for (tries = 0; tries < 10; tries++) {
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0)
			break;
		if (errno != ENOENT)
			return -errno;
		if (!create)
			return OW_TABLES_ABSENT;
		r = space(ow_segment_create(path, build, NULL));
		if (r != 0)
			return r;
	}
	if (fd < 0)
		return -EAGAIN;
	r = check_segment(fd);
	if (r == 0)
		r = map_segment(fd, ret);
	if (r != 0)
		close(fd);
	return r;
}

struct ow_tables *ow_tables_close(struct ow_tables *t)
{
	if (t == NULL)
		return NULL;
	munmap(t->head, SEG_SIZE);
	close(t->fd);
	free(t);
	return NULL;
}

/* Make ow_svc.nsrv agree with the rows of slots in use. Lock held. */
static void recount(struct ow_tables *t)
{
	uint32_t id, n, i, s;

	n = atomic_load(&t->head->nsvc);
	for (i = 0; i < n && i < OW_SVC_MAX; i++) {
		s = atomic_load(&t->head->svc_list[i]);
		if (s < OW_SVC_MAX)
			atomic_store(&t->svc[s].nsrv, 0);
	}
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		n = atomic_load(&t->srv[id].nadv);
		for (i = 0; i < n && i < OW_ADV_MAX; i++) {
			s = atomic_load(&t->adv[id][i].svc);
			if (s >= 1 && s <= OW_SVC_MAX)
				atomic_fetch_add(&t->svc[s - 1].nsrv, 1);
		}
	}
}

/* A mutex whose kind is not what we made it is damaged, and glibc would end
 * the process over it. */
static bool is_whole(const pthread_mutex_t *m)
{
	static _Atomic int kind = -1;
	pthread_mutex_t fresh;

	if (atomic_load(&kind) < 0) {
		ow_segment_init_lock(&fresh);
		atomic_store(&kind, fresh.__data.__kind);
	}
	return m->__data.__kind == atomic_load(&kind);
}

/* One that nobody gives back in LOCK_S seconds counts as damaged, too: it is
 * held for microseconds. */
static int try_lock(pthread_mutex_t *m)
{
	struct timespec until;

	if (!is_whole(m))
		return EINVAL;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LOCK_S;
	return pthread_mutex_timedlock(m, &until);
}

void ow_tables_lock(struct ow_tables *t)
{
	int r = try_lock(&t->head->lock);

	if (r == 0)
		return;
	if (r == EOWNERDEAD) {
		log_warn("tables: a process died holding the lock: recounting");
		recount(t);
		pthread_mutex_consistent(&t->head->lock);
		return;
	}
	log_error("tables: lock: %s: going on without it", strerror(r));
}

void ow_tables_unlock(struct ow_tables *t)
{
	if (is_whole(&t->head->lock))
		pthread_mutex_unlock(&t->head->lock);
}

/* ---- services ---- */

static uint32_t name_hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ (h >> 15);
}

/* Slots without memory must not even be looked at: reading a hole of a full
 * file system is a SIGBUS. */
static bool svc_has_memory(const struct ow_tables *t, uint32_t at)
{
	return atomic_load_explicit(&t->head->svc_map[at / 64],
				    memory_order_acquire) >> (at % 64) & 1;
}

int ow_svc_find(const struct ow_tables *t, const char *name)
{
	uint32_t i, at = name_hash(name) % OW_SVC_MAX;

	for (i = 0; i < OW_SVC_MAX; i++, at = (at + 1) % OW_SVC_MAX) {
		const struct ow_svc *s = &t->svc[at];

		if (!svc_has_memory(t, at) ||
		    atomic_load_explicit(&s->used, memory_order_acquire) == 0)
			return -1;
		if (strncmp(s->name, name, OW_SVC_NAME) == 0)
			return (int)at;
	}
	return -1;
}

/* List slot `at`, unless somebody was killed after doing so. */
static void list_svc(struct ow_tables *t, uint32_t at)
{
	uint32_t i, n = atomic_load(&t->head->nsvc);

	for (i = 0; i < n; i++)
		if (atomic_load(&t->head->svc_list[i]) == at)
			return;
	OW_FAULT("svc_name.list");
	atomic_store(&t->head->svc_list[n], at);
	OW_FAULT("svc_name.nsvc");
	atomic_store(&t->head->nsvc, n + 1);
}

int ow_svc_name(struct ow_tables *t, const char *name)
{
	uint32_t n, at;
	int found = ow_svc_find(t, name);

	if (found >= 0)
		return found;
	n = atomic_load(&t->head->nsvc);
	if (n >= OW_SVC_MAX - 1 || strlen(name) >= OW_SVC_NAME)
		return -1;
	at = name_hash(name) % OW_SVC_MAX;
	while (svc_has_memory(t, at) && atomic_load(&t->svc[at].used) != 0)
		at = (at + 1) % OW_SVC_MAX;
	if (ow_tables_reserve(t, &t->svc[at], sizeof(t->svc[at])) != 0)
		return -1;
	OW_FAULT("svc_name.map");
	atomic_fetch_or(&t->head->svc_map[at / 64], UINT64_C(1) << (at % 64));
	OW_FAULT("svc_name.name");
	memset(t->svc[at].name, 0, OW_SVC_NAME);
	memcpy(t->svc[at].name, name, strlen(name));
	atomic_store(&t->svc[at].prio, 50);
	/* Listed before it is used: a crash between leaves a nameless entry
	 * in the list, which readers skip. */
	list_svc(t, at);
	OW_FAULT("svc_name.used");
	atomic_store_explicit(&t->svc[at].used, 1, memory_order_release);
	return (int)at;
}

/* ---- servers ---- */

bool ow_srv_alive(const struct ow_tables *t, uint32_t srvid)
{
	const struct ow_srv *s = &t->srv[srvid];

	return ow_proc_alive(atomic_load(&s->pid), atomic_load(&s->start));
}

uint32_t ow_srv_next(const struct ow_tables *t, uint32_t from)
{
	uint32_t high = atomic_load(&t->head->srv_high);
	uint64_t word;

	if (high > OW_SRV_MAX)
		high = OW_SRV_MAX;
	while (from < high) {
		word = atomic_load(&t->head->srv_map[from / 64]);
		word >>= from % 64;
		if (word != 0) {
			from += (uint32_t)__builtin_ctzll(word);
			return from < high ? from : 0;
		}
		from = (from / 64 + 1) * 64;
	}
	return 0;
}

static void raise_mark(_Atomic uint32_t *mark, uint32_t to)
{
	uint32_t old = atomic_load(mark);

	while (old < to && !atomic_compare_exchange_weak(mark, &old, to))
		;
}

/* Reserve the pages that server `srvid` writes without asking again. */
static int reserve_srv(struct ow_tables *t, uint32_t srvid)
{
	int r = ow_tables_reserve(t, &t->srv[srvid], sizeof(t->srv[srvid]));

	if (r == 0)
		r = ow_tables_reserve(t, t->rx[srvid], OW_RX_SIZE);
	if (r == 0)
		r = ow_tables_reserve(t, t->adv[srvid], PAGE);
	return r;
}

int ow_srv_know(struct ow_tables *t, uint32_t srvid)
{
	int r = reserve_srv(t, srvid);

	if (r != 0)
		return r;
	ow_tables_lock(t);
	atomic_fetch_or(&t->head->srv_map[srvid / 64],
			UINT64_C(1) << (srvid % 64));
	raise_mark(&t->head->srv_high, srvid + 1);
	ow_tables_unlock(t);
	return 0;
}

int ow_srv_need_row(struct ow_tables *t, uint32_t srvid, uint32_t row)
{
	return ow_tables_reserve(t, &t->adv[srvid][row],
				 sizeof(t->adv[srvid][row]));
}

/* A namesake of this process, dead and not reaped yet, is somebody else. */
static bool is_others(const struct ow_srv *s)
{
	return atomic_load(&s->pid) != 0 &&
	       (atomic_load(&s->pid) != getpid() ||
		atomic_load(&s->start) != ow_proc_start_self());
}

int ow_srv_take(struct ow_tables *t, uint32_t srvid, const char *bin)
{
	struct ow_srv *s = &t->srv[srvid];
	int r = reserve_srv(t, srvid);

	if (r != 0)
		return r;
	if (ow_proc_start_self() == 0)
		return -EMFILE; /* /proc cannot be read: we would look dead */
	ow_tables_lock(t);
	if (is_others(s)) {
		ow_tables_unlock(t);
		return OW_TABLES_TAKEN;
	}
	OW_FAULT("srv_take.bin");
	memset(s->bin, 0, sizeof(s->bin));
	strncpy(s->bin, bin, sizeof(s->bin) - 1);
	OW_FAULT("srv_take.nadv");
	atomic_store(&s->nadv, 0);
	atomic_store(&s->cur_adv, 0);
	atomic_store(&s->requests, 0);
	atomic_store(&s->garbage, 0);
	atomic_store(&s->wakeups, 0);
	atomic_store(&s->lost_replies, 0);
	OW_FAULT("srv_take.rx");
	memset(t->rx[srvid], 0, 64);
	OW_FAULT("srv_take.map");
	atomic_fetch_or(&t->head->srv_map[srvid / 64],
			UINT64_C(1) << (srvid % 64));
	OW_FAULT("srv_take.high");
	raise_mark(&t->head->srv_high, srvid + 1);
	OW_FAULT("srv_take.start");
	atomic_store(&s->start, ow_proc_start_self());
	OW_FAULT("srv_take.pid");
	atomic_store(&s->pid, getpid());
	OW_FAULT("srv_take.state");
	atomic_store(&s->state, OW_SRV_STARTING);
	OW_FAULT("srv_take.unlock");
	ow_tables_unlock(t);
	return 0;
}

void ow_srv_clear(struct ow_tables *t, uint32_t srvid)
{
	struct ow_srv *s = &t->srv[srvid];

	atomic_store(&s->state, OW_SRV_FREE);
	OW_FAULT("srv_clear.cur");
	atomic_store(&s->cur_adv, 0);
	OW_FAULT("srv_clear.nadv");
	atomic_store(&s->nadv, 0);
	OW_FAULT("srv_clear.start");
	atomic_store(&s->start, 0);
	OW_FAULT("srv_clear.pid");
	atomic_store(&s->pid, 0);
	OW_FAULT("srv_clear.end");
}

/* ---- client contexts ---- */

/* First free slot from the hint on; slots past the mark are free, and their
 * pages must be reserved before anybody looks at them. Lock held. */
static int find_free(struct ow_tables *t, uint32_t *ret_slot)
{
	uint32_t i, at, hint = atomic_load(&t->head->clt_hint);
	int r;

	for (i = 0; i < OW_CLT_MAX; i++) {
		at = (hint + i) % OW_CLT_MAX;
		if (at >= atomic_load(&t->head->clt_high)) {
			r = ow_tables_reserve(t, &t->clt[at],
					      sizeof(t->clt[at]));
			if (r != 0)
				return r;
		}
		if ((atomic_load(&t->clt[at].gen) & 1) == 0) {
			*ret_slot = at;
			return 0;
		}
	}
	return OW_TABLES_LIMIT;
}

int ow_clt_take(struct ow_tables *t, uint32_t *ret_slot)
{
	struct ow_clt *c;
	uint32_t at = 0, prc;
	int r;

	if (ow_proc_start_self() == 0)
		return -EMFILE; /* /proc cannot be read: we would look dead */
	prc = ow_prc_self(t);
	if (prc == 0)
		return OW_TABLES_NOSPACE;
	ow_tables_lock(t);
	r = find_free(t, &at);
	if (r != 0) {
		ow_tables_unlock(t);
		return r;
	}
	c = &t->clt[at];
	OW_FAULT("clt_take.start");
	atomic_store(&c->start, ow_proc_start_self());
	OW_FAULT("clt_take.pid");
	atomic_store(&c->pid, getpid());
	OW_FAULT("clt_take.counters");
	atomic_store(&c->calls, 0);
	atomic_store(&c->timeouts, 0);
	atomic_store(&c->late, 0);
	atomic_store(&c->outstanding, 0);
	atomic_store(&c->prc, prc);
	memset(c->queue, 0, sizeof(c->queue));
	memset(c->cltid, 0, sizeof(c->cltid));
	/* In use only when every scan finds it. */
	OW_FAULT("clt_take.high");
	raise_mark(&t->head->clt_high, at + 1);
	OW_FAULT("clt_take.gen");
	atomic_fetch_add(&c->gen, 1);
	OW_FAULT("clt_take.hint");
	atomic_store(&t->head->clt_hint, at + 1);
	OW_FAULT("clt_take.unlock");
	ow_tables_unlock(t);
	*ret_slot = at;
	return 0;
}

void ow_clt_clear(struct ow_tables *t, uint32_t slot)
{
	struct ow_clt *c = &t->clt[slot];

	if ((atomic_load(&c->gen) & 1) != 0)
		atomic_fetch_add(&c->gen, 1);
	OW_FAULT("clt_clear.pid");
	atomic_store(&c->pid, 0);
	OW_FAULT("clt_clear.start");
	atomic_store(&c->start, 0);
	OW_FAULT("clt_clear.hint");
	if (slot < atomic_load(&t->head->clt_hint))
		atomic_store(&t->head->clt_hint, slot);
}
