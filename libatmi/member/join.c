/* SPDX-License-Identifier: Apache-2.0 */
/*
 * join.c - attach this process to the shared segments of its domain
 *
 * The domain object of a process is made by the first thread that joins,
 * under a lock. It is kept until the domain is found removed and the last
 * context that used it has left.
 */
#include "libatmi/member/join.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libatmi/base/forks.h"
#include "libatmi/base/owned.h"
#include "libatmi/cache/cache.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/nameless.h"
#include "libatmi/domain/namespace.h"
#include "libatmi/domain/prc.h"
#include "libatmi/domain/tables.h"
#include "libatmi/door/callers.h"
#include "libatmi/log/log.h"
#include "libatmi/member/reap.h"
#include "libatmi/transport/inbox.h"
#include "libatmi/transport/mail/mailbox.h"
#include "libatmi/subs/subs.h"
#include "libatmi/transport/block/block.h"
#include "libatmi/transport/transport.h"
#include "libubf/base/standard.h"
#include "libubf/base/uncancelled.h"

/* How often the folder of a domain may be removed while it is entered. */
#define VANISHED 10

/* A result beside OW_TABLES_*: the domain runs and has no names. */
#define OW_DOMAIN_NAMELESS 100

static pthread_mutex_t join_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ow_domain *joined;

static void explain(const struct ow_domain *d, int r, const char *path,
		    char *why, size_t size)
{
	switch (r) {
	case OW_DOMAIN_NAMELESS:
		ow_nameless_say(d, ow_nameless_find(d), why, size);
		break;
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
	case OW_TABLES_APART:
	case OW_TABLES_BLIND:
		ow_namespace_say(r, path, why, size);
		break;
	case OW_TABLES_NOSPACE:
		snprintf(why, size, "%s: no room on that file system", path);
		break;
	case -EFBIG:
		snprintf(why, size, "%s: a file of this process may not be as "
			 "large as that sparse one: `ulimit -f unlimited`",
			 path);
		break;
	case -EPERM: /* names the path */
		snprintf(why, size, "%s", ow_owned_strerror(r));
		break;
	case OW_TABLES_CROWDED:
		snprintf(why, size, "all %u process slots of the domain are in "
			 "use: end some of its processes", OW_PRC_MAX - 1);
		break;
	case -EBUSY:
		snprintf(why, size, "%s: the domain is being removed by a "
			 "process that does not end: `xadmin down -y`", path);
		break;
	default:
		snprintf(why, size, "%s: %s", path, strerror(-r));
	}
}

/* The first process of a domain decides on a setting: it stores `mine`, later
 * processes read it. 0: undecided, and this process may not decide. */
static uint32_t agree_on(_Atomic uint32_t *word, uint32_t mine, bool create)
{
	struct timespec nap = { .tv_nsec = 1000 * 1000 };
	uint32_t v = 0;
	int tries;

	if (create && atomic_compare_exchange_strong(word, &v, mine))
		return mine;
	/* The process that makes the tables decides at once. */
	for (tries = 0; (v = atomic_load(word)) == 0 && tries < 100; tries++)
		nanosleep(&nap, NULL);
	return v;
}

static void use_transport(struct ow_domain *d, const struct ow_transport *t)
{
	if (!d->wake_given)
		d->wake = t->wakes[0];
	d->transport = t;
	t->read_shapes(d);
}

/*
 * This process seems to make the domain, which has no queue yet: decide for it
 * which transport it has (doc/design/transports.md). Another process may be
 * faster; then what it decided counts.
 */
static void decide_on_transport(struct ow_domain *d)
{
	struct ow_tables_head *h = d->tables->head;
	const struct ow_transport *t = d->transport;
	char why[OW_STEP_MAX - 40] = "";
	uint32_t open = 0;

	if (atomic_load(&h->transport) != 0)
		return;
	if (!d->transport_given)
		t = ow_transport_choose(d, why, sizeof(why));
	else if (t->fits != NULL && t->fits(d, why, sizeof(why)) == 0)
		why[0] = '\0';
	if (!atomic_compare_exchange_strong(&h->transport, &open, t->id))
		return;
	if (t == d->transport) {
		if (why[0] != '\0')
			log_warn("transport %s, as asked for, may not be "
				 "enough: %s", t->name, why);
		return;
	}
	snprintf(h->step, sizeof(h->step), "not %s: %s", d->transport->name,
		 why);
	log_warn("domain %s: transport %s, %s", d->prefix, t->name, h->step);
	use_transport(d, t);
}

