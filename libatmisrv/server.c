/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c - the life of a server process, from options to the last line
 *
 * Order: options, domain, slot, hello to ndrxd, tpsvrinit(), services
 * published, ready, loop, tpsvrdone(), services withdrawn, slot given back.
 * All of it works without ndrxd.
 */
#include "libatmisrv/server.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <userlog.h>

#include "libatmi/base/env.h"
#include "libatmi/base/rt.h"
#include "libatmi/base/tls.h"
#include "libatmi/base/tperror.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/life.h"
#include "libatmi/log/log.h"
#include "libatmi/log/setting.h"
#include "libatmi/member/join.h"
#include "libatmi/member/reap.h"
#include "libatmisrv/options.h"

/* The server of this thread, and of this process: for signal handlers, and for
 * other threads of the program. */
static OW_TLS_FAST struct ow_server *self;
static struct ow_server *_Atomic main_server;
static struct tmsvrargs_t *svrargs;

struct ow_server *ow_server_self(void)
{
	return self != NULL ? self : atomic_load(&main_server);
}

/* ---- signals ---- */

/* SIGINT and SIGTERM: finish the request in hand; a second one kills. */
static void on_signal(int sig)
{
	struct ow_server *s = atomic_load(&main_server);

	signal(sig, SIG_DFL);
	if (s != NULL)
		ow_waitset_kick(s->waitset);
}

static void catch_signal(int sig)
{
	struct sigaction old, sa = { .sa_handler = on_signal,
				     .sa_flags = SA_RESTART };

	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
		sigaction(sig, &sa, NULL);
}

/* A child forked by the program must not act for the server. */
static void forked(void)
{
	struct ow_server *s = atomic_load(&main_server);

	if (s != NULL && s->ctl_fd >= 0)
		close(s->ctl_fd);
	atomic_store(&main_server, NULL);
	self = NULL;
}

/* ---- start ---- */

/*
 * Under SCHED_BATCH a woken server does not push others off the CPU in the
 * middle of a burst. Transports say whether that helps them; NDRX_SCHED says
 * otherwise (normal, batch). A policy that somebody has chosen is left alone.
 */
static void set_policy(const struct ow_domain *d)
{
	const char *policy = d->transport->sched_batch ? "batch" : "normal";
	struct sched_param none = { 0 };

	if (d->wake == OW_WAKE_HERD)
		return; /* for comparison with runtimes that do not */
	if (strcmp(ow_env_str("NDRX_SCHED", policy), "batch") == 0 &&
	    (sched_getscheduler(0) == SCHED_OTHER || ow_rt_is_child(0)))
		sched_setscheduler(0, SCHED_BATCH | SCHED_RESET_ON_FORK, &none);
}

/* Take the slot; a dead owner's is put in order first. */
static int take_slot(struct ow_server *s)
{
	uint32_t id = s->opt->srvid;
	struct ow_refusal lost;
	int r, tries;

	for (tries = 0; tries < 3; tries++) {
		r = ow_srv_take(s->dom->tables, id, s->opt->bin);
		if (r != OW_TABLES_TAKEN)
			break;
		if (ow_srv_alive(s->dom->tables, id)) {
			fprintf(stderr, "%s: server id %u is taken by the "
				"running process %d (%s)\n", s->opt->bin, id,
				(int)atomic_load(&s->dom->tables->srv[id].pid),
				s->dom->tables->srv[id].bin);
			return -EEXIST;
		}
		ow_reap_server(s->dom, id, false, &lost);
	}
	if (r != 0)
		fprintf(stderr, "%s: server table: %s\n", s->opt->bin,
			r < 0 ? strerror(-r) : "no room in shared memory");
	return r;
}

/* The first server of a domain makes its segments. 1: they are being removed
 * just now, try again. */
static int try_join(struct ow_server *s)
{
	struct ow_domain *d = NULL;
	char why[512] = "";

	if (ow_domain_join(true, &d, why, sizeof(why)) != 0) {
		fprintf(stderr, "%s: %s\n", s->opt->bin, why);
		return -1;
	}
	s->ctx = ow_ctx_get();
	if (s->ctx == NULL) {
		fprintf(stderr, "%s: %s\n", s->opt->bin, tpstrerror(tperrno));
		return -1;
	}
	s->dom = s->ctx->dom;
	if (s->dom == d && take_slot(s) != 0)
		return -1;
	if (s->dom == d && !ow_domain_is_gone(d))
		return 0;
	ow_ctx_leave();
	ow_domain_leave(d);
	return 1;
}

