/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_domain.c - check the domain: ndrxd, services, queues, leftovers
 */
#include "libndrx/observe/doctor.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ndrx_config.h>

#include "libndrx/observe/doctor_blackbox.h"
#include "libndrx/observe/doctor_calls.h"
#include "libndrx/observe/doctor_snapshots.h"
#include "libndrx/observe/doctor_http.h"
#include "libndrx/observe/doctor_spans.h"
#include "libndrx/observe/observer.h"
#include "libndrx/observe/command.h"
#include "libndrx/storage/damage.h"
#include "libatmi/base/clock.h"
#include "libatmi/domain/nameless.h"
#include "libatmi/wire/stored.h"

/* A request may wait this long while a server is idle: the longest time until
 * an idle server polls its queues, and a little more. */
#define STUCK_MS 1200
#define LOCK_MS	 500 /* the lock is held for microseconds */
/* Requests were lost so long ago: it is told. */
#define LOST_NS	 (24 * 3600 * OW_NS_PER_SEC)
#define WATCHED	 32 /* queues watched at a time */

static pid_t ndrxd_pid(const struct ow_domain *d, bool *ret_stale)
{
	struct ow_command_link remote;
	struct stat st;
	pid_t pid = 0;
	int r = ow_command_open(d, &remote);

	*ret_stale = r == OW_COMMAND_ABSENT && d->sock[0] != '\0' &&
		     stat(d->sock, &st) == 0;
	if (r == 0)
		pid = ow_command_pid(&remote);
	ow_command_close(&remote);
	return pid;
}

static void check_version(struct ow_doctor *doc, const struct ow_observer *v)
{
	char found[96];

	(void)v;
	snprintf(found, sizeof(found), "library %s, tables layout %u",
		 NDRX_VERSION, OW_TABLES_VERSION);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.what = "versions", .found = found,
		.meaning = "the tables in shared memory are of this version" });
}

/* Is the domain lock held for so long that something must be wrong? */
static void check_lock(struct ow_doctor *doc, const struct ow_observer *v)
{
	const struct ow_tables_head *h = v->d.tables->head;
	struct ow_doctor_finding f = { .what = "domain lock" };
	uint64_t since = atomic_load(&h->lock_ns), end;
	char found[120];

	end = ow_clock_mono_ns() + LOCK_MS * OW_NS_PER_MS;
	/* Held all the time, by the same process, since the same moment? */
	while (__atomic_load_n(&h->lock.__data.__owner, __ATOMIC_RELAXED) != 0 &&
	       atomic_load(&h->lock_ns) == since && ow_clock_mono_ns() < end)
		poll(NULL, 0, 10);
	f.found = "free";
	f.meaning = "servers can start and change their services";
	if (ow_clock_mono_ns() >= end &&
	    ow_tables_lock_holder(v->d.tables, found, sizeof(found))) {
		f.grade = OW_DOCTOR_FAIL;
		f.found = found;
		f.meaning = "until it goes on, no server can start or change "
			    "its services; calls go on";
		f.cure = "`kill -CONT PID` if it is stopped; `kill -9 PID` "
			 "if it hangs: the lock is then free";
	}
	ow_doctor_say(doc, &f);
}

static void check_suspended(struct ow_doctor *doc, const struct ow_observer *v)
{
	const struct ow_svc *s;
	char name[OW_SVC_NAME];
	struct ow_doctor_names found = { .n = 0 };
	uint32_t i;

	for (i = 0; i < ow_observer_services(v); i++) {
		s = ow_observer_service(v, i, name);
		if (s != NULL && ow_observer_suspended(s))
			ow_doctor_name(&found, name);
	}
	if (found.n == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "suspended services",
		.found = found.text,
		.meaning = "an operator has suspended them: calls get "
			   "TPENOENT",
		.cure = "xadmin resume -s SVC; xadmin events shows who did it" });
}

void ow_doctor_lost(struct ow_doctor *doc, uint64_t n, uint64_t last,
		    uint64_t now)
{
	char found[96];

	if (n == 0)
		return;
	snprintf(found, sizeof(found), "%llu", (unsigned long long)n);
	if (last != 0 && now >= last) {
		if (now - last > LOST_NS)
			return;
		snprintf(found, sizeof(found), "%llu, the last %llu s ago",
			 (unsigned long long)n,
			 (unsigned long long)((now - last) / OW_NS_PER_SEC));
	}
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "lost one-way requests",
		.found = found,
		.meaning = "they were accepted and not executed: a server died "
			   "with them in hand, a service ended, or their "
			   "time-out passed",
		.cure = "the logs name each: grep 'is lost'. What must not be "
			"lost goes through a durable queue" });
}

