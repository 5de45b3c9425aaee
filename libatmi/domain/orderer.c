/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orderer.c - who gives an order: user, terminal, command line
 */
#include "libatmi/domain/orderer.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/masked.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/printable.h"

#define NAME_SIZE 64
#define NO_LOGIN  UINT32_MAX /* of a process that nobody logged in for */

static void name_of(uid_t uid, char name[NAME_SIZE])
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = fopen("/etc/passwd", "re");
	char buf[1024];
	struct passwd pw, *found;

	snprintf(name, NAME_SIZE, "%u", uid);
	while (f != NULL && fgetpwent_r(f, &pw, buf, sizeof(buf), &found) == 0)
		if (pw.pw_uid == uid) {
			snprintf(name, NAME_SIZE, "%s", pw.pw_name);
			return;
		}
}

/* The beginning of a file of /proc/PID; its length, 0: it cannot be read. */
static size_t read_begin(pid_t pid, const char *file, char *buf, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, buf, size - 1) : -1;
	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

/* The user who logged in, if that is another one (su, sudo). */
static bool login_of(pid_t pid, uid_t uid, char name[NAME_SIZE])
{
	char text[16];
	unsigned long login;

	if (read_begin(pid, "loginuid", text, sizeof(text)) == 0)
		return false;
	login = strtoul(text, NULL, 10);
	if (login == NO_LOGIN || login == uid)
		return false;
	name_of((uid_t)login, name);
	return true;
}

/* The terminal of standard input, output or error. */
static bool terminal_of(pid_t pid, char *buf, size_t size)
{
	char link[40], path[64];
	ssize_t n;
	int fd;

	for (fd = 0; fd <= 2; fd++) {
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, fd);
		n = readlink(link, path, sizeof(path) - 1);
		if (n <= 0)
			continue; /* a longer path is cut: no terminal */
		path[n] = '\0';
		if (strncmp(path, "/dev/pts/", 9) != 0 &&
		    strncmp(path, "/dev/tty", 8) != 0)
			continue;
		snprintf(buf, size, "%s", path + 5);
		return true;
	}
	return false;
}

void ow_orderer_words(pid_t pid, char *buf, size_t size)
{
	char raw[200], *base;
	size_t i, n = read_begin(pid, "cmdline", raw, sizeof(raw));

	base = strrchr(raw, '/'); /* of the first word, which ends in NUL */
	base = base != NULL ? base + 1 : raw;
	if (strlen(raw) + 1 < n && ow_masked_words(pid)) {
		snprintf(buf, size, "%s " OW_MASKED, base);
		return;
	}
	for (i = (size_t)(base - raw); i + 1 < n; i++)
		if (raw[i] == '\0')
			raw[i] = ' ';
	snprintf(buf, size, "%s", base);
}

void ow_orderer_describe(pid_t pid, uid_t uid, const char *words, char *buf,
			 size_t size)
{
	char user[NAME_SIZE], login[NAME_SIZE], tty[64], command[200];
	bool su = login_of(pid, uid, login);
	bool at = terminal_of(pid, tty, sizeof(tty));

	name_of(uid, user);
	snprintf(command, sizeof(command), "%s", words);
	if (command[0] == '\0')
		ow_orderer_words(pid, command, sizeof(command));
	ow_printable(command);
	snprintf(buf, size, "user %s%s%s%s%s%s, process %d%s%s", user,
		 su ? " (login " : "", su ? login : "", su ? ")" : "",
		 at ? ", terminal " : "", at ? tty : "", (int)pid,
		 command[0] != '\0' ? ": " : "", command);
}
