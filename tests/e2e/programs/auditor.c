/* SPDX-License-Identifier: Apache-2.0 */
/*
 * auditor.c - check that the supervisor does what its table says
 *
 * Follows the events of a domain from outside and compares them with each
 * other, with the clock and with /proc, until SIGTERM. Every violation is a
 * line; the last line is a summary as JSON. Rules:
 *   - one process per server id; a start only after the end of the last one;
 *   - a server that died is started again, not before the back-off, and not
 *     much later; unless it was given up;
 *   - a server that is late, or was asked to end, is gone after the kill
 *     sequence;
 *   - a death is noticed at once; no zombie stays.
 *
 * usage: auditor RESTART_MIN RESTART_MAX END_MAX KILLTIME   (ms)
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/clock.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/events.h"
#include "libatmi/member/join.h"

#define IDS	 65536
/* On a full machine a process of usual priority waits for a CPU for seconds
 * at times, also one that is killed and has to run to end. */
#define SLACK_MS 5000u
#define FIRST	 10 /* SCHED_RR: above ndrxd */
#define EARLY_MS 3u    /* two clocks are compared */
#define LOOK_US	 50000

enum life {
	UNKNOWN, /* at first, and after events were missed */
	DOWN,
	UP,
};

struct server {
	enum life life;
	int32_t pid;
	bool died, late, stopping, gave_up;
	bool vague;  /* ndrxd was killed, its last events may be missing */
	bool unseen; /* it died while no ndrxd ran: started without back-off */
	uint64_t t_end;	   /* of its last process, ms */
	uint64_t t_due;	   /* its process must be gone by then; 0: not */
	uint64_t t_absent; /* its process is gone since; 0: it exists */
};

struct audit {
	uint64_t restart_min, restart_max, kill_ms, end_ms;
	struct ow_domain dom;
	struct ow_events *events;
	uint64_t next;
	uint64_t seen[OW_EVENT_KIND_END];
	_Atomic uint64_t violations;
	uint64_t missed;
	_Atomic uint64_t t_ndrxd; /* begin of the last ndrxd, ms */
	struct server servers[IDS];
};

static volatile sig_atomic_t over;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

static uint64_t now_ms(void)
{
	return ow_clock_mono_ns() / OW_NS_PER_MS;
}

