/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats_server.c - the nats-server of a TCP link, a child of the passive side
 *
 * One thread starts it, reads what it says, and starts it again when it has
 * ended. The kernel kills a child whose parent's thread is gone
 * (PR_SET_PDEATHSIG), so it dies with the bridge, and the port is free for the
 * next one.
 *
 * Its configuration is a file without a name, inherited: nobody else reads the
 * passwords, and nothing is left behind. It is written anew, and the child told
 * so, when a file of the settings changes.
 */
#include "servers/bridge/wire/nats_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <userlog.h>

#include "libatmi/base/clock.h"
#include "libatmi/log/log.h"
#include "libubf/base/variable.h"

#define STEP_MS	   500
#define READY_NS   (5 * OW_NS_PER_SEC)
#define AGAIN_NS   (1 * OW_NS_PER_SEC) /* between two starts that fail */
#define END_STEPS  200		       /* of 10 ms, until it is killed */
#define FILES	   4

struct ow_br_nats_server {
	const struct ow_br_options *opt;
	char program[4096];
	int conf;	   /* the file without a name */
	int out;	   /* what the child says; -1: there is none */
	pid_t parent;
	_Atomic bool ended, ready, failed;
	uint64_t begun_ns;
	struct timespec seen[FILES]; /* when the files of settings changed */
	char line[1024];
	size_t len;
	char said[400]; /* the last error: each is told once until it listens */
	pthread_t thread;
	/* Guards `pid`: a number that is signalled is that of the child. */
	pthread_mutex_t lock;
	pid_t pid; /* 0: none */
};

/* ---- what it says ---- */

/* The text behind the level, "[ERR] ..."; NULL: it is of no interest. */
static const char *find_error(const char *line)
{
	static const char *const levels[] = { "[ERR] ", "[FTL] " };
	const char *at;
	size_t i;

	for (i = 0; i < 2; i++) {
		at = strstr(line, levels[i]);
		if (at != NULL)
			return at + strlen(levels[i]);
	}
	/* What is wrong with its configuration comes without a level. */
	return strncmp(line, "nats-server: ", 13) == 0 ? line : NULL;
}

static void tell(struct ow_br_nats_server *s, const char *error)
{
	char address[300], text[sizeof(s->said)];

	ow_tcp_link_address(&s->opt->tcp, address, sizeof(address));
	if (strstr(error, "address already in use") != NULL)
		snprintf(text, sizeof(text), "port %u is in use by another "
			 "program (%.120s): tried again each second",
			 s->opt->tcp.port, address);
	else
		snprintf(text, sizeof(text), "nats-server: %.300s", error);
	/* Numbers of connections differ, and the rest is the same. */
	if (strcmp(text, s->said) == 0)
		return;
	memcpy(s->said, text, sizeof(text));
	log_error("TCP link to node %u: %s", s->opt->tcp.node, text);
	userlog((char *)"ERROR: TCP link to node %u: %s", s->opt->tcp.node,
		text);
}

static void take_line(struct ow_br_nats_server *s)
{
	const char *error = find_error(s->line), *at;

	log_debug("nats-server: %s", s->line);
	if (strstr(s->line, "Server is ready") != NULL) {
		atomic_store(&s->ready, true);
		s->said[0] = '\0';
	}
	if (error == NULL)
		return;
	at = strstr(error, " - cid:"); /* ADDRESS:PORT - cid:N - "..." - WHY */
	at = at != NULL ? strstr(at + 3, " - ") : NULL;
	tell(s, at != NULL ? at + 3 : error);
	if (!atomic_load(&s->ready))
		atomic_store(&s->failed, true);
}

/* False: the child has closed its output. */
static bool read_some(struct ow_br_nats_server *s)
{
	char bytes[512];
	ssize_t i, n = read(s->out, bytes, sizeof(bytes));

	for (i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			if (s->len + 1 < sizeof(s->line))
				s->line[s->len++] = bytes[i];
			continue;
		}
		s->line[s->len] = '\0';
		s->len = 0;
		take_line(s);
	}
	return n > 0 || (n < 0 && errno == EINTR);
}

/* ---- the child ---- */

