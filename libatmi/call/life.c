/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.c - the life of a context: from a thread's first call to its end
 *
 * The thread's pointer is thread-local; a pthread key runs ow_ctx_leave() for
 * threads that end without tpterm(). At exit of the process a destructor
 * gives back the slots of all contexts that are left. A forked child starts
 * with none: what it inherited belongs to its parent.
 */
#include "libatmi/call/life.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tpbind.h>
#include <unistd.h>

#include "libatmi/base/plugins.h"
#include "libatmi/base/tls.h"
#include "libatmi/base/tperror.h"
#include "libatmi/cache/ask.h"
#include "libatmi/call/calls.h"
#include "libatmi/call/context.h"
#include "libatmi/call/guest.h"
#include "libatmi/call/share.h"
#include "libatmi/call/signals.h"
#include "libatmi/call/slot.h"
#include "libatmi/call/svcq.h"
#include "libatmi/converse/ends/post.h"
#include "libatmi/converse/ends/conversation.h"
#include "libatmi/door/runtime.h"
#include "libatmi/log/log.h"
#include "libatmi/member/join.h"
#include "libubf/base/uncancelled.h"

static OW_TLS_FAST struct ow_ctx *self;
static OW_TLS_FAST bool hidden; /* ow_ctx_hide() */
static OW_TLS_FAST struct ow_ctx *home; /* of a thread that serves */
static pthread_key_t exit_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_once_t plugins = PTHREAD_ONCE_INIT;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ow_ctx *list;
static _Atomic uint32_t last_number;
static _Atomic uint32_t multi; /* contexts of TPMULTICONTEXTS */

static void destroy(struct ow_ctx *c);

static void thread_ends(void *arg)
{
	self = NULL;
	ow_trace_close();
	destroy(arg);
}

static void lock_list(void)
{
	pthread_mutex_lock(&list_lock);
}

static void unlock_list(void)
{
	pthread_mutex_unlock(&list_lock);
}

/* In a forked child: nothing of the parent's is ours. The memory is left
 * alone, only the descriptors of queues are closed. */
static void forked(void)
{
	struct ow_ctx *c;

	for (c = list; c != NULL; c = c->list_next) {
		ow_queue_close(c->replyq);
		ow_convs_forked(c->convs);
		ow_guests()->forked(c);
		if (c->loop != NULL)
			c->loop->close(c->loop);
	}
	list = NULL;
	atomic_store(&multi, 0);
	self = home = NULL;
	hidden = false;
	ow_trace_close();
	unlock_list();
	pthread_setspecific(exit_key, NULL);
}

/* Plugins may register commands (lcf.h), so they are loaded with the first
 * context. */
static void load_plugins(void)
{
	OW_UNCANCELLED;

	if (ow_plugins_wanted() && ow_plugins()->problem[0] != '\0')
		log_error("%s", ow_plugins()->problem);
}

static void init_once(void)
{
	pthread_key_create(&exit_key, thread_ends);
	/* Registered last, so taken before all other locks. */
	pthread_atfork(lock_list, unlock_list, forked);
}

static void list_add(struct ow_ctx *c)
{
	pthread_mutex_lock(&list_lock);
	c->list_next = list;
	if (list != NULL)
		list->list_prev = c;
	list = c;
	pthread_mutex_unlock(&list_lock);
}

static void list_del(struct ow_ctx *c)
{
	pthread_mutex_lock(&list_lock);
	if (c->list_prev != NULL)
		c->list_prev->list_next = c->list_next;
	else if (list == c)
		list = c->list_next;
	if (c->list_next != NULL)
		c->list_next->list_prev = c->list_prev;
	pthread_mutex_unlock(&list_lock);
}

const struct ow_guest_calls *ow_guests(void)
{
	return &ow_guest_calls;
}

struct ow_ctx *ow_ctx_peek(void)
{
	return self;
}

static int fail_join(int r, const char *why)
{
	if (r == -EPERM)
		ow_tp_fail(TPEPERM, "%s", why);
	else if (r == -EINVAL)
		ow_tp_fail(TPEINVAL, "%s", why);
	else if (r == OW_TABLES_FOREIGN || r == OW_TABLES_ABSENT ||
		 r == OW_TABLES_APART || r == OW_TABLES_BLIND)
		ow_tp_fail(TPESYSTEM, "%s", why);
	else
		ow_tp_fail(TPEOS, "%s", why);
	return -1;
}

