/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.c - start processes of a <server> entry
 */
#include "ndrxd/launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libndrx/config/cmdline.h"
#include "libndrx/config/config.h"
#include "ndrxd/launch/exec.h"
#include "ndrxd/launch/procdir.h"
#include "libndrx/prepare/entry.h"
#include "libndrx/prepare/path.h"
#include "libndrx/prepare/procenv.h"
#include "libubf/base/cleanup.h"

struct ow_launch {
	const struct ow_config_server *def;
	struct ow_procenv env;
	uint64_t prepared_ns;
	char path[PATH_MAX];
};

/* ---- the environment ---- */

/* Has the command line what users must not see? */
static bool hides(const struct ow_launch *l)
{
	return ow_entry_hides(l->def->sysopt) ||
	       ow_entry_hides(l->def->appopt) ||
	       ow_entry_hides(l->def->cmdline);
}

/* The program, for users. */
static const char *program_of(const struct ow_launch *l)
{
	return ow_entry_hides(l->def->cmdline) ? l->def->name : l->path;
}

static int own_env(struct ow_launch *l, const struct ow_launch_one *one,
		   const char *clopt)
{
	int r = ow_procenv_set_number(&l->env, "NDRX_SVSRVID", one->srvid);

	if (r == 0)
		r = ow_procenv_set(&l->env, "NDRX_SVCLOPT", clopt);
	if (r == 0)
		r = ow_entry_mark_hidden(&l->env, hides(l));
	if (r == 0)
		r = ow_procenv_set(&l->env, "NDRX_RESPAWN",
				   one->respawn ? "1" : NULL);
	return r;
}

/* ---- the arguments ---- */

static int add_pair(struct ow_cmdline *cmd, const char *option,
		    const char *value)
{
	int r = ow_cmdline_add(cmd, option);

	return r == 0 ? ow_cmdline_add(cmd, value) : r;
}

/* A server of a UBBCONFIG gets what Tuxedo gives it, besides -i: there are
 * programs that look for these options, to know that they are servers. */
static int add_tuxedo(struct ow_launch *l, struct ow_cmdline *cmd)
{
	const char *log = ow_procenv_get(&l->env, "ULOGPFX"),
		   *folder = ow_procenv_get(&l->env, "NDRX_ULOG");
	char group[16], host[256] = "", path[PATH_MAX];
	int r;

	if (ow_procenv_get(&l->env, "TUXCONFIG") == NULL)
		return 0;
	(void)gethostname(host, sizeof(host) - 1);
	snprintf(group, sizeof(group), "%d", l->def->procgrp_no);
	snprintf(path, sizeof(path), "%s/ULOG", folder != NULL ? folder : ".");
	r = add_pair(cmd, "-g", group);
	if (r == 0)
		r = add_pair(cmd, "-u", host);
	if (r == 0)
		r = add_pair(cmd, "-U", log != NULL ? log : path);
	return r == 0 ? add_pair(cmd, "-m", "0") : r;
}

typedef int entry_words(const struct ow_procenv *e, struct ow_cmdline *cmd,
			const char *text, char *why);

/* The options of a server, without its name. */
static int add_options(struct ow_launch *l, const struct ow_launch_base *base,
		       struct ow_launch_one *one, entry_words *words,
		       struct ow_cmdline *cmd)
{
	char id[16];
	int r = 0;

	snprintf(id, sizeof(id), "%d", one->srvid);
	if (base->rndk[0] != '\0')
		r = add_pair(cmd, "-k", base->rndk);
	if (r == 0)
		r = add_pair(cmd, "-i", id);
	if (r == 0)
		r = add_tuxedo(l, cmd);
	if (r == 0)
		r = words(&l->env, cmd, l->def->sysopt, one->why);
	if (r == 0)
		r = ow_cmdline_add(cmd, "--");
	if (r == 0)
		r = words(&l->env, cmd, l->def->appopt, one->why);
	return r;
}

/* Words joined by blanks, from argv[1] on. */
static char *join(const struct ow_cmdline *cmd)
{
	size_t i, n = 1;
	char *s, *p;

	for (i = 1; i < cmd->argc; i++)
		n += strlen(cmd->argv[i]) + 1;
	s = p = malloc(n);
	if (s == NULL)
		return NULL;
	for (i = 1; i < cmd->argc; i++)
		p += sprintf(p, "%s%s", i > 1 ? " " : "", cmd->argv[i]);
	*p = '\0';
	return s;
}

static int add_all(struct ow_launch *l, const struct ow_launch_base *base,
		   struct ow_launch_one *one, entry_words *words,
		   struct ow_cmdline *cmd)
{
	int r = ow_cmdline_add(cmd, l->def->name);

	return r != 0 ? r : add_options(l, base, one, words, cmd);
}

/* The options for users, into one->clopt. */
static int show_options(struct ow_launch *l, const struct ow_launch_base *base,
			struct ow_launch_one *one)
{
	struct ow_cmdline shown = { 0 };
	int r = add_all(l, base, one, ow_entry_words_shown, &shown);

	if (r == 0)
		one->clopt = join(&shown);
	ow_cmdline_clear(&shown);
	return r == 0 && one->clopt == NULL ? -ENOMEM : r;
}

static int make_args(struct ow_launch *l, const struct ow_launch_base *base,
		     struct ow_launch_one *one, struct ow_cmdline *cmd)
{
	OW_CLEANUP(ow_cleanup_freep) char *clopt = NULL;
	int r = ow_procenv_set_number(&l->env, "NDRX_SVSRVID", one->srvid);