/* One-way calls of durable services need somebody who stores them. */
static void check_durable(struct ow_doctor *doc, const struct ow_observer *v)
{
	int at = ow_svc_find(v->d.tables, OW_STORED_SERVICE);
	const struct ow_svc *s;
	char name[OW_SVC_NAME];
	struct ow_doctor_names found = { .n = 0 };
	uint32_t i;

	if (at >= 0 && ow_svc_has_future(&v->d.tables->svc[at]))
		return;
	for (i = 0; i < ow_observer_services(v); i++) {
		s = ow_observer_service(v, i, name);
		if (s != NULL && (atomic_load(&s->marks) & OW_SVC_DURABLE))
			ow_doctor_name(&found, name);
	}
	if (found.n == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "durable services",
		.found = found.text,
		.meaning = "no tmqueue stores their one-way calls, which get "
			   "TPENOENT",
		.cure = "start a tmqueue whose q.conf has the line >" });
}

static void check_unserved(struct ow_doctor *doc, const struct ow_observer *v)
{
	const struct ow_svc *s;
	char name[OW_SVC_NAME];
	struct ow_doctor_names lone = { .n = 0 };
	uint32_t i;

	for (i = 0; i < ow_observer_services(v); i++) {
		s = ow_observer_service(v, i, name);
		if (s != NULL && ow_svc_servers(s) == 0 &&
		    ow_observer_has_queue(s))
			ow_doctor_name(&lone, name);
	}
	if (lone.n == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "services without a server",
		.found = lone.text,
		.meaning = "requests wait for a server that is started again; "
			   "where none is expected, calls get TPENOENT",
		.cure = "xadmin ppm shows which server is down, `xadmin start "
			"-s SRV` starts it" });
}

static bool is_served(const struct ow_observer *v, const struct ow_svc *svc)
{
	const struct ow_tables *t = v->d.tables;
	char name[OW_SVC_NAME];
	uint32_t id, row;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		for (row = 0; row < ow_observer_rows(v, id); row++)
			if (ow_observer_row_service(v, id, row, name) == svc &&
			    ow_srv_alive(t, id))
				return true;
	return false;
}

/* Requests received by all servers of the service. */
static uint64_t taken(const struct ow_observer *v, const struct ow_svc *svc,
		      bool *ret_idle)
{
	const struct ow_tables *t = v->d.tables;
	char name[OW_SVC_NAME];
	uint64_t sum = 0;
	uint32_t id, row;

	*ret_idle = false;
	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		for (row = 0; row < ow_observer_rows(v, id); row++) {
			if (ow_observer_row_service(v, id, row, name) != svc)
				continue;
			sum += atomic_load(&t->srv[id].requests);
			if (atomic_load(&t->srv[id].state) == OW_SRV_IDLE &&
			    ow_srv_alive(t, id))
				*ret_idle = true;
		}
	}
	return sum;
}

/* A queue with waiting requests, watched for a while. */
struct watched {
	const struct ow_svc *svc;
	char name[OW_SVC_NAME];
	uint32_t depth;	 /* at the first look */
	uint64_t before; /* requests received until then */
	bool empty;	 /* it was, at one look */
	bool moved;	 /* requests were received */
	bool busy;	 /* no server was idle, at one look at least */
	bool idle;	 /* a server was idle, at one look at least */
};

static uint32_t find_waiting(const struct ow_observer *v,
			     struct watched list[WATCHED])
{
	const struct ow_svc *s;
	struct watched *w;
	uint32_t i, n = 0;

	for (i = 0; i < ow_observer_services(v) && n < WATCHED; i++) {
		w = &list[n];
		memset(w, 0, sizeof(*w));
		s = ow_observer_service(v, i, w->name);
		if (s == NULL || !ow_observer_has_queue(s) ||
		    !ow_observer_depth(v, w->name, &w->depth) ||
		    w->depth == 0 ||
		    !is_served(v, s)) /* doctor_servers.c has named its servers */
			continue;
		w->svc = s;
		w->before = taken(v, s, &w->idle);
		w->busy = !w->idle;
		n++;
	}
	return n;
}

static void look_again(const struct ow_observer *v, struct watched *w)
{
	uint32_t depth = 0;
	bool idle = false;

	w->empty |= !ow_observer_depth(v, w->name, &depth) || depth == 0;
	w->moved |= taken(v, w->svc, &idle) != w->before;
	w->idle |= idle;
	w->busy |= !idle;
}

static void say_stuck(struct ow_doctor *doc, const struct ow_doctor_names *stuck)
{
	struct ow_doctor_finding f = { .what = "waiting requests" };

	f.found = stuck->n > 0 ? stuck->text : "none while a server is idle";
	f.meaning = "no wake-up was lost";
	if (stuck->n > 0) {
		f.grade = OW_DOCTOR_FAIL;
		f.meaning = "requests wait in the queue while a server is idle: "
			    "it is stopped by a signal (SIGSTOP), or hangs";
		f.cure = "`xadmin psc` shows its servers, `xadmin restart -i "
			 "ID` restarts one";
	}
	ow_doctor_say(doc, &f);
}

