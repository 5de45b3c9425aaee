/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_servers.c - check the servers: dead, stopped, given up
 */
#include "libndrx/observe/doctor.h"

#include <stdio.h>
#include <string.h>

#include "libatmi/base/clock.h"
#include "libatmi/wire/ctl.h"
#include "libndrx/observe/observer.h"

static void check_dead(struct ow_doctor *doc, const struct ow_observer *v,
		       bool running)
{
	const struct ow_tables *t = v->d.tables;
	struct ow_doctor_finding f = { .what = "servers" };
	char found[320], name[96], bin[64];
	struct ow_doctor_names dead = { .n = 0 };
	unsigned int living = 0;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (atomic_load(&t->srv[id].pid) == 0 ||
		    ow_srv_is_thread(t, id))
			continue;
		if (ow_srv_alive(t, id)) {
			living++;
			continue;
		}
		snprintf(name, sizeof(name), "%.30s %u",
			 ow_observer_bin(v, id, bin), id);
		ow_doctor_name(&dead, name);
	}
	snprintf(found, sizeof(found), "%u alive, %u dead%s%s", living, dead.n,
		 dead.n > 0 ? ": " : "", dead.text);
	f.found = found;
	f.meaning = "every server in the tables has a living process";
	if (dead.n > 0) {
		f.grade = OW_DOCTOR_WARN;
		f.meaning = running ? "dead servers are still in the tables"
				    : "dead servers are still in the tables: "
				      "without ndrxd nobody tells their "
				      "callers, whose calls end at their "
				      "time-outs";
		f.cure = running ? "ndrxd removes them in a moment; check again"
			 : living > 0 ? "xadmin idle (starts ndrxd)"
				      : "xadmin down -y";
	}
	ow_doctor_say(doc, &f);
}

/* Servers that are to run and do not: given up, or on the way. */
static void check_missing(struct ow_doctor *doc, const struct ow_observer *v)
{
	const struct ow_tables *t = v->d.tables;
	struct ow_doctor_names gone = { .n = 0 }, late = { .n = 0 };
	bool held = atomic_load(&t->head->hold) != 0;
	char name[64], bin[64];
	uint32_t id;
	bool up;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (!ow_observer_missing(v, id, &up))
			continue;
		/* One that has never been ready has no name there. */
		ow_observer_bin(v, id, bin);
		snprintf(name, sizeof(name), "%.30s %u (%s)",
			 bin[0] != '\0' ? bin : "id", id,
			 ow_proc_state_word(atomic_load(&t->srv[id].ctl_state)));
		ow_doctor_name(up ? &gone : &late, name);
	}
	if (gone.n > 0)
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.grade = OW_DOCTOR_FAIL, .what = "servers given up",
			.found = gone.text,
			.meaning = "they have ended, by failures or with "
				   "<respawn> N, and nobody starts them again",
			.cure = "xadmin ppm --json has the reason of each; then "
				"xadmin start -i SRVID" });
	if (late.n > 0)
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.grade = OW_DOCTOR_WARN, .what = "servers away",
			.found = late.text,
			.meaning = held ? "they are to run, and are not started "
					  "in maintenance mode"
					: "they are to run, and ndrxd starts "
					  "them again",
			.cure = held ? "xadmin mmoff, or xadmin start -i SRVID"
				     : "xadmin ppm --json has the reason of "
				       "each" });
}

static void check_hold(struct ow_doctor *doc, const struct ow_observer *v)
{
	if (atomic_load(&v->d.tables->head->hold) == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "maintenance mode",
		.found = "on",
		.meaning = "ndrxd starts nothing by itself and kills no hung "
			   "server: what dies stays down",
		.cure = "xadmin mmoff; xadmin events shows who turned it on" });
}