/* The domain of the environment, without tables: 0, or -1 with tperrno. */
static int read_env(struct ow_ctx *c)
{
	char why[512] = "";
	int r;

	c->dom = calloc(1, sizeof(*c->dom));
	if (c->dom == NULL)
		return ow_tp_fail(TPEOS, "no memory for a context");
	r = ow_domain_read_env(c->dom, why, sizeof(why));
	if (r == 0)
		return 0;
	log_error("join: %s", why);
	return fail_join(r, why);
}

/* Join the running domain, or, if it has no segment, read its environment only:
 * a client never creates segments. A domain of another user is joined as a
 * guest. */
static int find_domain(struct ow_ctx *c)
{
	char why[512] = "";
	int guest, r = ow_domain_join(false, &c->dom, why, sizeof(why));

	if (r == 0)
		return 0;
	if (r == OW_TABLES_ABSENT)
		return read_env(c);
	if (r == -EPERM && c->srvid == 0) {
		if (read_env(c) != 0)
			return -1;
		guest = ow_guests()->join(c);
		if (guest != OW_GUEST_UNASKED)
			return guest;
	}
	log_error("join: %s", why);
	return fail_join(r, why);
}

static void drop_domain(struct ow_ctx *c)
{
	if (c->dom != NULL && c->dom->tables == NULL)
		free(c->dom);
	else if (c->dom != NULL)
		ow_domain_leave(c->dom);
	c->dom = NULL;
}

static bool is_gone(const struct ow_ctx *c)
{
	return c->srvid == 0 && c->dom->tables != NULL &&
	       ow_domain_is_gone(c->dom);
}

/* What the program has said of its context stays when the domain is started
 * again under it; descriptors go on, as it may have old ones. */
static void keep_settings(const struct ow_ctx *from, struct ow_ctx *to)
{
	to->ignores = from->ignores;
	to->threaded = from->threaded;
	to->begun = from->begun;
	to->multi = from->multi;
	memcpy(to->label, from->label, sizeof(to->label));
	memcpy(to->user, from->user, sizeof(to->user));
	to->sig_how = from->sig_how;
	to->next_cd = from->next_cd;
}

/* May this thread have a new context? 0, or -1 with tperrno. */
static int may_make(void)
{
	if (hidden)
		return ow_tp_fail(TPEPROTO, "a handler of unsolicited messages "
				  "may not do this");
	if (ow_share_is_lost())
		return ow_tp_fail(TPEPROTO, "another thread has ended the "
				  "context that this one shared: tpsetctxt() or "
				  "tpterm() come first");
	if (!ow_share_is_any())
		return 0;
	if (!ow_share_is_inside()) { /* shared.h: the caller enters, and asks
					again */
		tperrno = TPESYSTEM;
		return -1;
	}
	if (ow_share_alone(ow_sharing) == 0)
		return 0;
	return ow_tp_fail(TPEPROTO, "another thread ends the context");
}

/* A new context for this thread; NULL with tperrno. */
static struct ow_ctx *make(void)
{
	OW_UNCANCELLED;
	struct ow_listener *listener = self != NULL ? self->listener : NULL;
	struct ow_ctx *c, kept = { .sig_how = TPSIG_DEFAULT };

	if (listener != NULL) {
		listener->stop(listener);
		self->listener = NULL; /* the next one's, if there is one */
	}
	if (self != NULL)
		keep_settings(self, &kept);
	ow_ctx_leave(); /* the domain was removed, perhaps started again */
	if (ow_share_is_any())
		ow_share_reopen(ow_sharing);
	pthread_once(&once, init_once);
	c = calloc(1, sizeof(*c));
	if (c == NULL || find_domain(c) != 0) {
		if (c == NULL)
			ow_tp_fail(TPEOS, "no memory for a context");
		else
			drop_domain(c);
		if (listener != NULL)
			listener->end(listener);
		free(c);
		return NULL;
	}
	ow_ctx_set_listener(c, listener);
	keep_settings(&kept, c);
	if (c->multi)
		atomic_fetch_add(&multi, 1);
	c->number = atomic_fetch_add(&last_number, 1) + 1;
	c->runtime = ow_runtime_is();
	ow_signals_set(c, kept.sig_how);
	c->prio_last = 50;
	c->share = ow_share_is_any() ? ow_sharing : NULL;
	ow_ctx_attach(c);
	ow_trace_inherit(&c->trace);
	list_add(c);
	return c;
}

/* A context that listens looks now and then while it waits. */
static void look(void)
{
	if (self != NULL && self->listener != NULL)
		self->listener->look(self);
}

/* In one that threads share each does what is its own. */
static void attend_shared(void)
{
	if (home != NULL && home->attend != NULL)
		home->attend();
	look();
}

