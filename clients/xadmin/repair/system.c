/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system.c - ps, killall, qrm, qrmall, svmaps and their like: processes and
 * queues by hand
 *
 * For repairs, where nothing else helps. Names are compared whole, and only
 * what belongs to this domain is touched.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pwd.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clients/common/domain_view.h"
#include "clients/common/format.h"
#include "clients/common/remote.h"
#include "clients/xadmin/command/commands.h"
#include "clients/xadmin/output/listing.h"
#include "clients/xadmin/domain/processes.h"
#include "clients/xadmin/domain/spawn.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/base/env.h"
#include "libatmi/domain/tables.h"
#include "libatmi/member/join.h"

#define TERM_MS	    5000 /* from SIGTERM to SIGKILL */
#define KILL_MAX    1024
#define DSLEEP_MAX  3600000

/* ---- ps ---- */

static const struct ow_column ps_columns[] = {
	{ "USER", 8, OW_COLUMN_GROWS },
	{ "PID", 8, OW_COLUMN_RIGHT },
	{ "PPID", 8, OW_COLUMN_RIGHT },
	{ "CMD", 40, 0 },
	{ NULL, 0, 0 },
};

static const struct ow_column ps_m_columns[] = {
	{ "USER", 8, OW_COLUMN_GROWS },
	{ "PID", 8, OW_COLUMN_RIGHT },
	{ "PPID", 8, OW_COLUMN_RIGHT },
	{ "RSS", 6, OW_COLUMN_RIGHT },
	{ "VSZ", 6, OW_COLUMN_RIGHT },
	{ "CMD", 40, 0 },
	{ NULL, 0, 0 },
};

struct ps {
	const struct ow_args *a;
	struct ow_listing out;
	regex_t regex;
	bool have_regex, memory, pids_only;
	pid_t parent; /* -x, 0: all */
};

static const char *user_of(uid_t uid, char *buf, size_t size)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw != NULL)
		snprintf(buf, size, "%s", pw->pw_name);
	else
		snprintf(buf, size, "%u", uid);
	return buf;
}

/* Every filter must be part of the command line. */
static bool matches(const struct ps *ps, const struct ow_process *p)
{
	static const char filters[] = "abcd";
	const char *f, *text;

	for (f = filters; *f != '\0'; f++) {
		text = ow_args_value(ps->a, *f);
		if (text != NULL && strstr(p->cmdline, text) == NULL)
			return false;
	}
	if (ps->have_regex &&
	    regexec(&ps->regex, p->cmdline, 0, NULL, 0) != 0)
		return false;
	if (ps->parent != 0 && p->pid != ps->parent && p->ppid != ps->parent)
		return false;
	return p->pid != getpid();
}

static void ps_json(struct ow_json *j, const struct ow_process *p,
		    const char *user)
{
	ow_json_row_begin(j);
	ow_json_str(j, "user", user);
	ow_json_int(j, "pid", p->pid);
	ow_json_int(j, "ppid", p->ppid);
	ow_json_uint(j, "rss_bytes", p->rss_kb * 1024);
	ow_json_uint(j, "vsz_bytes", p->vsz_kb * 1024);
	ow_json_str(j, "program", p->name);
	ow_json_str(j, "command", p->cmdline);
	ow_json_row_end(j);
}

static bool ps_one(const struct ow_process *p, void *arg)
{
	char user[64], text[OW_FORMAT_MAX];
	struct ps *ps = arg;
	struct ow_grid *g = ps->out.grid;

	if (!matches(ps, p))
		return true;
	user_of(p->uid, user, sizeof(user));
	if (ps->out.json != NULL) {
		ps_json(ps->out.json, p, user);
		return true;
	}
	if (ps->pids_only) {
		printf("%d\n", (int)p->pid);
		return true;
	}
	ow_grid_cell(g, "%s", user);
	ow_grid_cell(g, "%d", (int)p->pid);
	ow_grid_cell(g, "%d", (int)p->ppid);
	if (ps->memory) {
		ow_grid_cell(g, "%s", ow_format_bytes(p->rss_kb * 1024, text,
						      sizeof(text)));
		ow_grid_cell(g, "%s", ow_format_bytes(p->vsz_kb * 1024, text,
						      sizeof(text)));
	}
	ow_grid_cell(g, "%s", p->cmdline);
	ow_grid_end_row(g);
	return true;
}

/* -r and -x; an exit code. */
static int take_filters(struct ow_args *a, struct ps *ps)
{
	const char *regex = ow_args_value(a, 'r'), *pid = ow_args_value(a, 'x');
	char why[128];
	long v = 0;
	int r;

	if (pid != NULL && (ow_env_parse_long(pid, &v) != 0 || v < 1 ||
			    v > INT32_MAX))
		return ow_cmd_misused(a, "-x %s: want a process id", pid);
	ps->parent = (pid_t)v;
	if (regex == NULL)
		return OW_EXIT_OK;
	r = regcomp(&ps->regex, regex, REG_EXTENDED | REG_NOSUB);
	if (r != 0) {
		regerror(r, &ps->regex, why, sizeof(why));
		return ow_cmd_misused(a, "-r %s: %s", regex, why);
	}
	ps->have_regex = true;
	return OW_EXIT_OK;
}

