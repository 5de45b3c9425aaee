/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - report: black box, logs and configuration in one file
 *
 * For a colleague on another machine: `ndrxtop --report FILE`, `xadmin when -r
 * FILE`, or `tar xzf FILE`. Secrets are starred as for operators of another user
 * (libatmi/base/masked.h), in each line; the black box was written so. Needs
 * neither ndrxd nor a domain.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <ndrx_config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clients/xadmin/doctor/checks.h"
#include "clients/xadmin/command/command.h"
#include "clients/xadmin/domain/reach.h"
#include "libatmi/base/env.h"
#include "libatmi/base/masked.h"
#include "libndrx/blackbox/archive.h"
#include "libndrx/blackbox/file.h"
#include "libndrx/blackbox/past.h"
#include "libndrx/blackbox/recorder.h"
#include "libubf/base/cconfig.h"
#include "libubf/base/cleanup.h"

#define TAIL	  (1024 * 1024) /* bytes of each log, the last ones */
#define FILES_MAX 200		/* of a folder */

struct pack {
	struct ow_bb_archive *archive;
	unsigned int files;
	int failed; /* 0 or -errno */
};

extern char **environ;

/* ---- texts ---- */

/* The end of all texts, starred, as member `name`: a value may be in another line than
 * its name. */
static void add_whole(struct pack *p, const char *name, FILE *from)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = calloc(1, TAIL + 1);
	OW_CLEANUP(ow_cleanup_freep) char *clean = NULL;

	if (text != NULL) {
		text[fread(text, 1, TAIL, from)] = '\0';
		clean = ow_masked(text);
	}
	p->failed = clean == NULL ? -ENOMEM
				  : ow_bb_archive_add(p->archive, name, clean,
						      strlen(clean));
	p->files++;
}

/* All lines of `from`, starred, as member `name`. */
static void add_lines(struct pack *p, const char *name, FILE *from)
{
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL, *text = NULL;
	size_t room = 0, size = 0;
	FILE *to = open_memstream(&text, &size);
	char *clean;

	if (to == NULL) {
		p->failed = -ENOMEM;
		return;
	}
	while (getline(&line, &room, from) >= 0) {
		clean = ow_masked(line);
		fputs(clean != NULL ? clean : "(no memory)\n", to);
		free(clean);
	}
	if (fclose(to) != 0)
		p->failed = -ENOMEM;
	if (p->failed == 0)
		p->failed = ow_bb_archive_add(p->archive, name, text, size);
	p->files++;
}

/* The end of a text file; of a configuration all at once. A FIFO or a device is not
 * opened. */
static void add_file(struct pack *p, const char *folder, const char *path)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	char name[100], copy[1024];
	struct stat st;
	int fd, c;

	snprintf(copy, sizeof(copy), "%s", path);
	snprintf(name, sizeof(name), "%s/%s", folder, basename(copy));
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (f = fdopen(fd, "r")) == NULL) {
		close(fd);
		return;
	}
	if (st.st_size > TAIL && fseeko(f, st.st_size - TAIL, SEEK_SET) == 0)
		while ((c = getc(f)) != EOF && c != '\n')
			; /* half a line could hide half a secret */
	if (strcmp(folder, "conf") == 0)
		add_whole(p, name, f);
	else
		add_lines(p, name, f);
}

static void add_folder(struct pack *p, const char *folder, const char *path)
{
	unsigned int n = 0;
	struct dirent *e;
	char file[1400];
	DIR *d = opendir(path);

	if (d == NULL)
		return;
	while ((e = readdir(d)) != NULL && n < FILES_MAX) {
		if (e->d_name[0] == '.' ||
		    strcmp(e->d_name, OW_BB_MEMBER) == 0 ||
		    strcmp(e->d_name, OW_BB_MEMBER ".old") == 0 ||
		    strlen(e->d_name) > 80)
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
		add_file(p, folder, file);
		n++;
	}
	closedir(d);
}