void ow_ctx_attach(struct ow_ctx *c)
{
	if (c == NULL)
		return;
	self = c;
	pthread_setspecific(exit_key, c);
	pthread_once(&plugins, load_plugins);
	ow_log_set_context((long)c->number);
	ow_trace_open(&c->trace);
	/* A server that waits in another context answers pings, too. */
	if (c->share != NULL)
		c->attend = attend_shared;
	else if (c != home && home != NULL)
		c->attend = home->attend;
	else if (c != home)
		c->attend = c->listener != NULL ? look : NULL;
}

struct ow_ctx *ow_ctx_detach(void)
{
	struct ow_ctx *c = self;

	if (c == NULL)
		return NULL;
	self = NULL;
	pthread_setspecific(exit_key, NULL);
	ow_log_set_context(0);
	ow_trace_close();
	ow_share_may_ask();
	return c;
}

void ow_ctx_set_listener(struct ow_ctx *c, struct ow_listener *l)
{
	c->listener = l;
	if (c->srvid == 0 && c->share == NULL)
		c->attend = l != NULL ? look : NULL;
}

struct ow_ctx *ow_ctx_hide(void)
{
	struct ow_ctx *c = self;

	self = NULL;
	hidden = true;
	return c;
}

void ow_ctx_show(struct ow_ctx *c)
{
	self = c;
	hidden = false;
}

bool ow_ctx_is_hidden(void)
{
	return hidden;
}

__attribute__((noinline)) static struct ow_ctx *need(void)
{
	if (ow_sharing == &ow_share_unasked && !hidden)
		(void)ow_share_ask();
	return may_make() == 0 ? make() : NULL;
}

struct ow_ctx *ow_ctx_get(void)
{
	return self != NULL && !is_gone(self) ? self : need();
}

static int join_late(struct ow_ctx *c)
{
	OW_UNCANCELLED;
	struct ow_domain *env = c->dom;

	if (c->guest != NULL)
		return OW_CTX_GUEST;
	if (find_domain(c) != 0) {
		if (c->dom != env)
			free(c->dom);
		c->dom = env;
		return -1;
	}
	free(env);
	if (c->guest != NULL)
		return OW_CTX_GUEST;
	if (c->dom->tables == NULL)
		return ow_tp_fail(TPENOENT, "domain %s is not running",
				  c->dom->prefix);
	return 0;
}

int ow_ctx_need_domain(struct ow_ctx *c)
{
	return c->dom->tables != NULL ? 0 : join_late(c);
}

void ow_ctx_set_server(struct ow_ctx *c, uint32_t srvid, const char *bin)
{
	ow_runtime_enter();
	c->runtime = true;
	c->srvid = srvid;
	home = c;
	ow_trace_leave(&c->trace); /* no request yet */
	snprintf(c->srvbin, sizeof(c->srvbin), "%s", bin);
}

void ow_ctx_set_multi(struct ow_ctx *c)
{
	if (!c->multi)
		atomic_fetch_add(&multi, 1);
	c->multi = true;
}

bool ow_ctx_is_multi(void)
{
	return atomic_load(&multi) != 0;
}

struct ow_ctx *ow_ctx_home(void)
{
	return home;
}

/* ---- the end ---- */

static void destroy(struct ow_ctx *c)
{
	OW_UNCANCELLED;
	if (c == home)
		home = NULL;
	if (c->multi)
		atomic_fetch_sub(&multi, 1);
	if (c->listener != NULL)
		c->listener->stop(c->listener);
	list_del(c);
	ow_call_drop_all(c);
	ow_convs_hang_up(c->convs);
	ow_convs_free(c->convs);
	ow_slot_give_back(c);
	if (c->loop != NULL)
		c->loop->close(c->loop);
	free(c->loop);
	ow_queue_close(c->replyq);
	ow_svcq_close_all(c);
	c->cached = ow_cache_ask_free(c->cached);
	ow_guests()->leave(c);
	if (c->listener != NULL)
		c->listener->end(c->listener);
	drop_domain(c);
	free(c->calls_for);
	free(c->calls);
	free(c->spare);
	free(c->tx);
	free(c->in.head);
	free(c);
}

void ow_ctx_end(struct ow_ctx *c)
{
	if (c != NULL)
		destroy(c);
}

void ow_ctx_leave(void)
{
	ow_ctx_end(ow_ctx_detach());
}

/* At exit of the process other threads may still run: names and slots are
 * given back, memory is left alone. */
__attribute__((destructor)) static void process_ends(void)
{
	struct ow_ctx *c;

	pthread_mutex_lock(&list_lock);
	for (c = list; c != NULL; c = c->list_next)
		ow_slot_give_back(c);
	list = NULL;
	pthread_mutex_unlock(&list_lock);
}
