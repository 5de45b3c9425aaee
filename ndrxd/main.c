/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ndrxd: options, daemonizing, pid file
 *
 * The process that the user starts exits with 0 only when the supervisor
 * listens and has read its configuration; otherwise with 1 and the reason on
 * standard error. That there is one ndrxd per domain is ensured by a lock on
 * the folder of the control socket: it goes with the process, so no stale
 * file stays.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libatmi/domain/domain.h"
#include "libatmi/base/env.h"
#include "libatmi/base/owned.h"
#include "libatmi/base/terminal.h"
#include "libatmi/log/log.h"
#include "libatmi/log/setting.h"
#include "libatmi/member/join.h"
#include "libubf/base/about.h"
#include "libubf/base/standard.h"
#include "ndrxd/launch/priority.h"
#include "ndrxd/loop.h"
#include "ndrxd/model/ndrxd.h"
#include "ndrxd/setup.h"

#define WHY_SIZE 1024

struct start {
	bool foreground, boot;
	struct ow_priority priority;
	char pid_path[600];
	char log_path[600];
	char why[WHY_SIZE];
};

static const char usage[] =
    "usage: ndrxd [-k KEY] [-r] [-f] [-b] [-h]\n"
    "  -k KEY  marker in the process list, of no other meaning\n"
    "  -r      recovery: accepted; running servers are always adopted\n"
    "  -f      stay in the foreground (PID 1 of a container: always)\n"
    "  -b      start all servers and clients at once; SIGTERM ends them\n"
    "  -h      this text (also --help; --version)\n"
    "SIGHUP reads the configuration again.\n"
    "Environment: NDRX_QPREFIX, NDRX_APPHOME, NDRX_CONFIG (required);\n"
    "NDRX_DPID, NDRX_DMNLOG, NDRX_DMNLEV, NDRX_RNDK.\n";

