/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_limits.c - check limits of the kernel, of this user, of this process
 *
 * Default limits are enough for a domain of 250 servers. For a lower limit, or
 * one that is nearly used up, the finding has the line that raises it.
 */
#include "libndrx/observe/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "libndrx/observe/disk.h"
#include "libndrx/observe/observer.h"
#include "libndrx/observe/format.h"
#include "libndrx/observe/logind.h"
#include "libatmi/base/owned.h"
#include "libatmi/transport/transport.h"

/* A kernel setting, with the values that a domain needs. */
struct setting {
	const char *what;
	const char *path;
	uint64_t least; /* below: FAIL */
	uint64_t fair;	/* below: warn */
	const char *meaning;
	const char *cure;
};

static const struct setting settings[] = {
	{ .what = "fs.mqueue.queues_max",
	  .path = "/proc/sys/fs/mqueue/queues_max", .least = 16, .fair = 256,
	  .meaning = "queues of all users together: one per service",
	  .cure = "sysctl -w fs.mqueue.queues_max=4096 (as root)" },
	{ .what = "fs.mqueue.msg_max", .path = "/proc/sys/fs/mqueue/msg_max",
	  .least = 2, .fair = 10,
	  .meaning = "messages that one queue holds before senders wait",
	  .cure = "sysctl -w fs.mqueue.msg_max=100 (as root), then "
		  "NDRX_MSGMAX=100" },
	{ .what = "fs.mqueue.msgsize_max",
	  .path = "/proc/sys/fs/mqueue/msgsize_max", .least = 192,
	  .fair = 1024,
	  .meaning = "bytes of one message; larger payloads go through shared "
		     "memory, so callers do not notice the limit",
	  .cure = "sysctl -w fs.mqueue.msgsize_max=8192 (as root)" },
	{ .what = "fs.epoll.max_user_watches",
	  .path = "/proc/sys/fs/epoll/max_user_watches", .least = 1000,
	  .fair = 20000,
	  .meaning = "services times servers that this user can wait on",
	  .cure = "sysctl -w fs.epoll.max_user_watches=200000 (as root)" },
};

static int read_number(const char *path, uint64_t *ret)
{
	char buf[64];
	FILE *f = fopen(path, "re");
	bool got;

	if (f == NULL)
		return -errno;
	got = fgets(buf, sizeof(buf), f) != NULL;
	fclose(f);
	if (!got)
		return -EIO;
	*ret = strtoull(buf, NULL, 10);
	return 0;
}

static enum ow_doctor_grade grade(uint64_t n, uint64_t least, uint64_t fair)
{
	return n < least ? OW_DOCTOR_FAIL
	       : n < fair ? OW_DOCTOR_WARN : OW_DOCTOR_OK;
}

static void check_setting(struct ow_doctor *doc, const struct setting *s)
{
	struct ow_doctor_finding f = { .what = s->what,
				       .meaning = s->meaning };
	char found[32];
	uint64_t n = 0;

	f.found = found;
	if (read_number(s->path, &n) != 0) {
		snprintf(found, sizeof(found), "not readable");
		f.grade = OW_DOCTOR_WARN;
		f.cure = "is this kernel built with CONFIG_POSIX_MQUEUE?";
	} else {
		snprintf(found, sizeof(found), "%" PRIu64, n);
		f.grade = grade(n, s->least, s->fair);
		f.cure = f.grade != OW_DOCTOR_OK ? s->cure : NULL;
	}
	ow_doctor_say(doc, &f);
}

/* Where figures of queues come from. */
static const char *seen_by(const struct ow_transport_usage *u, char *buf,
			   size_t size)
{
	if (u->all)
		snprintf(buf, size, "counted in the queue file system");
	else
		snprintf(buf, size, "by the tables of %u domains%s; other "
			 "queues cannot be seen, the queue file system is not "
			 "mounted", u->domains,
			 u->unread > 0 ? " (some cannot be read)" : "");
	return buf;
}

