/* SPDX-License-Identifier: Apache-2.0 */
/*
 * down.c - down, udown: end a domain in any state
 *
 * A living ndrxd is asked to end the domain. Processes that are left are
 * found and killed, then everything named after the domain is removed.
 * Processes are found in three ways: in the tables (pid and start time); by
 * their mapping of the tables' file, which works even when the tables cannot
 * be read (salvage.h finds the queues of such a domain); programs of <clients>
 * by their environment. There are several rounds, because a dying domain may
 * still be starting processes. `down` may be run twice.
 */
#include "clients/xadmin/repair/repair.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libndrx/observe/procfile.h"
#include "clients/xadmin/domain/processes.h"
#include "clients/xadmin/domain/reach.h"
#include "clients/xadmin/domain/salvage.h"
#include "libatmi/base/owned.h"
#include "libatmi/domain/history.h"
#include "libatmi/transport/transport.h"
#include "libatmi/domain/programs.h"
#include "libatmi/member/reap.h"

#define ASK_MS	   5000 /* silence after which ndrxd counts as hung */
#define ASK_END_MS 5000 /* for ndrxd to end after DONE */
#define ROUNDS	   200
#define ROUND_MS   10

/* The search for the processes and queues of a domain. */
struct hunt {
	struct ow_domain d;
	struct ow_names queues; /* that processes have open */
	pid_t *killed;
	size_t n_killed, cap;
	bool alive; /* a living process was found in this round */
	bool own;   /* spare processes of other users */
};

/* Does the process belong to another user? */
static bool is_others(pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return stat(path, &st) == 0 && !ow_owned_by_us(st.st_uid);
}

static void note_killed(struct hunt *h, pid_t pid)
{
	size_t i, cap;
	void *p;

	for (i = 0; i < h->n_killed; i++)
		if (h->killed[i] == pid)
			return; /* killed in an earlier round */
	if (h->n_killed == h->cap) {
		cap = h->cap == 0 ? 64 : h->cap * 2;
		p = realloc(h->killed, cap * sizeof(*h->killed));
		if (p == NULL)
			return;
		h->killed = p;
		h->cap = cap;
	}
	h->killed[h->n_killed++] = pid;
}

/* Kill process `pid` if it is the one started at `start`. */
static void kill_exactly(struct hunt *h, pid_t pid, uint64_t start)
{
	int fd;

	if (pid <= 1 || pid == getpid() || (h->own && is_others(pid)) ||
	    !ow_proc_is_near(pid))
		return;
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return;
	if (ow_proc_alive(pid, start)) {
		h->alive = true;
		if (syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0)
			note_killed(h, pid);
	}
	close(fd);
}

/* Kill every process that the tables name. */
static void kill_listed(struct hunt *h, const struct ow_observer *v)
{
	const struct ow_tables *t = v->d.tables;
	uint32_t id, i, n = ow_observer_clients(v);
	ow_proc_id owner;

	kill_exactly(h, atomic_load(&t->head->ndrxd_pid),
		     atomic_load(&t->head->ndrxd_start));
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (!ow_srv_is_thread(t, id))
			kill_exactly(h, atomic_load(&t->srv[id].pid),
				     atomic_load(&t->srv[id].start));
	for (i = 0; i < n; i++) {
		owner = atomic_load(&t->clt[i].owner);
		kill_exactly(h, ow_proc_id_pid(owner),
			     ow_proc_id_start(owner));
	}
}

/* An onlooker maps the tables without being of the domain. */
static bool is_onlooker(pid_t pid)
{
	char name[32];

	if (ow_procfile_read(pid, "comm", name, sizeof(name)) <= 0)
		return true;
	name[strcspn(name, "\n")] = '\0';
	return strcmp(name, "xadmin") == 0 || strcmp(name, "ndrxtop") == 0 ||
	       strcmp(name, "ndrxmetrics") == 0;
}

/* Kill every process that has the domain's tables mapped; before, note the
 * queues that it has open. */
static void kill_mapping(struct hunt *h)
{
	struct dirent *e;
	uint64_t start;
	DIR *dir = opendir("/proc");
	pid_t pid;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		pid = (pid_t)atoi(e->d_name);
		if (!isdigit((unsigned char)e->d_name[0]) || pid == getpid())
			continue;
		start = ow_proc_start(pid);
		/* Anybody may map a file of that name. One of a container
		 * may lie in another /dev/shm. */
		if (is_others(pid) || !ow_proc_is_near(pid) ||
		    !ow_process_maps(pid, &h->d) || is_onlooker(pid))
			continue;
		ow_salvage_process(&h->queues, &h->d, pid);
		kill_exactly(h, pid, start);
	}
	if (dir != NULL)
		closedir(dir);
}

/* Kill a program of <clients>; it need not use the domain at all. */
static void kill_program(void *arg, pid_t pid, const char *tag,
			 const char *subsect)
{
	(void)tag;
	(void)subsect;
	kill_exactly(arg, pid, ow_proc_start(pid));
}

/* Kill the ndrxd that listens, unless it is that of another domain with the same
 * NDRX_APPHOME. */