static void read_options(int argc, char **argv, struct start *s)
{
	int c;

	while ((c = getopt(argc, argv, "k:rfbh")) != -1) {
		switch (c) {
		case 'k':
		case 'r':
			break;
		case 'f':
			s->foreground = true;
			break;
		case 'b':
			s->boot = true;
			break;
		case 'h':
			fputs(usage, stdout);
			exit(0);
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
}

/* ---- files ---- */

/* A full disk is no reason to leave a domain without supervisor. */
static int write_pid(struct start *s)
{
	char tmp[sizeof(s->pid_path) + 24];
	FILE *f;
	int bad, err;

	snprintf(tmp, sizeof(tmp), "%s.%d", s->pid_path, (int)getpid());
	unlink(tmp); /* a planted link would be followed */
	f = fopen(tmp, "wxe");
	bad = f == NULL || fprintf(f, "%d\n", (int)getpid()) < 0;
	if (f != NULL)
		bad |= fclose(f) != 0;
	if (!bad && rename(tmp, s->pid_path) == 0)
		return 0;
	err = errno;
	unlink(tmp);
	if (err == ENOSPC || err == EDQUOT) {
		unlink(s->pid_path); /* it names a process that is gone */
		log_warn("pid file %s: %s: none is written", s->pid_path,
			 strerror(err));
		return 0;
	}
	snprintf(s->why, sizeof(s->why), "pid file %s: %s", s->pid_path,
		 strerror(err));
	return -EIO;
}

static void choose_paths(struct start *s, const struct ow_domain *env)
{
	const char *home = ow_env_str("NDRX_APPHOME", "");
	char dflt[560];

	snprintf(dflt, sizeof(dflt), "%s/ndrxd.pid", env->run_dir);
	snprintf(s->pid_path, sizeof(s->pid_path), "%s",
		 ow_env_str("NDRX_DPID", dflt));
	snprintf(dflt, sizeof(dflt), "%s/log", home);
	mkdir(dflt, 0755);
	snprintf(dflt, sizeof(dflt), "%s/log/ndrxd.log", home);
	snprintf(s->log_path, sizeof(s->log_path), "%s",
		 ow_env_str("NDRX_DMNLOG", dflt));
}

/* Standard output and error of servers without -e go to the log of ndrxd. */
static void redirect_output(const struct start *s)
{
	int fd = open(s->log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
		      OW_LOG_MODE);

	if (fd < 0)
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* ---- the supervisor's process ---- */

static void start_log(const struct start *s)
{
	long lev = -1;

	if (!s->foreground)
		ow_log_default_file(s->log_path);
	if (ow_setting_long("NDRX_DMNLEV", -1, -1, 6, &lev) == 0 && lev >= 0)
		ow_log_set_level((int)lev);
}

static int prepare(struct start *s, struct ndrxd *d)
{
	struct ow_domain env;
	int r = ow_domain_read_env(&env, s->why, sizeof(s->why));

	if (r != 0)
		return r;
	d->config_path = ow_env_str("NDRX_CONFIG", NULL);
	if (d->config_path == NULL || env.run_dir[0] == '\0') {
		snprintf(s->why, sizeof(s->why), "%s is not set",
			 env.run_dir[0] == '\0'
			     ? "NDRX_APPHOME (root folder of the application)"
			     : "NDRX_CONFIG (path of ndrxconfig.xml)");
		return -EINVAL;
	}
	/* Before a file is made in the folder of another user. */
	r = ow_setup_check_owner(&env, s->why, sizeof(s->why));
	if (r != 0)
		return r;
	choose_paths(s, &env);
	d->pid_path = s->pid_path;
	d->boot = s->boot;
	start_log(s);
	if (!s->foreground) {
		redirect_output(s); /* servers inherit it */
		/* Log lines of servers go there too, through a descriptor of
		 * their own, which is reopened when the file is renamed. */
		setenv("NDRX_DFLTLOG", s->log_path, 0);
	}
	d->base.priority = s->priority;
	r = ow_setup_open(d, s->why, sizeof(s->why));
	return r != 0 ? r : write_pid(s);
}

static int serve(struct start *s, int tell_fd)
{
	struct ndrxd *d = calloc(1, sizeof(*d));
	int r = -ENOMEM;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* ulimit -f: as a full disk */
	if (d != NULL)
		r = prepare(s, d);
	if (r == 0) {
		log_info("ndrxd: process %d serves %s", (int)getpid(),
			 d->dom->prefix);
		if (tell_fd >= 0 && write(tell_fd, "+", 1) < 0)
			log_warn("ndrxd: the process that started it is gone");
		if (tell_fd >= 0)
			close(tell_fd);
		ow_loop_run(d);
		log_info("ndrxd: process %d ends", (int)getpid());
	} else if (tell_fd >= 0) {
		if (write(tell_fd, s->why, strlen(s->why)) < 0)
			r = -EIO;
	} else {
		fprintf(stderr, "ndrxd: %s\n", s->why);
	}
	if (d != NULL)
		ow_setup_close(d);
	free(d);
	return r == 0 ? 0 : 1;
}

/* ---- the process that was called ---- */

static int hear(int fd)
{
	char buf[WHY_SIZE];
	ssize_t n;
	size_t len = 0;

	while (len < sizeof(buf) - 1) {
		n = read(fd, buf + len, sizeof(buf) - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
		if (buf[0] == '+')
			return 0;
	}
	buf[len] = '\0';
	fprintf(stderr, "ndrxd: %s\n",
		len > 0 ? buf : "ended before it was ready, see its log");
	return 1;
}

static int daemonize(struct start *s)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		fprintf(stderr, "ndrxd: %s\n", strerror(errno));
		return 1;
	}
	if (pid > 0) {
		close(fds[1]);
		waitpid(pid, NULL, 0);
		return hear(fds[0]);
	}
	close(fds[0]);
	ow_terminal_leave();
	pid = fork();
	if (pid != 0)
		_exit(pid < 0);
	return serve(s, fds[1]);
}

int main(int argc, char **argv)
{
	static struct start s;

	ow_standard_fill();
	if (ow_about_text(argc, argv, "ndrxd", usage))
		return 0;
	read_options(argc, argv, &s);
	s.priority = ow_priority_raise(); /* first: a start may wait, too */
	ow_priority_bound(&s.priority, OW_PRIORITY_MAX_US);
	s.foreground |= getpid() == 1;
	/* A daemon with its caller's pipe open keeps the caller waiting. */
	if (!s.foreground)
		close_range(STDERR_FILENO + 1, ~0U, 0);
	return s.foreground ? serve(&s, -1) : daemonize(&s);
}