static void violation(struct audit *a, uint32_t srvid, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void violation(struct audit *a, uint32_t srvid, const char *fmt, ...)
{
	va_list ap;

	if (atomic_fetch_add(&a->violations, 1) > 100)
		return;
	flockfile(stdout);
	printf("violation: server %u, %" PRIu64 " ms after the begin of "
	       "ndrxd: ", srvid, now_ms() - a->t_ndrxd);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	funlockfile(stdout);
}

/* ---- events against each other ---- */

static void on_start(struct audit *a, struct server *s,
		     const struct ow_event *e)
{
	uint64_t t = e->mono_ns / OW_NS_PER_MS;

	if (s->life == UP)
		violation(a, e->srvid, "process %d started while %d lives",
			  e->pid, s->pid);
	if (s->life == DOWN && s->died && !s->gave_up && !s->unseen &&
	    t + EARLY_MS < s->t_end + a->restart_min)
		violation(a, e->srvid, "started %" PRIu64 " ms after a death",
			  t - s->t_end);
	memset(s, 0, sizeof(*s));
	s->life = UP;
	s->pid = e->pid;
}

static void on_up(struct audit *a, struct server *s, const struct ow_event *e)
{
	if (s->life == DOWN && !s->vague)
		violation(a, e->srvid, "%s without a process",
			  ow_event_word(e->kind));
	if (s->life == UP && e->pid != s->pid)
		violation(a, e->srvid, "%s of process %d, but %d was started",
			  ow_event_word(e->kind), e->pid, s->pid);
	s->life = UP;
	s->pid = e->pid;
	s->late = s->vague = false;
	s->t_due = 0;
}

static void on_end(struct audit *a, struct server *s, const struct ow_event *e)
{
	if (s->life == DOWN && !s->vague)
		violation(a, e->srvid, "%s without a process",
			  ow_event_word(e->kind));
	s->life = DOWN;
	s->died = e->kind == OW_EVENT_DIED && !s->stopping;
	s->unseen = strncmp(e->text, "while no ndrxd", 14) == 0;
	s->t_end = e->mono_ns / OW_NS_PER_MS;
	s->t_due = s->t_absent = 0;
	s->late = s->stopping = s->vague = false;
}

static void on_going(struct audit *a, struct server *s,
		     const struct ow_event *e)
{
	uint64_t t = e->mono_ns / OW_NS_PER_MS;

	if (s->life != UP)
		return;
	if (e->kind == OW_EVENT_STOP)
		s->stopping = true;
	/* LATE: the kill sequence begins without end_max. */
	if (s->t_due == 0)
		s->t_due = t + a->kill_ms + SLACK_MS +
			   (e->kind == OW_EVENT_STOP ? a->end_ms : 0);
}

static void on_signal(struct audit *a, struct server *s,
		      const struct ow_event *e)
{
	if (s->life == DOWN)
		violation(a, e->srvid, "a signal, but there is no process");
}

/* A restart that the last ndrxd had on its timer needs no back-off now. */
static void on_retry(struct audit *a, struct server *s,
		     const struct ow_event *e)
{
	(void)a;
	if (strncmp(e->text, "the last ndrxd", 14) == 0)
		s->unseen = true;
}

static void on_gave_up(struct audit *a, struct server *s,
		       const struct ow_event *e)
{
	if (s->life == UP)
		violation(a, e->srvid, "given up while process %d lives",
			  s->pid);
	s->gave_up = true;
}

static void (*const rules[OW_EVENT_KIND_END])(struct audit *a,
					      struct server *s,
					      const struct ow_event *e) = {
	[OW_EVENT_START] = on_start,  [OW_EVENT_READY] = on_up,
	[OW_EVENT_ADOPT] = on_up,     [OW_EVENT_DIED] = on_end,
	[OW_EVENT_EXIT] = on_end,     [OW_EVENT_STOP] = on_going,
	[OW_EVENT_LATE] = on_going,   [OW_EVENT_SIGNAL] = on_signal,
	[OW_EVENT_GAVE_UP] = on_gave_up, [OW_EVENT_RETRY] = on_retry,
};

/* A new ndrxd: the last events of the killed one may be missing. */
static void on_ndrxd(struct audit *a, const struct ow_event *e)
{
	uint32_t id;

	if (strncmp(e->text, "serves domain", 13) != 0)
		return;
	a->t_ndrxd = e->mono_ns / OW_NS_PER_MS;
	for (id = 1; id < IDS; id++)
		if (a->servers[id].life == DOWN)
			a->servers[id].vague = true;
}

static void follow(struct audit *a)
{
	uint64_t end = ow_events_next(a->events);
	struct ow_event e;

	for (; a->next < end; a->next++) {
		if (ow_events_read(a->events, a->next, &e) != 0) {
			a->missed++;
			memset(a->servers, 0, sizeof(a->servers));
			continue;
		}
		if (e.kind < OW_EVENT_KIND_END)
			a->seen[e.kind]++;
		if (e.kind == OW_EVENT_NDRXD)
			on_ndrxd(a, &e);
		if (e.about == OW_EVENT_SERVER && e.srvid < IDS &&
		    e.kind < OW_EVENT_KIND_END && rules[e.kind] != NULL)
			rules[e.kind](a, &a->servers[e.srvid], &e);
	}
}

/* ---- events against the clock and /proc ---- */

static void check_up(struct audit *a, uint32_t id, struct server *s,
		     uint64_t now)
{
	if (s->t_due != 0 && now > s->t_due) {
		violation(a, id, "process %d should be gone by now", s->pid);
		s->t_due = 0;
	}
	if (kill(s->pid, 0) == 0 || errno != ESRCH) {
		s->t_absent = 0;
	} else if (s->t_absent == 0) {
		s->t_absent = now;
	} else if (now - s->t_absent > SLACK_MS) {
		violation(a, id, "the end of process %d was not noticed",
			  s->pid);
		s->life = UNKNOWN;
	}
}

static void check_down(struct audit *a, uint32_t id, struct server *s,
		       uint64_t now)
{
	uint64_t since = s->t_end > a->t_ndrxd ? s->t_end : a->t_ndrxd;

	if (!s->died || s->gave_up || now <= since + a->restart_max + SLACK_MS)
		return;
	violation(a, id, "not started again since %" PRIu64 " ms",
		  now - since);
	s->died = false;
}

/* `now` was read before the events, so that no event up to it is missing. */
static void check_all(struct audit *a, uint64_t now)
{
	uint32_t id;

	for (id = 1; id < IDS; id++) {
		struct server *s = &a->servers[id];

		if (s->life == UP)
			check_up(a, id, s, now);
		else if (s->life == DOWN)
			check_down(a, id, s, now);
	}
}

/* The server id of a process of this domain, 0: no server; its state. */
static uint32_t server_of(const struct audit *a, pid_t pid, char *ret_state)
{
	char path[64], buf[65536], *p;
	uint32_t id = 0;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	*ret_state = '?';
	if (f != NULL && fgets(buf, 1024, f) != NULL &&
	    (p = strrchr(buf, ')')) != NULL && strlen(p) > 2)
		*ret_state = p[2];
	if (f != NULL)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	f = fopen(path, "re");
	if (f != NULL) {
		n = fread(buf, 1, sizeof(buf) - 1, f);
		fclose(f);
	}
	buf[n] = '\0';
	for (p = buf; p < buf + n; p += strlen(p) + 1) {
		if (strncmp(p, "NDRX_QPREFIX=/", 14) == 0 &&
		    strcmp(p + 14, a->dom.prefix) != 0)
			return 0;
		if (strncmp(p, "NDRX_SVSRVID=", 13) == 0)
			id = (uint32_t)atoi(p + 13);
	}
	return id < IDS ? id : 0;
}

/* Two processes of one id, twice in a row: once, and one of them may be
 * ending. */
static void check_duplicates(struct audit *a)
{
	static pid_t first[IDS];
	static uint8_t twice[IDS];
	uint8_t now[IDS] = { 0 };
	struct dirent *e;
	DIR *dir = opendir("/proc");
	char state;

	memset(first, 0, sizeof(first));
	while (dir != NULL && (e = readdir(dir)) != NULL) {
		pid_t pid = (pid_t)atoi(e->d_name);
		uint32_t id;

		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		id = server_of(a, pid, &state);
		if (id == 0 || state == 'Z' || state == 'X')
			continue;
		now[id] |= first[id] != 0;
		if (now[id] && twice[id])
			violation(a, id, "processes %d and %d at once",
				  (int)first[id], (int)pid);
		first[id] = pid;
	}
	if (dir != NULL)
		closedir(dir);
	memcpy(twice, now, sizeof(twice));
}

/* A thread of its own: reading the environment of a process waits for the lock
 * of its memory map, as long as that process holds it. */
static void *find_duplicates(void *arg)
{
	while (!over) {
		check_duplicates(arg);
		usleep(20 * LOOK_US);
	}
	return NULL;
}

/* ---- main ---- */

static void report(const struct audit *a)
{
	uint32_t k;

	printf("{\"violations\": %" PRIu64 ", \"missed\": %" PRIu64,
	       a->violations, a->missed);
	for (k = OW_EVENT_NONE + 1; k < OW_EVENT_KIND_END; k++)
		printf(", \"%s\": %" PRIu64, ow_event_word(k), a->seen[k]);
	printf("}\n");
}

static int attach(struct audit *a)
{
	char path[160], why[256];
	int i;

	if (ow_domain_read_env(&a->dom, why, sizeof(why)) != 0) {
		fprintf(stderr, "auditor: %s\n", why);
		return -1;
	}
	ow_domain_shm_path(&a->dom, "events", path, sizeof(path));
	for (i = 0; i < 200; i++) {
		if (ow_events_open(path, false, &a->events) == 0)
			return 0;
		usleep(LOOK_US);
	}
	fprintf(stderr, "auditor: %s does not exist\n", path);
	return -1;
}

int main(int argc, char **argv)
{
	static struct audit a;
	struct sched_param first = { .sched_priority = FIRST };
	pthread_t finder;
	uint64_t now;

	if (argc < 5)
		return 2;
	a.restart_min = strtoull(argv[1], NULL, 10);
	a.restart_max = strtoull(argv[2], NULL, 10);
	a.end_ms = strtoull(argv[3], NULL, 10);
	a.kill_ms = 3 * strtoull(argv[4], NULL, 10);
	signal(SIGTERM, on_term);
	if (attach(&a) < 0)
		return 1;
	/* On a full machine an onlooker gets no CPU; as root it does. */
	sched_setscheduler(0, SCHED_RR, &first);
	if (pthread_create(&finder, NULL, find_duplicates, &a) != 0)
		return 1;
	while (!over) {
		now = now_ms();
		follow(&a);
		check_all(&a, now);
		usleep(LOOK_US);
	}
	pthread_join(finder, NULL);
	follow(&a);
	report(&a);
	ow_events_close(a.events);
	return a.violations == 0 ? 0 : 1;
}