static int agree_on_transport(struct ow_domain *d, bool create, char *why,
			      size_t size)
{
	const struct ow_transport *t;

	if (create)
		decide_on_transport(d);
	t = ow_transport_by_id(agree_on(&d->tables->head->transport,
					d->transport->id, create));
	if (t == NULL || t == d->transport)
		return 0; /* NULL: the word is damaged, keep ours */
	if (d->transport_given) {
		snprintf(why, size,
			 "NDRX_TRANSPORT=%s: domain %s runs on %s: stop it "
			 "first, or unset NDRX_TRANSPORT",
			 d->transport->name, d->prefix, t->name);
		return -EINVAL;
	}
	use_transport(d, t);
	return 0;
}

static int check_wake(const struct ow_domain *d, char *why, size_t size)
{
	char names[80];

	if (ow_transport_has_wake(d->transport, d->wake))
		return 0;
	ow_transport_wake_names(d->transport, names, sizeof(names));
	snprintf(why, size,
		 "NDRX_WAKE=%s: not a way of transport %s, which has %s",
		 ow_wake_word(d->wake), d->transport->name, names);
	return -EINVAL;
}

/* Senders and servers must agree on the wake mode, unless each queue has its
 * own. */
static void agree_on_wake(struct ow_domain *d, bool create)
{
	uint32_t v = agree_on(&d->tables->head->wake, d->wake + 1, create);

	if (v == 0 || v > OW_WAKE_END || v == d->wake + 1u ||
	    (d->transport->wake_per_queue && d->wake_given))
		return;
	if (d->wake_given)
		log_warn("domain %s wakes by %s: NDRX_WAKE=%s has no effect "
			 "until it is stopped and started",
			 d->prefix, ow_wake_word((enum ow_wake)(v - 1)),
			 ow_wake_word(d->wake));
	d->wake = (enum ow_wake)(v - 1);
}