/* Servers that run now, and will not for long. */
static void check_dying(struct ow_doctor *doc, const struct ow_observer *v)
{
	struct ow_doctor_names dying = { .n = 0 };
	uint64_t now = ow_clock_mono_ns(), since;
	const struct ow_srv *s;
	char name[128], bin[64], end[48];
	int32_t status;
	uint32_t id;

	for (id = ow_srv_next(v->d.tables, 1); id != 0;
	     id = ow_srv_next(v->d.tables, id + 1)) {
		s = &v->d.tables->srv[id];
		since = atomic_load(&s->ctl_changed);
		status = atomic_load(&s->ctl_exit);
		if (now < since || ow_srv_is_thread(v->d.tables, id) ||
		    !ow_observer_dies(atomic_load(&s->ctl_restarts),
				      atomic_load(&s->ctl_failures), status,
				      now - since) ||
		    !ow_srv_alive(v->d.tables, id))
			continue;
		snprintf(name, sizeof(name), "%.30s %u (%u times; %s)",
			 ow_observer_bin(v, id, bin), id,
			 atomic_load(&s->ctl_restarts),
			 status == 0 ? "exit 0"
				     : ow_observer_end(status, end,
						       sizeof(end)));
		ow_doctor_name(&dying, name);
	}
	if (dying.n == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "servers that keep dying",
		.found = dying.text,
		.meaning = "ndrxd has started them again after failures, the "
			   "last time within five minutes; how often, and how "
			   "the last process ended",
		.cure = "xadmin ppm --json has the reason of each; their logs, "
			"a core" });
}

static void check_stopped(struct ow_doctor *doc, const struct ow_observer *v)
{
	const struct ow_tables *t = v->d.tables;
	struct ow_doctor_names stopped = { .n = 0 };
	char name[96], bin[64];
	int32_t pid;
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		pid = atomic_load(&t->srv[id].pid);
		if (ow_srv_is_thread(t, id) || !ow_proc_stopped(pid) ||
		    !ow_srv_alive(t, id))
			continue;
		snprintf(name, sizeof(name), "%.30s %u (pid %d)",
			 ow_observer_bin(v, id, bin), id, (int)pid);
		ow_doctor_name(&stopped, name);
	}
	if (stopped.n == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_FAIL, .what = "stopped servers",
		.found = stopped.text,
		.meaning = "stopped by a signal (SIGSTOP, a debugger): they "
			   "serve nothing",
		.cure = "kill -CONT PID" });
}

/* Bridges have contexts as clients have them. */
static bool is_server(const struct ow_tables *t, int32_t pid)
{
	uint32_t id;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1))
		if (atomic_load(&t->srv[id].pid) == pid)
			return true;
	return false;
}

/* What they hold is held: conversations, transactions, rows of a database. */
static void check_stopped_clients(struct ow_doctor *doc,
				  const struct ow_observer *v)
{
	const struct ow_clt *c;
	struct ow_doctor_names stopped = { .n = 0 };
	char name[96], id[sizeof(c->cltid)], *rest, *program;
	int32_t pid, last = 0;
	uint32_t i;

	for (i = 0; i < ow_observer_clients(v); i++) {
		c = &v->d.tables->clt[i];
		pid = ow_proc_id_pid(atomic_load(&c->owner));
		if (!ow_observer_client(v, i) || c->srvid != 0 || pid == last ||
		    !ow_proc_stopped(pid) || is_server(v->d.tables, pid))
			continue;
		last = pid;
		ow_observer_text(id, c->cltid, sizeof(id));
		rest = id; /* clt,PROGRAM,... */
		(void)strsep(&rest, ",");
		program = rest != NULL ? strsep(&rest, ",") : id;
		snprintf(name, sizeof(name), "%.30s (pid %d)", program,
			 (int)pid);
		ow_doctor_name(&stopped, name);
	}
	if (stopped.n == 0)
		return;
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "stopped clients",
		.found = stopped.text,
		.meaning = "stopped by a signal (SIGSTOP, a debugger): "
			   "conversations, transactions and rows of databases "
			   "that they hold stay held",
		.cure = "kill -CONT PID, or end it" });
}

void ow_doctor_servers(struct ow_doctor *doc, const struct ow_observer *v,
		       bool ndrxd_runs)
{
	check_dead(doc, v, ndrxd_runs);
	check_missing(doc, v);
	check_hold(doc, v);
	check_dying(doc, v);
	check_stopped(doc, v);
	check_stopped_clients(doc, v);
}