int ow_system_ps(struct ow_args *a)
{
	struct ps ps = {
		.a = a,
		.memory = ow_args_has(a, 'm'),
		.pids_only = ow_args_has(a, 'p') && !a->json,
	};
	int r = take_filters(a, &ps);

	if (r != OW_EXIT_OK)
		return r;
	if (ps.pids_only)
		ow_process_each(ps_one, &ps);
	else if (ow_listing_begin(&ps.out, a, ps.memory ? ps_m_columns
						       : ps_columns) != 0)
		r = ow_cmd_fail(a, "no memory");
	if (r == OW_EXIT_OK && !ps.pids_only) {
		ow_process_each(ps_one, &ps);
		ow_listing_end(&ps.out);
	}
	if (ps.have_regex)
		regfree(&ps.regex);
	return r;
}

/* ---- killall ---- */

struct killing {
	const struct ow_args *a;
	struct ow_domain d;
	struct {
		int pidfd;
		pid_t pid;
	} found[KILL_MAX];
	int n;
};

static bool collect(const struct ow_process *p, void *arg)
{
	struct killing *k = arg;
	int i, fd;

	for (i = 0; i < k->a->n_rest; i++)
		if (strcmp(p->name, k->a->rest[i]) == 0)
			break;
	if (i == k->a->n_rest || p->pid == getpid() ||
	    !ow_process_is_of(p, &k->d))
		return true;
	fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	/* Still the process that was looked at, not one with its number? */
	if (fd >= 0 && ow_proc_start(p->pid) != p->start) {
		close(fd);
		return true;
	}
	if (fd >= 0) {
		k->found[k->n].pid = p->pid;
		k->found[k->n++].pidfd = fd;
	}
	return k->n < KILL_MAX;
}

static int signal_all(const struct killing *k, int sig)
{
	int i, refused = 0;

	for (i = 0; i < k->n; i++)
		if (syscall(SYS_pidfd_send_signal, k->found[i].pidfd, sig,
			    NULL, 0) < 0 && errno == EPERM)
			refused++;
	return refused;
}

/* Wait until all have ended; how many have not. */
static int wait_all(const struct killing *k, int timeout_ms)
{
	uint64_t end = ow_clock_mono_ns() +
		       (uint64_t)timeout_ms * OW_NS_PER_MS;
	int i, left = 0;

	for (i = 0; i < k->n; i++) {
		struct pollfd p = { .fd = k->found[i].pidfd,
				    .events = POLLIN };
		uint64_t now = ow_clock_mono_ns();

		left += poll(&p, 1, now < end ? (int)((end - now) /
						      OW_NS_PER_MS) : 0) != 1;
	}
	return left;
}

int ow_system_killall(struct ow_args *a)
{
	struct killing *k;
	char why[512];
	int i, left, refused;

	if (a->n_rest == 0)
		return ow_cmd_misused(a, "want names of programs");
	k = calloc(1, sizeof(*k));
	if (k == NULL)
		return ow_cmd_fail(a, "no memory");
	k->a = a;
	if (ow_domain_read_env(&k->d, why, sizeof(why)) != 0 ||
	    ow_view_foreign(&k->d, why, sizeof(why))) {
		free(k);
		return ow_cmd_fail(a, "%s", why);
	}
	ow_process_each(collect, k);
	refused = signal_all(k, SIGTERM);
	left = k->n == refused ? k->n : wait_all(k, TERM_MS);
	if (left > refused) {
		signal_all(k, SIGKILL);
		left = wait_all(k, TERM_MS);
	}
	fprintf(stderr, "%d processes of domain %s ended.\n", k->n - left,
		k->d.prefix);
	for (i = 0; i < k->n; i++)
		close(k->found[i].pidfd);
	free(k);
	if (left > 0)
		return ow_cmd_fail(a, "%d processes stay: %s", left,
				   refused > 0 ? "of another user"
					       : "they do not die");
	return OW_EXIT_OK;
}

/* ---- dsleep ---- */

int ow_system_dsleep(struct ow_args *a)
{
	struct ow_remote remote;
	struct ow_domain d;
	uint64_t ms;
	pid_t pid;
	int r;

	if (a->n_rest != 1 || ow_env_parse_ms(a->rest[0], &ms) != 0 ||
	    ms > DSLEEP_MAX)
		return ow_cmd_misused(a, "want a time, at most an hour: "
					 "seconds such as 5 or 0.5, or 250ms");
	r = ow_spawn_connect_running(a, &d, &remote);
	if (r != OW_EXIT_OK)
		return r;
	pid = ow_remote_pid(&remote);
	if (kill(pid, SIGSTOP) < 0)
		r = ow_cmd_fail(a, "ndrxd, pid %d: %s", (int)pid,
				strerror(errno));
	if (r == OW_EXIT_OK) {
		poll(NULL, 0, (int)ms); /* Ctrl-C at the prompt: earlier */
		kill(pid, SIGCONT);
	}
	ow_remote_close(&remote);
	return r;
}
