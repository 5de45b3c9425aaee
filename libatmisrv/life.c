/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life.c - the life of a server process, from its options to its exit status
 *
 * Order: options, domain, slot, hello to ndrxd, tpsvrinit(), services
 * published, ready, loop, services withdrawn, slot given back; tpsvrdone()
 * runs after the loop. Dispatch threads live from before "published" to the
 * end of the loop (pool.h). All of it works without ndrxd.
 */
#include "libatmisrv/life.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <userlog.h>

#include "libatmi/base/pages.h"
#include "libatmi/buffer/buf.h"
#include "libatmi/call/life.h"
#include "libatmi/context/return.h"
#include "libatmi/domain/prc.h"
#include "libatmi/door/runtime.h"
#include "libatmi/log/log.h"
#include "libatmisrv/advertise.h"
#include "libatmisrv/continued.h"
#include "libatmisrv/control.h"
#include "libatmisrv/join.h"
#include "libatmisrv/loop.h"
#include "libatmisrv/options.h"
#include "libatmisrv/output.h"
#include "libatmisrv/pool.h"
#include "libatmisrv/program.h"
#include "libatmisrv/selection.h"
#include "libatmisrv/server.h"
#include "libatmisrv/init_queue.h"
#include "libubf/base/standard.h"
#include "libubf/base/variable.h"

/* ---- signals and forks ---- */

/* SIGINT and SIGTERM: finish the request in hand; a second signal kills. */
static void on_signal(int sig)
{
	struct ow_server *s = ow_server_main();

	signal(sig, SIG_DFL);
	if (s != NULL) {
		s->signalled = 1;
		ow_waitset_kick(s->waitset);
	}
}

/* A log that may not grow (ulimit -f) is a full disk, and no reason to die. A handler:
 * programs that the server starts do not inherit it. */
static void on_too_large(int sig)
{
	(void)sig;
}

/* The runtime of Go has handlers for all signals, by which the process dies; they are
 * known by these flags, and hold back all signals (those below 32 are asked). Others
 * are of the program, which has its reasons. */
static bool is_of_a_runtime(const struct sigaction *a)
{
	const int flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
	int sig;

	for (sig = 1; sig < 32; sig++)
		if (sig != SIGKILL && sig != SIGSTOP &&
		    sigismember(&a->sa_mask, sig) == 0)
			return false;
	return (a->sa_flags & flags) == flags;
}

/* On the stack for signals: a thread that runs Go has a small one. */
static void catch_signal(int sig, void (*handler)(int))
{
	struct sigaction old, sa = { .sa_handler = handler,
				     .sa_flags = SA_RESTART | SA_ONSTACK };

	if (sigaction(sig, NULL, &old) == 0 &&
	    (old.sa_handler == SIG_DFL || is_of_a_runtime(&old)))
		sigaction(sig, &sa, NULL);
}

/* A child that the program forks must not act for the server. */
static void forked(void)
{
	struct ow_server *s = ow_server_main();

	if (s != NULL && s->ctl_fd >= 0)
		close(s->ctl_fd);
	ow_server_set_self(NULL);
}

/* ---- start ---- */

/* tpsvrinit(): 0, or not 0. */
static int init_program(struct ow_server *s, const struct ow_program *p)
{
	int r;

	if (p->with != NULL && p->with->init == NULL)
		return 0;
	if (!ow_program_has_init(p)) /* as the default of Tuxedo */
		return tpsvrthrinit(s->opt->argc, s->opt->argv) < 0 ? -1 : 0;
	ow_init_queue_begin(s);
	r = ow_program_init(p, s->opt->argc, s->opt->argv);
	ow_server_end_child(s, "tpsvrinit()");
	ow_init_queue_end(s);
	return r < 0 ? -1 : 0;
}

/* Run tpsvrinit(), then publish everything that was advertised. */
static int start_program(struct ow_server *s, const struct ow_program *p)
{
	if (ow_selection_offer(s, p->builtin) != 0 ||
	    init_program(s, p) != 0 ||
	    ow_selection_apply(s, p->builtin) != 0 ||
	    ow_pool_start(s, p) != 0 || ow_offer_publish_all(s) != 0) {
		if (tperrno != 0)
			fprintf(stderr, "%s: start: %s\n", s->opt->bin,
				tpstrerror(tperrno));
		else
			fprintf(stderr, "%s: tpsvrinit() failed\n",
				s->opt->bin);
		userlog_const("server did not start: tpsvrinit() failed");
		return -1;
	}
	ow_pool_open(s);
	ow_init_queue_start(s);
	return 0;
}

static int serve(struct ow_server *s, const struct ow_program *p)
{
	int r = ow_server_prepare(s);

	if (r != 0) {
		fprintf(stderr, "%s: start: %s\n", s->opt->bin, strerror(-r));
		return 1;
	}
	catch_signal(SIGINT, on_signal);
	catch_signal(SIGTERM, on_signal);
	catch_signal(SIGXFSZ, on_too_large);
	ow_control_connect(s);
	s->ctx->attend = ow_control_attend;
	r = start_program(s, p);
	if (r == 0) {
		ow_control_ready(s);
		r = ow_loop_run(s);
		ow_pool_stop(s);
		ow_program_done(p);
		ow_server_end_child(s, "tpsvrdone()");
		ow_continued_refuse_all(s);
	}
	return r == 0 ? 0 : 1;
}

/* ---- end ---- */

static void end(struct ow_server *s)
{
	bool whole = true;
	uint32_t row;

	ow_pool_stop(s);
	ow_init_queue_drop(s);
	if (s->ctx->away != 0)
		ow_context_return(s->ctx);
	atomic_store(&s->slot->state, OW_SRV_STOPPING);
	for (row = 0; row < s->noffers; row++)
		whole &= ow_offer_leave(s, row) == 0;
	/* What could not be withdrawn is left to the reaper, with the slot. */
	if (whole)
		ow_server_leave(s);
	ow_server_close(s);
	if (s->ctl_fd >= 0)
		close(s->ctl_fd);
	ow_buf_set_home(NULL);
	s->ctx->srvid = 0;
	s->ctx->runtime = false;
	ow_runtime_leave();
	s->ctx->attend = NULL;
	ow_ctx_leave();
	ow_server_set_self(NULL);
	ow_options_free(s->opt);
	free(s->ext.pollers);
	ow_pages_give(s, sizeof(*s));
}

int ow_server_run(int argc, char **argv, const struct ow_program *p)
{
	struct ow_server *s;
	int r;

	/* Options name files, and its caller writes the command line. */
	if (ow_variable_is_elevated()) {
		fprintf(stderr, "%s: a set-user-ID program is no server\n",
			argv[0]);
		return 1;
	}
	ow_standard_fill(); /* before -e and -o are opened */
	s = ow_pages_take(sizeof(*s));
	if (s == NULL)
		return 1;
	r = ow_options_parse(argc, argv, &s->opt);
	if (r != 0) {
		ow_pages_give(s, sizeof(*s));
		return r == OW_OPTIONS_HELP ? 0 : 1;
	}
	s->ctl_fd = -1;
	s->no_longjmp = p->no_longjmp;
	ow_output_redirect(s->opt);
	if (s->opt->log_level >= 0)
		ow_log_set_level(s->opt->log_level);
	if (ow_server_join(s) != 0) {
		ow_options_free(s->opt);
		ow_pages_give(s, sizeof(*s));
		return 1;
	}
	s->forks = ow_prc_forks();
	ow_server_set_self(s);
	pthread_atfork(NULL, NULL, forked);
	r = serve(s, p);
	end(s);
	return r;
}