/* In the child: nothing that takes a lock. */
static void become(const struct ow_br_nats_server *s, int out,
		   char *const *argv, char *const *envp)
{
	sigset_t none;

	sigemptyset(&none);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != s->parent ||
	    setpgid(0, 0) != 0 || sigprocmask(SIG_SETMASK, &none, NULL) != 0 ||
	    dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0 ||
	    fcntl(s->conf, F_SETFD, 0) != 0)
		_exit(127);
	execve(s->program, argv, envp);
	_exit(127);
}

/* 0 or -errno. */
static int start(struct ow_br_nats_server *s)
{
	char path[64], word[] = "nats-server", c[] = "-c",
	     folders[] = "PATH=/usr/bin:/bin";
	char *argv[] = { word, c, path, NULL }, *envp[] = { folders, NULL };
	int fds[2];
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->conf);
	if (pipe2(fds, O_CLOEXEC) != 0)
		return -errno;
	s->begun_ns = ow_clock_mono_ns();
	pthread_mutex_lock(&s->lock);
	pid = fork();
	if (pid == 0)
		become(s, fds[1], argv, envp);
	s->pid = pid > 0 ? pid : 0;
	pthread_mutex_unlock(&s->lock);
	close(fds[1]);
	s->out = fds[0];
	s->len = 0;
	if (pid > 0)
		return 0;
	close(s->out);
	return -EAGAIN;
}

static void signal_child(struct ow_br_nats_server *s, int sig)
{
	pthread_mutex_lock(&s->lock);
	if (s->pid > 0)
		kill(s->pid, sig);
	pthread_mutex_unlock(&s->lock);
}

/* It has closed its output: wait for its end. */
static void reap(struct ow_br_nats_server *s)
{
	siginfo_t info;
	int status = 0;

	while (waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOWAIT) != 0 &&
	       errno == EINTR)
		;
	pthread_mutex_lock(&s->lock);
	(void)waitpid(s->pid, &status, 0);
	s->pid = 0;
	pthread_mutex_unlock(&s->lock);
	close(s->out);
	s->out = -1;
	if (!atomic_load(&s->ended) && atomic_load(&s->ready))
		log_error("TCP link to node %u: its nats-server has ended "
			  "(%s %d): started again", s->opt->tcp.node,
			  WIFSIGNALED(status) ? "signal" : "status",
			  WIFSIGNALED(status) ? WTERMSIG(status)
					      : WEXITSTATUS(status));
	atomic_store(&s->ready, false);
}

/* ---- its configuration ---- */

static int write_conf(struct ow_br_nats_server *s,
		      const struct ow_br_options *o)
{
	char *text = ow_br_nats_server_text(o);
	size_t len = text != NULL ? strlen(text) : 0;
	int r = text != NULL && ftruncate(s->conf, 0) == 0 &&
			pwrite(s->conf, text, len, 0) == (ssize_t)len
		    ? 0 : -1;

	if (text != NULL)
		explicit_bzero(text, len);
	free(text);
	return r;
}

/* Have files of the settings changed since the last look? */
static bool have_changed(struct ow_br_nats_server *s)
{
	const struct ow_nats_options *n = &s->opt->nats;
	const char *file[FILES] = { n->ca, n->cert, n->key,
				    s->opt->other_password_file };
	struct timespec now[FILES];
	struct stat st;
	bool changed;
	int i;

	memset(now, 0, sizeof(now));
	for (i = 0; i < FILES; i++)
		if (file[i] != NULL && stat(file[i], &st) == 0)
			now[i] = st.st_mtim;
	changed = memcmp(now, s->seen, sizeof(now)) != 0;
	memcpy(s->seen, now, sizeof(now));
	return changed;
}

static void look_at_files(struct ow_br_nats_server *s)
{
	struct ow_br_options now = *s->opt;
	char why[256] = "";

	if (!have_changed(s))
		return;
	if (ow_br_password_read(now.other_password_file, &now.other_password,
				why, sizeof(why)) != 0)
		log_error("TCP link to node %u: %s", now.tcp.node, why);
	else if (write_conf(s, &now) == 0)
		signal_child(s, SIGHUP);
	explicit_bzero(&now, sizeof(now));
}

/* ---- the thread ---- */