/* What another run of xadmin prints, in a file called by the first word. `guest`:
 * as an operator of another user gets it, for a table has no NAME=VALUE. */
static void add_command(struct pack *p, const char *words, bool guest)
{
	char line[512], name[100], self[400];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	FILE *f;

	if (n <= 0)
		return;
	self[n] = '\0';
	if (strchr(self, '\'') != NULL)
		return;
	snprintf(line, sizeof(line), "'%s' %s%s 2>&1 </dev/null", self,
		 guest ? "--guest look 250 " : "", words);
	snprintf(name, sizeof(name), "xadmin/%.*s.txt",
		 (int)strcspn(words, " "), words);
	f = popen(line, "re");
	if (f == NULL)
		return;
	add_lines(p, name, f);
	pclose(f);
}

/* A variable as it may be shown: what was encrypted in an ini file is not. */
static void put_variable(FILE *f, const char *setting)
{
	size_t len = strcspn(setting, "=");
	char *name = strndup(setting, len);

	if (name == NULL || ow_cconfig_is_hidden(name))
		fprintf(f, "%.*s=" OW_MASKED "\n", (int)len, setting);
	else
		fprintf(f, "%s\n", setting);
	free(name);
}

static void add_environment(struct pack *p)
{
	static const char *const known[] = { "NDRX_", "FLDTBL", "FIELDTBL",
					     "VIEW", "PATH=", "LD_LIBRARY_PATH",
					     "LANG", "TZ=" };
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	size_t size = 0, k;
	FILE *f = open_memstream(&text, &size);
	char **e;

	if (f == NULL)
		return;
	for (e = environ; *e != NULL; e++)
		for (k = 0; k < sizeof(known) / sizeof(*known); k++)
			if (strncmp(*e, known[k], strlen(known[k])) == 0)
				put_variable(f, *e);
	fclose(f);
	if (size == 0)
		return;
	f = fmemopen(text, size, "r");
	if (f != NULL) {
		add_lines(p, "environment.txt", f);
		fclose(f);
	}
}

/* ---- the black box ---- */

static void add_black_box(struct pack *p)
{
	struct ow_bb_file *box = NULL;
	char path[512], piece[65536];
	uint64_t left;
	struct stat st;
	ssize_t n;
	int fd;

	if (ow_bb_open_own(&box, piece, sizeof(piece)) == -EXDEV)
		return;
	ow_bb_close(box);
	ow_bb_path(path, sizeof(path));
	fd = path[0] != '\0' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
			     : -1;
	if (fd < 0)
		return;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return;
	}
	left = (uint64_t)st.st_size;
	p->failed = ow_bb_archive_begin(p->archive, OW_BB_MEMBER, left);
	while (left > 0 && p->failed == 0) {
		n = read(fd, piece, sizeof(piece));
		if (n <= 0) { /* it became shorter: the rest is zeros */
			memset(piece, 0, sizeof(piece));
			n = sizeof(piece);
		}
		p->failed = ow_bb_archive_more(p->archive, piece, (size_t)n);
		left -= left < (uint64_t)n ? left : (uint64_t)n;
	}
	p->files++;
	close(fd);
}

/* ---- the report ---- */

/* The zone of local time here, as TZ of another machine is to have it. */
static void write_zone(time_t now, char *buf, size_t size)
{
	struct tm tm = { 0 };
	long minutes;

	localtime_r(&now, &tm);
	minutes = tm.tm_gmtoff / 60;
	snprintf(buf, size, "<%c%02ld%02ld>%c%ld:%02ld", minutes < 0 ? '-' : '+',
		 labs(minutes) / 60, labs(minutes) % 60,
		 minutes < 0 ? '+' : '-', labs(minutes) / 60,
		 labs(minutes) % 60);
}