void ow_domain_learn(struct ow_domain *d)
{
	const struct ow_transport *t =
	    ow_transport_by_id(atomic_load(&d->tables->head->transport));
	uint32_t w = atomic_load(&d->tables->head->wake);

	if (t != NULL)
		d->transport = t;
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

static int open_once(const struct ow_domain *d, const char *path, bool create,
		     struct ow_tables **ret)
{
	char folder[160];
	int r = ow_domain_enter(d, false);

	if (r == 0)
		r = ow_tables_open(path, false, ret);
	else if (r == -ENOENT)
		r = OW_TABLES_ABSENT;
	if (r != OW_TABLES_ABSENT || !create)
		return r;
	if (ow_nameless_find(d) != 0)
		return OW_DOMAIN_NAMELESS;
	r = ow_domain_enter(d, true);
	if (r != 0)
		return r;
	r = ow_tables_open(path, true, ret);
	if (r != 0) { /* it stays if there is something in it */
		ow_domain_folder(d, folder, sizeof(folder));
		rmdir(folder);
	}
	return r;
}

/* The process that removes the domain was killed: complete the removal. */
static void complete_removal(struct ow_domain *d, struct ow_tables *t)
{
	log_warn("domain %s: its removal was cut off: completing it",
		 d->prefix);
	d->tables = t;
	ow_domain_learn(d);
	ow_reap_domain(d);
	d->tables = NULL;
}

/* Open the tables. Tables that are being removed are waited for: a process
 * that makes the domain anew must not slip into the old one. */
static int open_tables(struct ow_domain *d, const char *path, bool create)
{
	struct timespec nap = { .tv_nsec = 10 * 1000 * 1000 };
	struct ow_domain old = *d;
	struct ow_tables *t;
	ow_proc_id remover = 0;
	int r = 0, tries, vanished = 0;

	for (tries = 0; tries < 300; tries++) {
		t = NULL;
		r = open_once(d, path, create, &t);
		/* The folder was removed after it was made; or there is no
		 * NDRX_SHMPATH: each try has looked at all processes. */
		if (r == -ENOENT && create && ++vanished < VANISHED)
			continue;
		if (r != 0)
			return r;
		if (atomic_load(&t->head->gone) == 0) {
			d->tables = t;
			return 0;
		}
		remover = atomic_load(&t->head->remover);
		if (create && !ow_proc_id_alive(remover) && tries > 0)
			complete_removal(&old, t);
		else
			nanosleep(&nap, NULL);
		if (create && tries > 10)
			ow_reap_continue_remover(t);
		ow_tables_close(t);
		if (!create)
			return OW_TABLES_ABSENT;
	}
	if (r < 0)
		return r;
	log_error("domain %s: process %d is removing it, and does not end",
		  d->prefix, (int)ow_proc_id_pid(remover));
	return -EBUSY;
}

static int attach(struct ow_domain *d, bool create, char *why, size_t size)
{
	char path[160];
	int r;

	ow_domain_shm_path(d, "tables", path, sizeof(path));
	r = open_tables(d, path, create);
	if (r != 0) {
		explain(d, r, path, why, size);
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
		explain(d, r, path, why, size);
		return r;
	}
	r = ow_reap_need_slot(d);
	if (r != 0) {
		explain(d, r, path, why, size);
		d->blocks = ow_blocks_close(d->blocks);
		d->tables = ow_tables_close(d->tables);
	}
	return r;
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

/* A domain of its own for this process: 0, OW_TABLES_*, -errno. */
static int make(bool create, const struct ow_load *load,
		struct ow_domain **ret, char *why, size_t size)
{
	struct ow_domain *d = calloc(1, sizeof(*d));
	int r;

	if (d == NULL) {
		snprintf(why, size, "no memory");
		return -ENOMEM;
	}
	r = ow_domain_read_env(d, why, size);
	if (load != NULL)
		d->load = *load;
	if (r == 0)
		r = attach(d, create, why, size);
	if (r != 0)
		free(d);
	else
		*ret = d;
	return r;
}

/* No context uses the domain any more. Join lock held. */
static void discard(struct ow_domain *d)
{
	ow_mail_unmap(d);
	ow_inbox_unmap(d);
	ow_subs_unmap(d);
	ow_cache_unmap(d);
	ow_callers_unmap(d);
	ow_blocks_close(d->blocks);
	ow_tables_close(d->tables);
	free(d);
}

static int join(bool create, const struct ow_load *load,
		struct ow_domain **ret, char *why, size_t size)
{
	OW_UNCANCELLED;
	int r = 0;

	pthread_mutex_lock(&join_lock);
	if (joined != NULL && ow_domain_is_gone(joined)) {
		if (joined->users == 0)
			discard(joined);
		joined = NULL; /* its last user discards it */
	}
	if (joined == NULL) {
		ow_standard_fill();
		r = make(create, load, &joined, why, size);
	} else if (!ow_namespace_is_same(atomic_load(
		       &joined->tables->head->pid_namespace))) {
		ow_namespace_say(OW_TABLES_APART, "the domain", why, size);
		r = OW_TABLES_APART;
	}
	if (r == 0) {
		joined->users++;
		*ret = joined;
	}
	pthread_mutex_unlock(&join_lock);
	return r;
}

int ow_domain_join(bool create, struct ow_domain **ret, char *why, size_t size)
{
	return join(create, NULL, ret, why, size);
}

int ow_domain_join_for(const struct ow_load *load, struct ow_domain **ret,
		       char *why, size_t size)
{
	return join(true, load, ret, why, size);
}

void ow_domain_leave(struct ow_domain *d)
{
	OW_UNCANCELLED;

	pthread_mutex_lock(&join_lock);
	if (--d->users == 0 && d != joined)
		discard(d);
	pthread_mutex_unlock(&join_lock);
}

/* At exit, after the contexts have given back their slots (call/life.c): the
 * destructor there has no number, so it runs before this one. A process with
 * other threads leaves its slot to the sweep: they may be using blocks. */
__attribute__((destructor(200))) static void process_ends(void)
{
	if (joined == NULL || ow_domain_is_gone(joined) ||
	    ow_proc_threads() != 1 || pthread_mutex_trylock(&join_lock) != 0)
		return;
	ow_blocks_leave(joined->blocks);
	pthread_mutex_unlock(&join_lock);
}