static enum ow_doctor_grade grade_use(uint64_t used, uint64_t max)
{
	return max != 0 && used > max / 100 * 85 ? OW_DOCTOR_WARN
						 : OW_DOCTOR_OK;
}

static void check_queue_count(struct ow_doctor *doc,
			      const struct ow_transport_usage *u)
{
	struct ow_doctor_finding f = { .what = "queues in use" };
	char found[64], meaning[200];

	snprintf(found, sizeof(found), "%u of %u", u->queues, u->queues_max);
	if (u->queues_max == 0)
		snprintf(found, sizeof(found), "%u, no limit here", u->queues);
	f.found = found;
	f.meaning = seen_by(u, meaning, sizeof(meaning));
	f.grade = grade_use(u->queues, u->queues_max);
	if (f.grade != OW_DOCTOR_OK)
		f.cure = "sysctl -w fs.mqueue.queues_max=4096 (as root), or "
			 "NDRX_TRANSPORT=shm";
	ow_doctor_say(doc, &f);
}

static void check_queue_bytes(struct ow_doctor *doc,
			      const struct ow_transport_usage *u)
{
	struct ow_doctor_finding f = { .what = "RLIMIT_MSGQUEUE" };
	char found[96];

	f.found = found;
	f.meaning = "bytes of all queues of this user, in all domains; when "
		    "they run short, new queues are made smaller";
	if (u->bytes_max == 0) {
		snprintf(found, sizeof(found), "unlimited, %" PRIu64 " in use",
			 u->bytes);
	} else {
		snprintf(found, sizeof(found), "%" PRIu64 ", %" PRIu64
			 " in use", u->bytes_max, u->bytes);
		f.grade = u->bytes_max < 30000 ? OW_DOCTOR_FAIL
			  : u->bytes_max < 819200
			      ? OW_DOCTOR_WARN
			      : grade_use(u->bytes, u->bytes_max);
	}
	if (u->bytes_max != 0 && u->bytes >= u->bytes_max) {
		f.grade = OW_DOCTOR_FAIL;
		f.meaning = "nothing is left for a process with this limit; "
			    "others may have a higher one";
	}
	if (f.grade != OW_DOCTOR_OK)
		f.cure = "`USER - msgqueue unlimited` in /etc/security/"
			 "limits.conf, LimitMSGQUEUE=infinity in a unit, "
			 "`docker run --ulimit msgqueue=-1`, or "
			 "NDRX_TRANSPORT=shm";
	ow_doctor_say(doc, &f);
}

/* What the queues of this user take, of all its domains. */
static void check_queues(struct ow_doctor *doc)
{
	struct ow_transport_usage u;
	struct ow_domain d = doc->env;
	struct rlimit rl;

	if (!doc->env_good) {
		memset(&d, 0, sizeof(d));
		snprintf(d.shm_dir, sizeof(d.shm_dir), "/dev/shm");
		if (getrlimit(RLIMIT_MSGQUEUE, &rl) == 0 &&
		    rl.rlim_cur != RLIM_INFINITY)
			d.mq_limit = rl.rlim_cur;
	}
	if (!ow_transport_usage(&d, &u))
		return;
	check_queue_bytes(doc, &u);
	check_queue_count(doc, &u);
}

static void check_files(struct ow_doctor *doc)
{
	struct ow_doctor_finding f = { .what = "RLIMIT_NOFILE" };
	char found[32];
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) < 0)
		return;
	snprintf(found, sizeof(found), "%" PRIu64, (uint64_t)rl.rlim_cur);
	f.found = found;
	f.meaning = "open files of one process: ndrxd needs two per server, a "
		    "server one per service";
	f.grade = grade(rl.rlim_cur, 64, 1024);
	if (f.grade != OW_DOCTOR_OK)
		f.cure = "ulimit -n 4096";
	ow_doctor_say(doc, &f);
}