	if (r == 0)
		r = add_all(l, base, one, ow_entry_words, cmd);
	if (r == 0)
		r = show_options(l, base, one);
	if (r != 0)
		return r;
	clopt = join(cmd);
	if (clopt == NULL)
		return -ENOMEM;
	r = own_env(l, one, clopt);
	if (r == 0 && l->def->cmdline != NULL) {
		ow_cmdline_clear(cmd);
		r = ow_entry_words(&l->env, cmd, l->def->cmdline,
				   one->why);
	}
	return r;
}

/* ---- prepare, start ---- */

enum ow_proc_state ow_launch_prepare(const struct ow_config_server *def,
				     char why[OW_LAUNCH_WHY],
				     struct ow_launch **ret_launch)
{
	struct ow_launch *l = calloc(1, sizeof(*l));
	enum ow_proc_state state = 0;
	int r;

	if (l == NULL) {
		snprintf(why, OW_LAUNCH_WHY, "no memory");
		return OW_PROC_LIMITS;
	}
	l->def = def;
	l->prepared_ns = ow_clock_mono_ns();
	r = ow_entry_server_env(def, &l->env, why);
	if (r < 0)
		snprintf(why, OW_LAUNCH_WHY, "environment: %s", strerror(-r));
	if (r != 0)
		state = r < 0 ? OW_PROC_LIMITS : OW_PROC_ENVIRON;
	if (state == 0) {
		r = ow_entry_program(def, &l->env, l->path, sizeof(l->path));
		if (r != 0) {
			snprintf(why, OW_LAUNCH_WHY, "%.180s: %s",
				 program_of(l), strerror(r));
			state = ow_path_state(r);
		}
	}
	if (state != 0)
		ow_launch_free(l);
	else
		*ret_launch = l;
	return state;
}

struct ow_launch *ow_launch_free(struct ow_launch *l)
{
	if (l == NULL)
		return NULL;
	ow_procenv_clear(&l->env);
	free(l);
	return NULL;
}

uint64_t ow_launch_age_ms(const struct ow_launch *l)
{
	return (ow_clock_mono_ns() - l->prepared_ns) / OW_NS_PER_MS;
}

const char *ow_launch_path(const struct ow_launch *l)
{
	return l->path;
}

enum ow_proc_state ow_launch_start(struct ow_launch *l,
				   const struct ow_launch_base *base,
				   struct ow_launch_one *one)
{
	struct ow_cmdline cmd = { 0 };
	enum ow_proc_state state = 0;
	int r = make_args(l, base, one, &cmd);

	if (r != 0) {
		state = r < 0 ? OW_PROC_LIMITS : OW_PROC_ARGS;
		one->err = r < 0 ? -r : EINVAL;
	} else {
		struct ow_launch_exec e = { .path = l->path,
					    .argv = cmd.argv,
					    .envp = l->env.v,
					    .base = base,
					    .lock_fd = one->lock_fd,
					    .out_fd = -1,
					    .err_fd = -1 };

		r = ow_launch_exec(&e, &one->pid);
		one->err = -r;
		state = r < 0 ? ow_path_state(-r) : 0;
	}
	if (state != 0 && one->why[0] == '\0')
		snprintf(one->why, sizeof(one->why), "%.180s: %s",
			 program_of(l), strerror(one->err));
	ow_cmdline_clear(&cmd);
	return state;
}

/* Has the process another value of a variable than it would get now? */
static bool differs(const struct ow_launch *l, pid_t pid, const char *name)
{
	OW_CLEANUP(ow_cleanup_freep) char *has = ow_procdir_variable(pid, name);
	const char *now = ow_procenv_get(&l->env, name);

	return has == NULL || now == NULL ? has != now : strcmp(has, now) != 0;
}

/* One of those that its entry sets. What ndrxd itself was started with may be
 * another one each time: tprecover starts it with the variables of its entry. */
static bool env_differs(const struct ow_launch *l, pid_t pid)
{
	static const char *const own[] = {
		"NDRX_SVPROCNAME", "NDRX_SVCLOPT",
		"NDRX_MINDISPATCHTHREADS", "NDRX_MAXDISPATCHTHREADS",
	};
	bool other = l->def->cctag != NULL && differs(l, pid, "NDRX_CCTAG");
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(own[0]) && !other; i++)
		other = differs(l, pid, own[i]);
	for (i = 0; i < l->def->n_envs && !other; i++)
		other = !l->def->envs[i].is_added &&
			differs(l, pid, l->def->envs[i].name);
	return other;
}

/* Has ndrxd started it, and can that still be read? */
static bool is_on_record(pid_t pid)
{
	OW_CLEANUP(ow_cleanup_freep) char *name =
		ow_procdir_variable(pid, "NDRX_SVPROCNAME");

	return name != NULL;
}

bool ow_launch_differs(struct ow_launch *l, const struct ow_launch_base *base,
		       int srvid, pid_t pid)
{
	struct ow_launch_one one = { .srvid = srvid, .lock_fd = -1 };
	struct ow_cmdline cmd = { 0 };
	bool other = is_on_record(pid) &&
		     make_args(l, base, &one, &cmd) == 0 &&
		     env_differs(l, pid);

	ow_cmdline_clear(&cmd);
	free(one.clopt);
	return other;
}