static void kill_listener(struct hunt *h)
{
	struct ow_command_link remote;
	struct ow_process p;

	if (ow_command_open(&h->d, &remote) != 0)
		return;
	if (ow_process_read(ow_command_pid(&remote), &p) &&
	    ow_process_is_of(&p, &h->d))
		kill_exactly(h, p.pid, p.start);
	ow_command_close(&remote);
}

static void kill_round(struct hunt *h)
{
	struct ow_observer v;
	char why[512];

	h->alive = false;
	kill_listener(h);
	if (ow_observer_open(&v, why, sizeof(why)) == 0) {
		kill_listed(h, &v);
		ow_observer_close(&v);
	}
	kill_mapping(h);
	ow_programs_each(h->d.prefix, kill_program, h);
}

/* Kill until two rounds in a row find no process. False: one does not die. */
static bool kill_all(struct hunt *h)
{
	int round, quiet = 0;

	for (round = 0; round < ROUNDS; round++) {
		kill_round(h);
		quiet = h->alive ? 0 : quiet + 1;
		if (quiet == 2)
			return true;
		poll(NULL, 0, ROUND_MS);
	}
	return false;
}

/* Ask a living ndrxd to end the domain: it knows its children best. */
static void ask_ndrxd(struct ow_args *a, const struct ow_domain *d,
		      uint32_t *ret_count)
{
	struct ow_command_order c = {
		.verb = OW_VERB_DOWN,
		.silence_ms = ASK_MS,
	};
	struct ow_command_link remote;
	struct ow_ctl_done done;
	int r = ow_command_open(d, &remote);

	if (r != 0)
		return;
	r = ow_command_call(&remote, &c, &done);
	if (r == 0)
		*ret_count = done.count;
	if (r == 0 && done.status != 0)
		ow_cmd_fail(a, "%s; continuing without it", done.text);
	else if (r < 0 && r != -ENOTCONN)
		ow_cmd_fail(a, "%s; continuing without it",
			    ow_command_strerror(r));
	else if (ow_command_wait_end(&remote, ASK_END_MS) != 0)
		ow_cmd_fail(a, "ndrxd does not end; continuing without it");
	ow_command_close(&remote);
}

/* Remove queues, memory and files. The tables may be damaged; then
 * *ret_unsure: there may be queues whose names nobody knows. */
static int remove_leftovers(struct ow_domain *d, struct ow_names *queues,
			    bool *ret_unsure)
{
	char why[512];
	struct ow_observer v;
	int n = 0, r = ow_observer_open(&v, why, sizeof(why));

	*ret_unsure = false;
	if (r == 0) {
		n = ow_reap_domain(&v.d);
		ow_observer_close(&v);
	} else {
		*ret_unsure = r != OW_TABLES_ABSENT &&
			      d->transport->remove_strays != NULL &&
			      !ow_salvage_can_list();
		ow_salvage_files(queues, d);
		ow_salvage_tables(queues, d);
		n = ow_reap_domain(d);
	}
	return n + ow_salvage_remove(queues);
}

/* ndrxd may be dead: down writes to the history itself. */
static void record(const struct ow_domain *d, size_t ended, int removed)
{
	const struct passwd *pw = getpwuid(getuid());
	struct ow_event e = { .kind = OW_EVENT_COMMAND, .pid = getpid(),
			      .who = "xadmin" };
	char tty[64] = "";

	if (ended == 0 && removed == 0)
		return;
	if (ttyname_r(STDIN_FILENO, tty, sizeof(tty)) != 0)
		tty[0] = '\0';
	snprintf(e.text, sizeof(e.text), "down by user %s%s%s, process %d: "
		 "%zu processes ended, %d objects removed",
		 pw != NULL ? pw->pw_name : "?",
		 tty[0] != '\0' ? ", terminal " : "", tty, (int)getpid(),
		 ended, removed);
	ow_history_append(d, &e); /* a full disk hinders no repair */
}

int ow_repair_down(struct ow_args *a)
{
	struct hunt h = { .n_killed = 0 };
	uint32_t count = 0;
	bool gone, unsure;
	int removed;

	if (ow_reach_own(a, &h.d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	h.own = ow_args_has(a, 'u') || strcmp(a->cmd->name, "udown") == 0;
	if (!ow_cmd_sure(a))
		return OW_EXIT_FAILED;
	ask_ndrxd(a, &h.d, &count);
	gone = kill_all(&h);
	removed = remove_leftovers(&h.d, &h.queues, &unsure);
	fprintf(stderr, "Domain %s is down: %zu processes ended, %d objects "
			"removed here.\n",
		h.d.prefix, count + h.n_killed, removed);
	record(&h.d, count + h.n_killed, removed);
	ow_names_clear(&h.queues);
	free(h.killed);
	if (unsure)
		ow_cmd_fail(a, "the tables were damaged, and queues cannot be "
			       "listed here: some may be left; `mount -t mqueue "
			       "none /dev/mqueue` as root, then `down -y` again");
	if (!gone)
		ow_cmd_fail(a, "a process does not die; does it belong to "
			       "another user?");
	return gone && !unsure ? OW_EXIT_OK : OW_EXIT_FAILED;
}