static void add_readme(struct pack *p, const struct ow_domain *d)
{
	char text[1400], host[72] = "", when[40], zone[64];
	time_t now = time(NULL);
	struct tm tm = { 0 };

	gethostname(host, sizeof(host) - 1);
	write_zone(now, zone, sizeof(zone));
	gmtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	snprintf(text, sizeof(text),
		 "A report of `xadmin report`, Onewake " NDRX_VERSION ", %s.\n"
		 "Domain %s, node %ld, on %s. Secrets are starred.\n\n"
		 "ndrxtop --report FILE --at 03:12   what it was like then\n"
		 "xadmin when -r FILE 03:10 03:20    what changed\n"
		 "Times are local ones of who reads. For those of this machine "
		 "put TZ='%s'\nin front.\n\n"
		 "blackbox         what was recorded once a second\n"
		 "log/, ulog/      the last MiB of each log; history.log: what "
		 "ndrxd did\n"
		 "conf/            the configuration\n"
		 "xadmin/          what doctor and listings say now\n"
		 "environment.txt  variables of the one who made this\n",
		 when, d->prefix, (long)d->nodeid, host, zone);
	p->failed = ow_bb_archive_add(p->archive, "README.txt", text,
				      strlen(text));
}

static void add_folder_of(struct pack *p, const char *member, const char *file,
			  const char *but)
{
	char copy[1024], *folder;

	if (file == NULL)
		return;
	snprintf(copy, sizeof(copy), "%s", file);
	folder = dirname(copy);
	if (strcmp(folder, but) != 0)
		add_folder(p, member, folder);
}

static void add_all(struct pack *p, const struct ow_domain *d)
{
	static const char *const commands[] = { "ver", "doctor", "ppm", "psc",
						"stat", "pqa", "http", "hosts",
						"calls --stuck", "clients -r",
						"pnet",
						"events -n 1000" };
	static const char *const files[] = { "NDRX_CONFIG", "NDRX_CCONFIG",
					     "NDRX_CCONFIG1", "NDRX_DEBUG_CONF" };
	const char *home = ow_env_str("NDRX_APPHOME", NULL), *file;
	char log[1024] = "";
	size_t i;

	add_readme(p, d);
	add_black_box(p);
	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		add_command(p, commands[i], false);
	add_command(p, "config", true);
	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		file = ow_env_str(files[i], NULL);
		if (file != NULL)
			add_file(p, "conf", file);
	}
	if (home != NULL) {
		snprintf(log, sizeof(log), "%s/log", home);
		add_folder(p, "log", log);
	}
	add_folder_of(p, "log", ow_env_str("NDRX_DMNLOG", NULL), log);
	file = ow_env_str("NDRX_ULOG", NULL);
	if (file != NULL && strcmp(file, log) != 0)
		add_folder(p, "ulog", file);
	add_environment(p);
}

int ow_doctor_report(struct ow_args *a)
{
	struct pack p = { .files = 1 };
	char path[512], when[40];
	time_t now = time(NULL);
	struct ow_domain d;
	struct tm tm = { 0 };
	struct stat st;
	int r;

	if (ow_reach_own(a, &d) != OW_EXIT_OK)
		return OW_EXIT_FAILED;
	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	if (a->n_rest > 0)
		snprintf(path, sizeof(path), "%s", a->rest[0]);
	else
		snprintf(path, sizeof(path), "onewake-%s-%s.tgz", d.prefix,
			 when);
	r = ow_bb_archive_make(path, &p.archive);
	if (r < 0)
		return ow_cmd_fail(a, "%s: %s", path, strerror(-r));
	add_all(&p, &d);
	r = ow_bb_archive_close(p.archive);
	if (p.failed == 0)
		p.failed = r;
	if (p.failed < 0 || stat(path, &st) < 0) {
		unlink(path);
		return ow_cmd_fail(a, "%s: %s", path, strerror(-p.failed));
	}
	printf("%s: %u files, %lld bytes\n", path, p.files,
	       (long long)st.st_size);
	return OW_EXIT_OK;
}