static void check_shm(struct ow_doctor *doc)
{
	const char *dir = doc->env_good ? doc->env.shm_dir : "/dev/shm";
	struct ow_doctor_finding f = { .what = dir };
	char found[96], size[16], avail[16];
	struct statvfs st;
	uint64_t free_bytes;

	f.found = found;
	f.meaning = "holds the tables and large payloads";
	if (statvfs(dir, &st) < 0) {
		snprintf(found, sizeof(found), "%s", strerror(errno));
		f.grade = OW_DOCTOR_FAIL;
		f.cure = "mount -t tmpfs none /dev/shm, or NDRX_SHMPATH=/path";
		ow_doctor_say(doc, &f);
		return;
	}
	free_bytes = (uint64_t)st.f_bavail * st.f_frsize;
	snprintf(found, sizeof(found), "%s of %s free",
		 ow_format_bytes(free_bytes, avail, sizeof(avail)),
		 ow_format_bytes((uint64_t)st.f_blocks * st.f_frsize, size,
				 sizeof(size)));
	f.grade = grade(free_bytes, UINT64_C(4) << 20, UINT64_C(32) << 20);
	if (f.grade != OW_DOCTOR_OK)
		f.cure = "mount -o remount,size=256m /dev/shm (as root), or "
			 "`docker run --shm-size=256m`";
	ow_doctor_say(doc, &f);
}

/* The memory or the queues of the domain would go at logout. */
static void check_logout(struct ow_doctor *doc)
{
	const char *dir = doc->env_good ? doc->env.shm_dir : "/dev/shm";
	char user[80], cure[200];

	ow_owned_user(geteuid(), user, sizeof(user));
	user[strcspn(user, " ")] = '\0';
	if ((doc->env_good && strncmp(dir, "/dev/shm", 8) != 0 &&
	     doc->env.transport->remove_strays == NULL) ||
	    !ow_logind_removes_ipc("", geteuid(), user))
		return;
	snprintf(cure, sizeof(cure), "loginctl enable-linger %s (as root), or "
		 "RemoveIPC=no in /etc/systemd/logind.conf", user);
	ow_doctor_say(doc, &(struct ow_doctor_finding){
		.grade = OW_DOCTOR_WARN, .what = "RemoveIPC",
		.found = "yes (systemd-logind)",
		.meaning = "when the last session of this user ends, the queues "
			   "and the shared memory of a running domain are "
			   "removed",
		.cure = cure });
}

static void check_logs(struct ow_doctor *doc)
{
	struct ow_doctor_finding f = { .what = "disk of the logs" };
	char found[400], avail[16], total[16];
	enum ow_disk_state state;
	struct ow_disk d;

	ow_disk_logs(&d);
	if (!d.known)
		return;
	state = ow_disk_judge(&d);
	snprintf(found, sizeof(found), "%s of %s free at %s",
		 ow_format_bytes(d.avail, avail, sizeof(avail)),
		 ow_format_bytes(d.total, total, sizeof(total)), d.dir);
	f.found = found;
	f.meaning = "room for logs";
	if (state == OW_DISK_FULL) {
		f.grade = OW_DOCTOR_FAIL;
		f.meaning = "calls go on, and lines of the logs are lost";
	} else if (state == OW_DISK_LOW) {
		f.grade = OW_DOCTOR_WARN;
		f.meaning = "nearly full: soon lines of the logs are lost";
	}
	if (state != OW_DISK_GOOD)
		f.cure = "remove or move old files, rotate the logs "
			 "(/usr/share/onewake/logrotate)";
	ow_doctor_say(doc, &f);
}

void ow_doctor_limits(struct ow_doctor *doc)
{
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		check_setting(doc, &settings[i]);
	check_queues(doc);
	check_files(doc);
	check_shm(doc);
	check_logout(doc);
	check_logs(doc);
}
