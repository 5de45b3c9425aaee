/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots.c - commands of applications to all processes of a domain
 *
 * Stored and loaded as 64-bit words with release and acquire, as events are
 * (events.c).
 */
#include "libatmi/lcf/follow/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/base/fault.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/segment.h"
#include "libatmi/domain/domain.h"

#define MAGIC	UINT64_C(0x3146434c574f) /* "OWLCF1" */
#define VERSION 1u

#define WORDS	   ((sizeof(ndrx_lcf_command_t) + 7) / 8)
#define FEED_WORDS (NDRX_LCF_FEEDBACK_MAX / 8)

struct slot {
	_Atomic uint64_t seq;
	_Atomic uint64_t published_ns;
	_Atomic uint32_t seen, applied, failed, writing;
	_Atomic uint64_t feedback[FEED_WORDS];
	_Atomic uint64_t word[WORDS];
};

struct segment {
	uint64_t magic;
	uint64_t version;
	struct slot slot[OW_LCF_SLOTS];
};

struct ow_lcf {
	struct segment *s;
	int fd;
};

static int build(int fd, const void *arg)
{
	struct { uint64_t magic, version; } h = { MAGIC, VERSION };
	int r;

	(void)arg;
	r = ow_segment_size(fd, sizeof(struct segment));
	if (r == 0)
		r = ow_segment_reserve(fd, 0, sizeof(struct segment));
	if (r == 0 && pwrite(fd, &h, sizeof(h), 0) != sizeof(h))
		r = -EIO;
	return r;
}

/* Map what `fd` is open on: 0, -EBADMSG, -errno. */
static int map(int fd, const struct stat *st, struct ow_lcf **ret)
{
	struct ow_lcf *l = calloc(1, sizeof(*l));
	void *p;

	if (l == NULL)
		return -ENOMEM;
	p = st->st_size == (off_t)sizeof(struct segment)
		? mmap(NULL, sizeof(struct segment), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0)
		: MAP_FAILED;
	if (p == MAP_FAILED) {
		free(l);
		return -EBADMSG;
	}
	l->s = p;
	l->fd = fd;
	if (l->s->magic != MAGIC || l->s->version != VERSION) {
		munmap(p, sizeof(struct segment));
		free(l);
		return -EBADMSG;
	}
	*ret = l;
	return 0;
}

int ow_lcf_open(const struct ow_domain *d, bool make, struct ow_lcf **ret)
{
	struct stat st;
	char path[160];
	int fd, r;

	ow_domain_shm_path(d, "lcf", path, sizeof(path));
	fd = ow_owned_open(path, O_RDWR, S_IFREG, &st);
	if (fd == -ENOENT && make) {
		r = ow_segment_create(path, build, NULL);
		if (r != 0)
			return r;
		fd = ow_owned_open(path, O_RDWR, S_IFREG, &st);
	}
	if (fd < 0)
		return fd == -ENOENT ? OW_LCF_NONE : fd;
	r = map(fd, &st, ret);
	if (r != 0)
		close(fd);
	return r;
}

bool ow_lcf_is_removed(const struct ow_lcf *l)
{
	struct stat st;

	return fstat(l->fd, &st) == 0 && st.st_nlink == 0;
}

struct ow_lcf *ow_lcf_close(struct ow_lcf *l)
{
	if (l == NULL)
		return NULL;
	munmap(l->s, sizeof(struct segment));
	close(l->fd);
	free(l);
	return NULL;
}

static void write_words(_Atomic uint64_t *to, const void *from, size_t words)
{
	const char *p = from;
	uint64_t w;
	size_t i;

	for (i = 0; i < words; i++, p += 8) {
		memcpy(&w, p, 8);
		atomic_store_explicit(&to[i], w, memory_order_release);
	}
}

static void read_words(void *to, _Atomic uint64_t *from, size_t words)
{
	char *p = to;
	uint64_t w;
	size_t i;

	for (i = 0; i < words; i++, p += 8) {
		w = atomic_load_explicit(&from[i], memory_order_acquire);
		memcpy(p, &w, 8);
	}
}