static void say_standing(struct ow_doctor *doc,
			 const struct ow_doctor_names *standing)
{
	if (standing->n == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "busy services",
		.found = standing->text,
		.meaning = "requests wait all the time, and every server is "
			   "busy",
		.cure = "see what the servers wait for (`xadmin psc`), or give "
			"the entry a larger <min> and `xadmin reload`" });
}

/* Do requests wait although a server of the service is idle all the time, or
 * because no server is ever idle? */
static void check_queues(struct ow_doctor *doc, const struct ow_observer *v)
{
	struct ow_doctor_names stuck = { .n = 0 }, standing = { .n = 0 };
	struct watched list[WATCHED], *w;
	uint32_t n = find_waiting(v, list);
	char name[64];
	int i;

	for (i = 0; n > 0 && i < STUCK_MS / 100; i++) {
		poll(NULL, 0, 100);
		for (w = list; w < list + n; w++)
			look_again(v, w);
	}
	for (w = list; w < list + n; w++) {
		snprintf(name, sizeof(name), "%s (%u wait)", w->name, w->depth);
		if (!w->empty && !w->moved && !w->busy)
			ow_doctor_name(&stuck, name);
		else if (!w->empty && !w->idle)
			ow_doctor_name(&standing, name);
	}
	say_stuck(doc, &stuck);
	say_standing(doc, &standing);
}

/* Name the servers whose request is older than the time-out of its caller:
 * those that wait for others themselves, or not. */
static uint64_t find_old(const struct ow_observer *v, bool waiting,
			 struct ow_doctor_names *old)
{
	const struct ow_tables *t = v->d.tables;
	char name[96], bin[64];
	uint64_t age, most = 0;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		age = ow_observer_request_age_us(v, id) / 1000;
		most = age > most ? age : most;
		if (age <= v->d.tout_ms ||
		    ow_observer_waits(v, ow_observer_srvid(v, id)) != waiting)
			continue;
		snprintf(name, sizeof(name), "%.24s %u (%llu s)",
			 ow_observer_bin(v, id, bin), ow_observer_srvid(v, id),
			 (unsigned long long)age / 1000);
		ow_doctor_name(old, name);
	}
	return most;
}

static void check_hanging(struct ow_doctor *doc, const struct ow_observer *v)
{
	struct ow_doctor_finding f = { .what = "requests in hand" };
	struct ow_doctor_names hang = { .n = 0 }, wait = { .n = 0 };
	uint64_t most = find_old(v, false, &hang);
	char found[420];

	find_old(v, true, &wait);
	f.found = found;
	f.meaning = "within the time-out of their callers";
	if (hang.n + wait.n == 0) {
		snprintf(found, sizeof(found), "the oldest for %.1f s",
			 (double)most / 1000);
		ow_doctor_say(doc, &f);
		return;
	}
	/* The server that hangs, not those that wait for it. */
	if (hang.n > 0 && wait.n > 0)
		snprintf(found, sizeof(found), "%s; %u more wait for others",
			 hang.text, wait.n);
	else
		snprintf(found, sizeof(found), "%s%s",
			 hang.n > 0 ? hang.text : wait.text,
			 hang.n > 0 ? "" : ", which wait for others");
	f.grade = OW_DOCTOR_WARN;
	f.meaning = "longer than NDRX_TOUT: callers with that time-out no "
		    "longer wait for the reply";
	f.cure = hang.n > 0
		     ? "see where it hangs (gdb -p PID -batch -ex bt), then "
		       "`xadmin restart -i ID`; with <pingtime> and "
		       "<svctimeout> ndrxd does that by itself"
		     : "`xadmin calls --stuck` says for whom";
	ow_doctor_say(doc, &f);
}

/* Without ndrxd: do servers live, does anybody wait for one? */
static void say_no_ndrxd(struct ow_doctor_finding *f, uint32_t living,
			 uint32_t open)
{
	f->found = "not running";
	if (living > 0) {
		f->grade = OW_DOCTOR_WARN;
		f->meaning = "servers run on, but a dead one is not restarted";
		f->cure = "xadmin idle";
		return;
	}
	f->grade = open > 0 ? OW_DOCTOR_FAIL : OW_DOCTOR_OK;
	f->meaning = open > 0 ? "all servers are gone, and callers wait for "
				"replies that nobody will send"
			      : "the domain is not started";
	f->cure = "xadmin start -y";
}

