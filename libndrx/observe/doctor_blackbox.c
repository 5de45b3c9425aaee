/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_blackbox.c - check whether anybody records the domain
 *
 * Nobody misses the black box before the night of which it should tell.
 */
#include "libndrx/observe/doctor_blackbox.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "libatmi/base/env.h"
#include "libndrx/observe/observer.h"

#define WRITER "blackboxsv"
#define LATE_S 90 /* it writes each second, once a minute at least */

/* Has the process this file open? */
static bool has_open(int32_t pid, const struct stat *file)
{
	char path[300];
	struct dirent *e;
	struct stat st;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	while (d != NULL && !found && (e = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%.20s", (int)pid,
			 e->d_name);
		found = stat(path, &st) == 0 && st.st_dev == file->st_dev &&
			st.st_ino == file->st_ino;
	}
	if (d != NULL)
		closedir(d);
	return found;
}

/* It runs. Does it write? Where option -f has it write is not known. */
static void check_written(struct ow_doctor *doc, int32_t pid)
{
	char path[300], found[400];
	struct stat st;
	time_t late;

	snprintf(path, sizeof(path), "%s/log/blackbox",
		 ow_env_str("NDRX_APPHOME", ""));
	if (stat(path, &st) != 0 || !has_open(pid, &st))
		return;
	late = time(NULL) - st.st_mtime;
	if (late < LATE_S)
		return;
	snprintf(found, sizeof(found), "nothing for %ld s in %s", (long)late,
		 path);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "black box", .found = found,
		.meaning = WRITER " runs and records nothing",
		.cure = "see the room on that disk, and its log" });
}

void ow_doctor_blackbox(struct ow_doctor *doc, const struct ow_observer *v)
{
	const struct ow_tables *t = v->d.tables;
	char found[64], bin[64];
	uint32_t id, away = 0;

	for (id = ow_srv_next(t, 1); id != 0; id = ow_srv_next(t, id + 1)) {
		if (strcmp(ow_observer_bin(v, id, bin), WRITER) != 0)
			continue;
		if (!ow_srv_alive(t, id)) {
			/* 0: it is not in the configuration any more */
			if (atomic_load(&t->srv[id].ctl_changed) != 0)
				away = id;
			continue;
		}
		check_written(doc, atomic_load(&t->srv[id].pid));
		return;
	}
	snprintf(found, sizeof(found), WRITER " %u does not run", away);
	if (away != 0) {
		ow_doctor_say(doc, &(struct ow_doctor_finding){
			.grade = OW_DOCTOR_WARN, .what = "black box",
			.found = found,
			.meaning = "nobody will know what happened at 03:12",
			.cure = "xadmin ppm --json has the reason; then xadmin "
				"start -i SRVID" });
		return;
	}
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "black box", .found = "none",
		.meaning = "no server " WRITER " records the domain: nobody "
			   "will know what happened at 03:12",
		.cure = "<server name=\"" WRITER "\"><srvid>9980</srvid>"
			"<min>1</min></server>, then `xadmin reload`" });
}