static int join(struct ow_server *s)
{
	int r, tries = 0;

	do {
		r = try_join(s);
	} while (r == 1 && ++tries < 10);
	if (r != 0)
		return -1;
	set_policy(s->dom);
	ow_ctx_set_server(s->ctx, s->opt->srvid, s->opt->bin);
	s->slot = &s->dom->tables->srv[s->opt->srvid];
	s->adv = s->dom->tables->adv[s->opt->srvid];
	return 0;
}

/* Have what requests are received with: the in-flight record, the wait set,
 * the replier. */
static int prepare_waiting(struct ow_server *s)
{
	const struct ow_transport *t = s->dom->transport;
	void *record;
	int r;

	if (t->record != NULL)
		record = t->record(s->dom, s->opt->srvid);
	else
		record = s->own_record = malloc(OW_RX_SIZE);
	if (record == NULL)
		return -ENOMEM;
	ow_envelope_init(&s->rq.envelope, record, OW_RX_SIZE, s->dom->blocks);
	if (t->buffers_in_blocks)
		ow_buf_set_home(s->dom->blocks);
	r = ow_waitset_open(s->dom, s->opt->srvid, &s->waitset);
	return r == 0 ? ow_replier_open(s->dom, &s->replier) : r;
}

static bool is_masked(const struct ow_options *o, const char *svc)
{
	uint32_t i;

	for (i = 0; i < o->nmasked; i++)
		if (strncmp(o->masked[i], svc, 31) == 0)
			return true;
	return false;
}

/* The function called `func` in the program's table, or NULL. */
static const struct tmdsptchtbl_t *find_builtin(const struct ow_program *p,
						const char *func)
{
	const struct tmdsptchtbl_t *t;

	for (t = p->builtin; t != NULL && t->p_func != NULL; t++)
		if (t->funcnm != NULL && strcmp(t->funcnm, func) == 0)
			return t;
	return NULL;
}

/* Services of the program's table (buildserver), and -S. */
static int offer_builtins(struct ow_server *s, const struct ow_program *p)
{
	const struct tmdsptchtbl_t *t;
	uint32_t i;

	for (t = p->builtin; t != NULL && t->p_func != NULL; t++) {
		if (s->opt->no_builtin || t->svcnm == NULL)
			continue;
		if (ow_offer_add(s, t->svcnm, t->funcnm, t->p_func) != 0)
			return -1;
	}
	for (i = 0; i < s->opt->nbuiltins; i++) {
		const struct ow_opt_pair *b = &s->opt->builtin[i];
		const char *func = b->target[0] ? b->target : b->name;

		t = find_builtin(p, func);
		if (t == NULL)
			return ow_tp_fail(TPENOENT, "-S %s: the program has "
					  "no function %s", b->name, func);
		if (ow_offer_add(s, b->name, func, t->p_func) != 0)
			return -1;
	}
	return 0;
}

/* -s: other names for what the program advertises; -n and -N: not these. */
static int apply_options(struct ow_server *s)
{
	uint32_t i, n = s->noffers;
	struct ow_offer *o;

	for (i = 0; i < n; i++)
		if (s->opt->no_advertise ||
		    is_masked(s->opt, s->offers[i].name))
			s->offers[i].wanted = false;
	for (i = 0; i < s->opt->nbuiltins; i++) {
		o = ow_offer_find(s, s->opt->builtin[i].name);
		if (o != NULL)
			o->wanted = true;
	}
	for (i = 0; i < s->opt->naliases; i++) {
		const struct ow_opt_pair *a = &s->opt->alias[i];

		o = ow_offer_find(s, a->target[0] ? a->target : a->name);
		if (o == NULL)
			return ow_tp_fail(TPENOENT, "-s %s:%s: the program "
					  "does not advertise %s", a->name,
					  a->target, a->target);
		if (a->target[0] == '\0')
			o->wanted = true;
		else if (ow_offer_add(s, a->name, o->func, o->p_func) != 0)
			return -1;
	}
	return 0;
}

/* tpsvrinit(), then everything that was advertised becomes visible. */
static int start_program(struct ow_server *s, const struct ow_program *p)
{
	if (offer_builtins(s, p) != 0 ||
	    (p->init != NULL && p->init(s->opt->argc, s->opt->argv) < 0) ||
	    apply_options(s) != 0 || ow_offer_publish_all(s) != 0) {
		if (tperrno != 0)
			fprintf(stderr, "%s: start: %s\n", s->opt->bin,
				tpstrerror(tperrno));
		else
			fprintf(stderr, "%s: tpsvrinit() failed\n",
				s->opt->bin);
		userlog_const("server did not start: tpsvrinit() failed");
		return -1;
	}
	return 0;
}

