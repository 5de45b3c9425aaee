/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place.c - is a log where it was made, or is it a copy?
 */
#include "servers/tmsrv/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <userlog.h>

#include "libatmi/base/folders.h"
#include "servers/tmsrv/log.h"

enum place {
	PLACE_SAME,
	PLACE_NEW, /* nothing says where */
	PLACE_OTHER,
};

#define TEXT 4400 /* machine, folder, path */

/* "MACHINE FOLDER": a container may have no id of its own, then its volume
 * counts alone. */
static int here(const char *folder, char key[80])
{
	char machine[40] = "-";
	FILE *f = fopen("/etc/machine-id", "re");
	struct stat st;

	if (stat(folder, &st) != 0) {
		if (f != NULL)
			fclose(f);
		return -errno;
	}
	if (f != NULL && (fscanf(f, "%39s", machine) != 1 ||
			  strlen(machine) != 32))
		strcpy(machine, "-");
	if (f != NULL)
		fclose(f);
	snprintf(key, 80, "%s %llu", machine, (unsigned long long)st.st_ino);
	return 0;
}

static int path_of(const char *folder, const char *name, const char *suffix,
		   char *to, size_t size)
{
	int n = snprintf(to, size, "%s/%s%s", folder, name, suffix);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

static int look(const char *folder, const char *name, char *was, size_t size)
{
	char path[4400], key[80], line[TEXT] = "";
	size_t len;
	FILE *f;
	int r = ow_folders_make(folder, 0700);

	if (r == 0)
		r = here(folder, key);
	if (r == 0)
		r = path_of(folder, name, ".place", path, sizeof(path));
	if (r != 0)
		return r;
	f = fopen(path, "re");
	if (f == NULL)
		return errno == ENOENT ? PLACE_NEW : -errno;
	len = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	snprintf(was, size, "%s", line);
	len = strlen(key);
	return strncmp(line, key, len) == 0 &&
		       (line[len] == ' ' || line[len] == '\0')
		   ? PLACE_SAME
		   : PLACE_OTHER;
}

/* Whole, or not at all. */
static int write_file(const char *folder, const char *path, const char *text)
{
	char temp[4416];
	int fd, r = 0;

	snprintf(temp, sizeof(temp), "%s.new", path);
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		r = -ENOSPC;
	if (r == 0 && fsync(fd) != 0)
		r = -errno;
	close(fd);
	if (r == 0 && rename(temp, path) != 0)
		r = -errno;
	if (r != 0)
		unlink(temp);
	return r == 0 ? ow_folders_sync(folder) : r;
}

static int take(const char *folder, const char *name)
{
	char path[4400], key[80], text[TEXT + 100], *real;
	int r = here(folder, key);

	if (r == 0)
		r = path_of(folder, name, ".place", path, sizeof(path));
	if (r != 0)
		return r;
	real = realpath(folder, NULL);
	snprintf(text, sizeof(text), "%s %.4000s\n", key,
		 real != NULL ? real : folder);
	free(real);
	return write_file(folder, path, text);
}

/* The file NAMEsuffix becomes NAME.copiedsuffix, if it is there. */
static int rename_one(const char *folder, const char *name, const char *suffix)
{
	char from[4400], to[4400], last[32];
	int r = path_of(folder, name, suffix, from, sizeof(from));

	snprintf(last, sizeof(last), ".copied%s", suffix);
	if (r == 0)
		r = path_of(folder, name, last, to, sizeof(to));
	if (r == 0 && rename(from, to) != 0 && errno != ENOENT)
		r = -errno;
	return r;
}

/* The log first: what is killed between the two is found by finish_copy(). */
static int rename_copy(const char *folder, const char *name)
{
	int r = rename_one(folder, name, "");

	if (r == 0)
		r = ow_folders_sync(folder);
	if (r == 0)
		r = rename_one(folder, name, ".mark");
	return r == 0 ? ow_folders_sync(folder) : r;
}

/* A copy that was left half: its log is renamed, its watermark is not. */
static int finish_copy(const char *folder, const char *name)
{
	char log[4400], copied[4400];
	int r = path_of(folder, name, "", log, sizeof(log));

	if (r == 0)
		r = path_of(folder, name, ".copied", copied, sizeof(copied));
	if (r == 0 && access(log, F_OK) != 0 && access(copied, F_OK) == 0)
		r = rename_one(folder, name, ".mark");
	return r;
}

/* ---- the log ---- */

static void count(uint64_t tran, const struct tmlog_branch *words, uint32_t n,
		  uint32_t by_hand, void *arg)
{
	++*(uint32_t *)arg;
}

/* The log is a copy: begin another one, or say why not. */
static int leave_copy(const char *folder, const char *name, const char *was,
		      struct tmlog **log, char *why, size_t size)
{
	uint32_t open = 0;
	int r;

	tmlog_each(*log, count, &open);
	tmlog_each_prepared(*log, count, &open);
	if (open > 0) {
		snprintf(why, size, "the log %.150s/%s was made elsewhere "
			 "(%.100s), and has %u transactions that have not "
			 "ended. If the domain has moved here: remove %s.place. "
			 "If this is a copy: remove the log, too",
			 folder, name, was, open, name);
		return -EEXIST;
	}
	*log = tmlog_close(*log);
	r = rename_copy(folder, name);
	if (r != 0) {
		snprintf(why, size, "%.300s/%s.copied: %s", folder, name,
			 strerror(-r));
		return r;
	}
	userlog((char *)"tmsrv: the log %s/%s was made elsewhere (%s): this is a "
		"copy, and begins a log of its own. Branches of the other domain "
		"are left alone. If the domain has moved here: xadmin "
		"recoverlocal shows what it has left", folder, name, was);
	return tmlog_open(folder, name, log, why, size);
}

int place_open_log(const char *folder, const char *name, struct tmlog **ret,
		   char *why, size_t size)
{
	char was[300] = "";
	int r, place = look(folder, name, was, sizeof(was));

	if (place < 0) {
		snprintf(why, size, "folder of the log %.300s: %s", folder,
			 strerror(-place));
		return place;
	}
	r = place == PLACE_OTHER ? finish_copy(folder, name) : 0;
	if (r == 0)
		r = tmlog_open(folder, name, ret, why, size);
	if (r == 0 && place == PLACE_OTHER)
		r = leave_copy(folder, name, was, ret, why, size);
	if (r != 0)
		return r;
	if (place != PLACE_SAME && (r = take(folder, name)) != 0)
		userlog((char *)"tmsrv: %s/%s.place: %s: a copy of this log "
			"would not be found out", folder, name, strerror(-r));
	return 0;
}
