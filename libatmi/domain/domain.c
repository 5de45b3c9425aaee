/* SPDX-License-Identifier: Apache-2.0 */
/*
 * domain.c - read the environment, attach the segments
 *
 * The domain of a process is the one object that all its threads share. It
 * is made under a lock and kept, until it is found removed and the last
 * context that used it has left.
 */
#include "libatmi/domain/domain.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/transport/block/block.h"
#include "libatmi/base/env.h"
#include "libatmi/base/forks.h"
#include "libatmi/log/log.h"
#include "libatmi/transport/shm/mailbox.h"
#include "libatmi/transport/shm/shmq.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"

/* Queue shapes on stock limits: 73 service queues, or 168 clients. */
#define SVC_MAXMSG  10u
#define SVC_MSGSIZE 1024u
#define REP_MAXMSG  8u
#define REP_MSGSIZE 512u
#define MSGSIZE_MIN 192u

static pthread_mutex_t join_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ow_domain *joined;

static uint32_t proc_limit(const char *name, uint32_t dflt)
{
	char path[64], buf[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/fs/mqueue/%s", name);
	f = fopen(path, "re");
	if (f == NULL)
		return dflt;
	if (fgets(buf, sizeof(buf), f) != NULL)
		dflt = (uint32_t)strtoul(buf, NULL, 10);
	fclose(f);
	return dflt;
}

static uint32_t clamp(uint32_t v, uint32_t lo, uint32_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

/* Queue shapes: the defaults, or what the environment asks for, cut down to
 * what the kernel allows. */
static void read_shapes(struct ow_domain *d)
{
	uint32_t max = proc_limit("msg_max", 10);
	uint32_t size = proc_limit("msgsize_max", 8192);
	struct rlimit rl;
	long v = 0;

	d->svc_maxmsg = SVC_MAXMSG;
	d->svc_msgsize = SVC_MSGSIZE;
	d->rep_maxmsg = REP_MAXMSG;
	d->rep_msgsize = REP_MSGSIZE;
	d->shm_limit = OW_SHMQ_LIMIT;
	if (ow_env_long("NDRX_MSGMAX", 0, 0, 1000000, &v) == 0 && v > 0)
		d->svc_maxmsg = d->rep_maxmsg = d->shm_limit = (uint32_t)v;
	if (ow_env_long("NDRX_MSGSIZEMAX", 0, 0, INT32_MAX, &v) == 0 && v > 0)
		d->svc_msgsize = d->rep_msgsize =
		    v > OW_RX_SIZE ? OW_RX_SIZE : (uint32_t)v;
	d->svc_maxmsg = clamp(d->svc_maxmsg, 1, max);
	d->rep_maxmsg = clamp(d->rep_maxmsg, 1, max);
	d->svc_msgsize = clamp(d->svc_msgsize, MSGSIZE_MIN, size);
	d->rep_msgsize = clamp(d->rep_msgsize, MSGSIZE_MIN, size);
	if (getrlimit(RLIMIT_MSGQUEUE, &rl) == 0 &&
	    rl.rlim_cur != RLIM_INFINITY)
		d->mq_limit = rl.rlim_cur;
}

static int read_prefix(struct ow_domain *d, char *why, size_t size)
{
	const char *p = getenv("NDRX_QPREFIX");

	if (p == NULL || *p == '\0') {
		snprintf(why, size,
			 "NDRX_QPREFIX is not set: it names the domain, "
			 "e.g. NDRX_QPREFIX=/bank");
		return -EINVAL;
	}
	if (*p == '/')
		p++;
	if (*p == '\0' || strlen(p) > OW_PREFIX_MAX ||
	    strpbrk(p, "/, \t\n") != NULL) {
		snprintf(why, size,
			 "NDRX_QPREFIX=\"%.60s\": want 1 to %d characters, no "
			 "'/', ',' or blank (one leading '/' is fine)",
			 getenv("NDRX_QPREFIX"), OW_PREFIX_MAX);
		return -EINVAL;
	}
	snprintf(d->prefix, sizeof(d->prefix), "%s", p);
	return 0;
}

static const char *const transport_words[OW_TRANSPORT_END] = {
#define X(name, word) [OW_TRANSPORT_##name] = word,
	OW_TRANSPORTS(X)
#undef X
};

static const struct {
	const char *word;
	enum ow_transport_id transport;
} wakes[OW_WAKE_END] = {
#define X(name, word, transport)                                             \
	[OW_WAKE_##name] = { word, OW_TRANSPORT_##transport },
	OW_WAKES(X)
#undef X
};

const char *ow_wake_word(enum ow_wake wake)
{
	return wake < OW_WAKE_END ? wakes[wake].word : "?";
}

const char *ow_transport_word(enum ow_transport_id transport)
{
	return transport < OW_TRANSPORT_END ? transport_words[transport] : "?";
}

static enum ow_wake default_wake(enum ow_transport_id t)
{
	return t == OW_TRANSPORT_SHM ? OW_WAKE_HOT : OW_WAKE_BELL;
}

static int read_wake(struct ow_domain *d, char *why, size_t size)
{
	const char *w = ow_env_str("NDRX_WAKE", NULL);
	int i;

	d->wake = default_wake(d->transport);
	d->wake_given = w != NULL;
	for (i = 0; w != NULL && i < OW_WAKE_END; i++)
		if (strcmp(w, wakes[i].word) == 0) {
			d->wake = (enum ow_wake)i;
			return 0;
		}
	if (w == NULL)
		return 0;
	snprintf(why, size,
		 "NDRX_WAKE=\"%.40s\": want bell, even, exclusive or herd "
		 "(transport posix), hot or even (shm)", w);
	return -EINVAL;
}

static int read_transport(struct ow_domain *d, char *why, size_t size)
{
	const char *t = ow_env_str("NDRX_TRANSPORT", NULL);
	int i;

	d->transport = OW_TRANSPORT_POSIX;
	d->transport_given = t != NULL;
	for (i = 0; t != NULL && i < OW_TRANSPORT_END; i++)
		if (strcmp(t, transport_words[i]) == 0) {
			d->transport = (enum ow_transport_id)i;
			return 0;
		}
	if (t == NULL)
		return 0;
	snprintf(why, size, "NDRX_TRANSPORT=\"%.40s\": want posix or shm", t);
	return -EINVAL;
}

static int read_paths(struct ow_domain *d, char *why, size_t size)
{
	const char *home = getenv("NDRX_APPHOME");
	const char *shm = ow_env_str("NDRX_SHMPATH", "/dev/shm");

	if (strlen(shm) >= sizeof(d->shm_dir) || shm[0] != '/') {
		snprintf(why, size,
			 "NDRX_SHMPATH=\"%.60s\": want an absolute path of at "
			 "most %zu characters, as /dev/shm",
			 shm, sizeof(d->shm_dir) - 1);
		return -EINVAL;
	}
	snprintf(d->shm_dir, sizeof(d->shm_dir), "%s", shm);
	if (home == NULL || *home == '\0')
		return 0;
	if (strlen(home) + 5 > sizeof(d->run_dir)) {
		snprintf(why, size, "NDRX_APPHOME: longer than %zu characters",
			 sizeof(d->run_dir) - 5);
		return -EINVAL;
	}
	snprintf(d->run_dir, sizeof(d->run_dir), "%s/run", home);
	snprintf(d->sock, sizeof(d->sock), "%s/ndrxd.sock", d->run_dir);
	return 0;
}

int ow_domain_read_env(struct ow_domain *d, char *why, size_t size)
{
	uint64_t ms = 60000;
	int r;

	memset(d, 0, sizeof(*d));
	r = read_prefix(d, why, size);
	if (r == 0)
		r = read_paths(d, why, size);
	if (r == 0)
		r = read_transport(d, why, size);
	if (r == 0)
		r = read_wake(d, why, size);
	if (r != 0)
		return r;
	if (ow_env_ms("NDRX_TOUT", 60000, &ms) != 0 || ms == 0)
		ms = 60000;
	d->tout_ms = ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
	if (ow_env_long("NDRX_NODEID", 1, 1, 32, &d->nodeid) != 0)
		d->nodeid = 1;
	read_shapes(d);
	return 0;
}

void ow_domain_shm_path(const struct ow_domain *d, const char *kind, char *buf,
			size_t size)
{
	snprintf(buf, size, "%s/%s,shm,%s", d->shm_dir, d->prefix, kind);
}

void ow_domain_log_orders(const struct ow_domain *d, char *buf, size_t size)
{
	snprintf(buf, size, "%s/%s,log", d->shm_dir, d->prefix);
}

static void explain(int r, const char *path, char *why, size_t size)
{
	switch (r) {
	case OW_TABLES_ABSENT:
		snprintf(why, size, "no such domain: %s is not there", path);
		break;
	case OW_TABLES_FOREIGN:
		snprintf(why, size,
			 "%s is not a segment of this version (damaged, of "
			 "another release, or from before a reboot): "
			 "`xadmin down -y` clears it away",
			 path);
		break;
	case OW_TABLES_NOSPACE:
		snprintf(why, size, "%s: no room on that file system", path);
		break;
	default:
		snprintf(why, size, "%s: %s", path, strerror(-r));
	}
}

/* The word that the domain's first process has set, or ours if we are it;
 * 0: nobody has, and it is not for us. */
static uint32_t agree_on(_Atomic uint32_t *word, uint32_t mine, bool create)
{
	struct timespec nap = { .tv_nsec = 1000 * 1000 };
	uint32_t v = 0;
	int tries;

	if (create && atomic_compare_exchange_strong(word, &v, mine))
		return mine;
	/* Whoever makes the tables says so at once. */
	for (tries = 0; (v = atomic_load(word)) == 0 && tries < 100; tries++)
		nanosleep(&nap, NULL);
	return v;
}

/* The first process of a domain decides what messages travel in. */
static int agree_on_transport(struct ow_domain *d, bool create, char *why,
			      size_t size)
{
	uint32_t v = agree_on(&d->tables->head->transport, d->transport + 1,
			      create);
	enum ow_transport_id t = (enum ow_transport_id)(v - 1);

	if (v == 0 || v > OW_TRANSPORT_END)
		return 0; /* damaged: keep ours */
	if (t != d->transport && d->transport_given) {
		snprintf(why, size,
			 "NDRX_TRANSPORT=%s: domain %s runs on %s: stop it "
			 "first, or unset NDRX_TRANSPORT",
			 transport_words[d->transport], d->prefix,
			 transport_words[t]);
		return -EINVAL;
	}
	if (t != d->transport && !d->wake_given)
		d->wake = default_wake(t);
	d->transport = t;
	return 0;
}

static int check_wake(const struct ow_domain *d, char *why, size_t size)
{
	if (wakes[d->wake].transport == d->transport ||
	    wakes[d->wake].transport == OW_TRANSPORT_ANY)
		return 0;
	snprintf(why, size, "NDRX_WAKE=%s: not a way of transport %s, which "
		 "has %s", wakes[d->wake].word, transport_words[d->transport],
		 d->transport == OW_TRANSPORT_SHM ? "hot and even"
						  : "bell, even, exclusive, "
						    "herd");
	return -EINVAL;
}

/* On posix the first process of a domain decides how its servers are woken;
 * senders must agree with them. On shm each queue knows it itself. */
static void agree_on_wake(struct ow_domain *d, bool create)
{
	uint32_t v = agree_on(&d->tables->head->wake, d->wake + 1, create);

	if (v == 0 || v > OW_WAKE_END || v == d->wake + 1u ||
	    (d->transport == OW_TRANSPORT_SHM && d->wake_given))
		return;
	if (d->wake_given)
		log_warn("domain %s wakes by %s: NDRX_WAKE=%s has no effect "
			 "until it is stopped and started",
			 d->prefix, wakes[v - 1].word, wakes[d->wake].word);
	d->wake = (enum ow_wake)(v - 1);
}

void ow_domain_learn(struct ow_domain *d)
{
	uint32_t t = atomic_load(&d->tables->head->transport);
	uint32_t w = atomic_load(&d->tables->head->wake);

	if (t >= 1 && t <= OW_TRANSPORT_END)
		d->transport = (enum ow_transport_id)(t - 1);
	if (w >= 1 && w <= OW_WAKE_END)
		d->wake = (enum ow_wake)(w - 1);
}

/* What all processes of the domain must have in common. */
static int agree(struct ow_domain *d, bool create, char *why, size_t size)
{
	int r = agree_on_transport(d, create, why, size);

	if (r == 0)
		r = check_wake(d, why, size);
	if (r == 0)
		agree_on_wake(d, create);
	return r;
}

/* Open the tables. One that is being removed is waited for: who makes the
 * domain anew must not slip into the old one. */
static int open_tables(const char *path, bool create, struct ow_tables **ret)
{
	struct timespec nap = { .tv_nsec = 10 * 1000 * 1000 };
	int r, tries;

	for (tries = 0; tries < 300; tries++) {
		r = ow_tables_open(path, create, ret);
		if (r != 0 || atomic_load(&(*ret)->head->gone) == 0)
			return r;
		*ret = ow_tables_close(*ret);
		if (!create)
			return OW_TABLES_ABSENT;
		nanosleep(&nap, NULL);
	}
	return -EBUSY;
}

static int attach(struct ow_domain *d, bool create, char *why, size_t size)
{
	char path[160];
	int r;

	ow_domain_shm_path(d, "tables", path, sizeof(path));
	r = open_tables(path, create, &d->tables);
	if (r != 0) {
		explain(r, path, why, size);
		return r;
	}
	r = agree(d, create, why, size);
	if (r != 0) {
		d->tables = ow_tables_close(d->tables);
		return r;
	}
	ow_domain_log_orders(d, path, sizeof(path));
	ow_log_obey(path);
	ow_domain_shm_path(d, "blocks", path, sizeof(path));
	r = ow_blocks_open(path, d->tables, &d->blocks);
	if (r != 0) {
		d->tables = ow_tables_close(d->tables);
		explain(r, path, why, size);
		return r;
	}
	/* Now, for later the domain lock may be held. Without one it is asked
	 * for again, and what needs it fails. */
	ow_prc_self(d->tables);
	return 0;
}

static void lock_join(void)
{
	pthread_mutex_lock(&join_lock);
}

static void unlock_join(void)
{
	pthread_mutex_unlock(&join_lock);
}

OW_FORKS_OUTER static void watch_forks(void)
{
	pthread_atfork(lock_join, unlock_join, unlock_join);
}

bool ow_domain_is_gone(const struct ow_domain *d)
{
	return atomic_load_explicit(&d->tables->head->gone,
				    memory_order_relaxed) != 0;
}

/* A domain of its own for this process: 0, OW_TABLES_*, -errno. */
static int make(bool create, struct ow_domain **ret, char *why, size_t size)
{
	struct ow_domain *d = calloc(1, sizeof(*d));
	int r;

	if (d == NULL) {
		snprintf(why, size, "no memory");
		return -ENOMEM;
	}
	r = ow_domain_read_env(d, why, size);
	if (r == 0)
		r = attach(d, create, why, size);
	if (r != 0)
		free(d);
	else
		*ret = d;
	return r;
}

/* Nobody uses it, and nobody will. Lock held. */
static void discard(struct ow_domain *d)
{
	ow_mail_unmap(d);
	ow_blocks_close(d->blocks);
	ow_tables_close(d->tables);
	free(d);
}

int ow_domain_join(bool create, struct ow_domain **ret, char *why, size_t size)
{
	int r = 0;

	pthread_mutex_lock(&join_lock);
	if (joined != NULL && ow_domain_is_gone(joined)) {
		if (joined->users == 0)
			discard(joined);
		joined = NULL; /* its last user discards it */
	}
	if (joined == NULL)
		r = make(create, &joined, why, size);
	if (r == 0) {
		joined->users++;
		*ret = joined;
	}
	pthread_mutex_unlock(&join_lock);
	return r;
}

void ow_domain_leave(struct ow_domain *d)
{
	pthread_mutex_lock(&join_lock);
	if (--d->users == 0 && d != joined)
		discard(d);
	pthread_mutex_unlock(&join_lock);
}