static void check_ndrxd(struct ow_doctor *doc, pid_t pid, uint32_t living,
			uint32_t open)
{
	struct ow_doctor_finding f = { .what = "ndrxd" };
	char found[48], cure[32];

	if (pid == 0) {
		say_no_ndrxd(&f, living, open);
		ow_doctor_say(doc, &f);
		return;
	}
	snprintf(found, sizeof(found), "running, pid %d", (int)pid);
	f.found = found;
	f.meaning = "supervises this domain";
	if (ow_proc_stopped(pid)) {
		snprintf(found, sizeof(found), "stopped, pid %d", (int)pid);
		snprintf(cure, sizeof(cure), "kill -CONT %d", (int)pid);
		f.grade = OW_DOCTOR_FAIL;
		f.meaning = "stopped by a signal: it starts, watches and "
			    "answers nothing";
		f.cure = cure;
	}
	ow_doctor_say(doc, &f);
}

static void check_leftovers(struct ow_doctor *doc, bool tables, bool sock)
{
	if (!tables && !sock)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "leftovers",
		.found = tables && sock ? "tables and a socket"
			 : tables	? "tables"
					: "a socket",
		.meaning = "no process belongs to them; a start would clear "
			   "and reuse them",
		.cure = "xadmin down -y" });
}

static void check_tables(struct ow_doctor *doc, int r, const char *why,
			 const struct ow_domain *d)
{
	if (r == OW_TABLES_ABSENT && ow_nameless_find(d) != 0) {
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.grade = OW_DOCTOR_FAIL,
			.what = "names of the domain", .found = "removed",
			.meaning = why,
			.cure = "see also the line RemoveIPC, if there is "
				"one" });
		return;
	}
	if (r == OW_TABLES_ABSENT) {
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.what = "tables", .found = "none",
			.meaning = "the domain has not been started, or is "
				   "down" });
		return;
	}
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_FAIL, .what = "tables",
		.found = "not usable", .meaning = why,
		/* The reason has it, or it is to be cleared away. */
		.cure = r == -EPERM || r == OW_TABLES_APART ||
				r == OW_TABLES_BLIND
			    ? NULL : "xadmin down -y" });
}

static void found_damage(const char *report, void *arg)
{
	char *text = ow_damage_read(report);
	char found[400];

	snprintf(found, sizeof(found), "%.*s",
		 text != NULL ? (int)strcspn(text, "\n") : 0,
		 text != NULL ? text : "");
	free(text);
	ow_doctor_say(arg, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_FAIL, .what = "damage", .found = found,
		.meaning = "a file has lost what was on disk: its server does "
			   "not start, and nothing of it is given away",
		.cure = "restore a good copy, or: xadmin repair" });
}

void ow_doctor_domain(struct ow_doctor *doc)
{
	struct ow_observer v;
	char why[512];
	bool stale;
	pid_t pid = ndrxd_pid(&doc->env, &stale);
	int r = ow_observer_open(&v, why, sizeof(why));
	uint32_t living = r == 0 ? ow_observer_alive(&v) : 0;
	uint32_t open = r == 0 ? ow_observer_open_calls(&v) : 0;

	(void)ow_damage_each(found_damage, doc);
	/* A stopped ndrxd accepts no connection, once its backlog is full. */
	if (pid == 0 && r == 0)
		pid = ow_observer_ndrxd(&v);
	/* Tables that cannot be read do not tell which servers live. */
	if (pid > 0 || r == 0 || r == OW_TABLES_ABSENT)
		check_ndrxd(doc, pid, living, open);
	if (r != 0) {
		check_tables(doc, r, why, &doc->env);
		check_leftovers(doc, false, stale);
		return;
	}
	check_version(doc, &v);
	check_leftovers(doc, pid == 0 && living == 0,
			stale && living == 0);
	ow_doctor_servers(doc, &v, pid > 0);
	if (pid > 0 && !ow_proc_stopped(pid))
		ow_doctor_clients(doc,
				  atomic_load(&v.d.tables->head->hold) != 0);
	check_lock(doc, &v);
	check_unserved(doc, &v);
	ow_doctor_lost(doc, atomic_load(&v.d.tables->head->lost),
		       atomic_load(&v.d.tables->head->lost_s) * OW_NS_PER_SEC,
		       ow_clock_mono_ns());
	check_durable(doc, &v);
	check_suspended(doc, &v);
	check_queues(doc, &v);
	check_hanging(doc, &v);
	ow_doctor_calls(doc, &v);
	ow_doctor_snapshots(doc, &v);
	ow_doctor_spans(doc, &v);
	ow_doctor_http(doc, &v);
	if (pid > 0)
		ow_doctor_blackbox(doc, &v);
	ow_doctor_cluster(doc, &v);
	ow_observer_close(&v);
}