int ow_lcf_publish(struct ow_lcf *l, uint32_t slot,
		   const ndrx_lcf_command_t *cmd)
{
	struct slot *s = &l->s->slot[slot];
	union { ndrx_lcf_command_t c; uint64_t w[WORDS]; } u;
	uint64_t seq, none[FEED_WORDS] = { 0 };

	if (slot >= OW_LCF_SLOTS)
		return -EINVAL;
	memset(&u, 0, sizeof(u));
	u.c = *cmd;
	if (flock(l->fd, LOCK_EX) < 0)
		return -errno;
	seq = atomic_load(&s->seq) | 1; /* odd already: a publisher died */
	u.c.cmdversion = (unsigned int)((seq + 1) / 2);
	atomic_store(&s->seq, seq);
	OW_FAULT("lcf.writing");
	write_words(s->word, &u, WORDS);
	write_words(s->feedback, none, FEED_WORDS);
	atomic_store(&s->seen, 0);
	atomic_store(&s->applied, 0);
	atomic_store(&s->failed, 0);
	atomic_store(&s->writing, 0);
	atomic_store(&s->published_ns, ow_clock_mono_ns());
	OW_FAULT("lcf.written");
	atomic_store(&s->seq, seq + 1);
	flock(l->fd, LOCK_UN);
	return 0;
}

static uint32_t version_of(uint64_t seq)
{
	return (uint32_t)(seq / 2);
}

int ow_lcf_read(struct ow_lcf *l, uint32_t slot, uint32_t known,
		ndrx_lcf_command_t *ret, struct ow_lcf_counts *ret_counts)
{
	union { ndrx_lcf_command_t c; uint64_t w[WORDS]; } u;
	union { char text[NDRX_LCF_FEEDBACK_MAX]; uint64_t w[FEED_WORDS]; } f;
	struct slot *s = &l->s->slot[slot];
	uint64_t seq;

	if (slot >= OW_LCF_SLOTS)
		return OW_LCF_NONE;
	seq = atomic_load(&s->seq);
	if (seq == 0 || seq % 2 != 0 || version_of(seq) == known)
		return OW_LCF_NONE;
	read_words(&u, s->word, WORDS);
	read_words(&f, s->feedback, FEED_WORDS);
	ret_counts->seen = atomic_load(&s->seen);
	ret_counts->applied = atomic_load(&s->applied);
	ret_counts->failed = atomic_load(&s->failed);
	ret_counts->published_ns = atomic_load(&s->published_ns);
	if (atomic_load(&s->seq) != seq)
		return OW_LCF_NONE; /* the next look finds the new one */
	*ret = u.c;
	ret->cmdversion = version_of(seq);
	ret->cmdstr[sizeof(ret->cmdstr) - 1] = '\0';
	ret->procid[sizeof(ret->procid) - 1] = '\0';
	ret->arg_a[sizeof(ret->arg_a) - 1] = '\0';
	ret->arg_b[sizeof(ret->arg_b) - 1] = '\0';
	f.text[sizeof(f.text) - 1] = '\0';
	memcpy(ret_counts->feedback, f.text, sizeof(f.text));
	return 0;
}

static bool is_current(const struct slot *s, uint32_t version)
{
	return version_of(atomic_load(&((struct slot *)s)->seq)) == version;
}

void ow_lcf_seen(struct ow_lcf *l, uint32_t slot, uint32_t version)
{
	struct slot *s = &l->s->slot[slot];

	if (is_current(s, version))
		atomic_fetch_add(&s->seen, 1);
}

void ow_lcf_done(struct ow_lcf *l, uint32_t slot, uint32_t version, int result,
		 const char *feedback)
{
	union { char text[NDRX_LCF_FEEDBACK_MAX]; uint64_t w[FEED_WORDS]; } f;
	struct slot *s = &l->s->slot[slot];
	uint32_t none = 0;

	if (!is_current(s, version))
		return;
	if (feedback[0] != '\0' &&
	    atomic_compare_exchange_strong(&s->writing, &none, 1)) {
		memset(&f, 0, sizeof(f));
		snprintf(f.text, sizeof(f.text), "%s", feedback);
		write_words(s->feedback, &f, FEED_WORDS);
		atomic_store(&s->writing, 0);
	}
	atomic_fetch_add(result == 0 ? &s->applied : &s->failed, 1);
}