/* ---- end ---- */

static void leave(struct ow_server *s)
{
	uint32_t row;

	atomic_store(&s->slot->state, OW_SRV_STOPPING);
	for (row = 0; row < s->noffers; row++)
		ow_offer_withdraw(s, row);
	ow_tables_lock(s->dom->tables);
	ow_srv_clear(s->dom->tables, s->opt->srvid);
	ow_tables_unlock(s->dom->tables);
	ow_reap_if_last(s->dom);
}

static void free_server(struct ow_server *s)
{
	s->replier = ow_replier_close(s->replier);
	s->waitset = ow_waitset_close(s->waitset);
	if (s->ctl_fd >= 0)
		close(s->ctl_fd);
	ow_buf_set_home(NULL);
	free(s->own_record);
	s->ctx->srvid = 0;
	ow_ctx_leave();
	atomic_store(&main_server, NULL);
	self = NULL;
	ow_options_free(s->opt);
	free(s->ext.pollers);
	free(s);
}

/* Dispatch threads are not built yet: say so where operators look. */
static void refuse_threads(const struct ow_server *s)
{
	long n = 1;

	if (ow_setting_long("NDRX_MINDISPATCHTHREADS", 1, 0, 100000, &n) == 0 &&
	    n > 1)
		userlog("%s id %u: %ld dispatch threads are configured: this "
			"build runs one", s->opt->bin, s->opt->srvid, n);
}

static int serve(struct ow_server *s, const struct ow_program *p)
{
	int r = prepare_waiting(s);

	if (r != 0) {
		fprintf(stderr, "%s: start: %s\n", s->opt->bin, strerror(-r));
		return 1;
	}
	refuse_threads(s);
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	ow_control_connect(s);
	r = start_program(s, p);
	if (r == 0) {
		ow_control_ready(s);
		r = ow_loop_run(s);
		if (p->done != NULL)
			p->done();
	}
	return r == 0 ? 0 : 1;
}

int ow_server_run(int argc, char **argv, const struct ow_program *p)
{
	struct ow_server *s = calloc(1, sizeof(*s));
	int r;

	if (s == NULL)
		return 1;
	r = ow_options_parse(argc, argv, &s->opt);
	if (r != 0) {
		free(s);
		return r == OW_OPTIONS_HELP ? 0 : 1;
	}
	s->ctl_fd = -1;
	s->no_longjmp = p->no_longjmp;
	ow_output_redirect(s->opt);
	if (s->opt->log_level >= 0)
		ow_log_set_level(s->opt->log_level);
	if (join(s) != 0) {
		ow_options_free(s->opt);
		free(s);
		return 1;
	}
	self = s;
	atomic_store(&main_server, s);
	pthread_atfork(NULL, NULL, forked);
	r = serve(s, p);
	leave(s);
	free_server(s);
	return r;
}

/* ---- the other entries ---- */

#pragma GCC visibility push(default)

int _tmbuilt_with_thread_option;
int (*G_tpsvrinit__)(int, char **);
void (*G_tpsvrdone__)(void);

#pragma GCC visibility pop

int ndrx_main_integra(int argc, char **argv,
		      int (*in_tpsvrinit)(int, char **),
		      void (*in_tpsvrdone)(void), long flags)
{
	struct ow_program p = { .init = in_tpsvrinit,
				.done = in_tpsvrdone,
				.no_longjmp =
				    (flags & ATMI_SRVLIB_NOLONGJUMP) != 0 };

	return ow_server_run(argc, argv, &p);
}

int _tmstartserver(int argc, char **argv, struct tmsvrargs_t *args)
{
	struct ow_program p = { 0 };

	ow_tp_clear();
	if (args == NULL)
		return ow_tp_fail(TPEINVAL, "tmsvrargs is NULL");
	svrargs = args;
	p.init = args->p_tpsvrinit != NULL ? args->p_tpsvrinit
		 : G_tpsvrinit__ != NULL   ? G_tpsvrinit__
					   : args->p_tpsvrthrinit;
	p.done = args->p_tpsvrdone != NULL ? args->p_tpsvrdone
		 : G_tpsvrdone__ != NULL   ? G_tpsvrdone__
					   : args->p_tpsvrthrdone;
	p.builtin = args->svctab;
	p.no_longjmp = (args->flags & ATMI_SRVLIB_NOLONGJUMP) != 0;
	return ow_server_run(argc, argv, &p);
}

int _tmrunserver(int flags)
{
	(void)flags; /* the loop runs inside _tmstartserver() */
	return 0;
}

struct tmsvrargs_t *_tmgetsvrargs(void)
{
	return svrargs;
}