static void listen_to(struct ow_br_nats_server *s)
{
	struct pollfd p = { .fd = s->out, .events = POLLIN };

	for (;;) {
		if (poll(&p, 1, STEP_MS) > 0 && !read_some(s))
			return;
		look_at_files(s);
	}
}

static void pass(uint64_t ns)
{
	const struct timespec t = { .tv_sec = (time_t)(ns / OW_NS_PER_SEC),
				    .tv_nsec = (long)(ns % OW_NS_PER_SEC) };

	nanosleep(&t, NULL);
}

static void *run(void *arg)
{
	struct ow_br_nats_server *s = arg;
	uint64_t now;

	while (!atomic_load(&s->ended)) {
		if (start(s) == 0) {
			if (atomic_load(&s->ended)) /* stop() came before */
				signal_child(s, SIGKILL);
			listen_to(s);
			reap(s);
		}
		now = ow_clock_mono_ns();
		while (!atomic_load(&s->ended) &&
		       now - s->begun_ns < AGAIN_NS) {
			pass(10 * OW_NS_PER_MS);
			now = ow_clock_mono_ns();
		}
	}
	return NULL;
}

static void warn_of_strangers(const struct ow_br_options *o)
{
	static const char text[] =
	    "TCP link to node %u: whoever reaches port %u can speak as that "
	    "node: give both sides password_file, or TLS, of section "
	    "[@cluster] (ndrxbridge(8))";

	if (!ow_tcp_link_is_open(&o->tcp) || o->other_password_file != NULL ||
	    (o->nats.cert != NULL && o->nats.ca != NULL))
		return;
	log_warn(text, o->tcp.node, o->tcp.port);
	userlog((char *)"WARNING: TCP link to node %u: whoever reaches port %u "
		"can speak as that node: give both sides password_file, or "
		"TLS, of section [@cluster] (ndrxbridge(8))", o->tcp.node,
		o->tcp.port);
}

static int make(const struct ow_br_options *o, struct ow_br_nats_server **ret,
		char *why, size_t size)
{
	struct ow_br_nats_server *s = calloc(1, sizeof(*s));

	snprintf(why, size, "no memory");
	if (s == NULL)
		return -1;
	*ret = s;
	s->opt = o;
	s->out = -1;
	s->parent = getpid();
	s->conf = memfd_create("nats-server.conf", MFD_CLOEXEC);
	pthread_mutex_init(&s->lock, NULL);
	if (s->conf < 0 || write_conf(s, o) != 0)
		return -1;
	if (ow_tcp_link_program(ow_variable("PATH"), s->program,
				sizeof(s->program)) == 0)
		return 0;
	snprintf(why, size, "TCP link: nats-server, of the package "
		 "nats-server, is neither in PATH nor in /usr/sbin: install it "
		 "at the side that listens (-t P)");
	return -1;
}

static void destroy(struct ow_br_nats_server *s)
{
	if (s->conf >= 0)
		close(s->conf);
	free(s);
}

int ow_br_nats_server_start(const struct ow_br_options *o,
			    struct ow_br_nats_server **ret, char *why,
			    size_t size)
{
	struct ow_br_nats_server *s = NULL;
	uint64_t until = ow_clock_mono_ns() + READY_NS;
	int r = make(o, &s, why, size);

	if (r == 0) {
		warn_of_strangers(o);
		have_changed(s);
		if (pthread_create(&s->thread, NULL, run, s) != 0) {
			snprintf(why, size, "no thread");
			r = -1;
		}
	}
	if (r != 0) {
		if (s != NULL)
			destroy(s);
		return -1;
	}
	while (!atomic_load(&s->ready) && !atomic_load(&s->failed) &&
	       ow_clock_mono_ns() < until)
		pass(5 * OW_NS_PER_MS);
	*ret = s;
	return 0;
}

void ow_br_nats_server_stop(struct ow_br_nats_server *s)
{
	int i;

	if (s == NULL)
		return;
	atomic_store(&s->ended, true);
	signal_child(s, SIGTERM);
	for (i = 0; i < END_STEPS && atomic_load(&s->ready); i++)
		pass(10 * OW_NS_PER_MS);
	signal_child(s, SIGKILL);
	pthread_join(s->thread, NULL);
	destroy(s);
}
