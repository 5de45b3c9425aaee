/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmloadcf.c - tmloadcf: make a domain of a UBBCONFIG
 *
 * `xadmin import ubbconfig` makes the folder $TUXCONFIG.d. The environment
 * that its setenv gives goes into the file $TUXCONFIG, which programs of the
 * application read where no NDRX_QPREFIX is set: they need TUXCONFIG only, as
 * with Tuxedo. Exit status 0: the domain is made, or the file is correct; 1: it
 * is not; 2: wrong usage.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/common/newfile.h"
#include "clients/tm/run.h"
#include "clients/tm/site.h"
#include "libatmi/base/env.h"
#include "libubf/base/about.h"
#include "libubf/base/cconfig.h"
#include "libubf/base/cleanup.h"

#define FILE_MAX ((size_t)8 * 1024 * 1024)

struct load {
	bool check; /* -n */
	bool sure;  /* -y */
	const char *file;
	const char *machine; /* -m; NULL: that of MASTER */
	char folder[PATH_MAX];
};

static void usage(FILE *out)
{
	fputs("usage: tmloadcf [-n] [-y] [-c] [-m LMID] [-b blocks] {ubbconfig | -}\n"
	      "Make a domain of a configuration of Tuxedo; TUXCONFIG names the "
	      "file that programs\nread then, the domain is in $TUXCONFIG.d.\n"
	      "  -n         check the file, make nothing\n"
	      "  -y         do not ask\n"
	      "  -c         check the file; no sizes of kernel resources need "
	      "to be set\n"
	      "  -m LMID    this machine of several, as a node of a cluster\n"
	      "  -b blocks  taken without effect\n",
	      out);
}

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "tmloadcf: %s: %s\n", what, why);
	return -1;
}

/* ---- the UBBCONFIG ---- */

static char *read_all(const char *path)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	FILE *in = strcmp(path, "-") == 0 ? stdin : NULL;
	char *text = calloc(1, FILE_MAX);

	if (in == NULL)
		in = f = fopen(path, "re");
	if (text == NULL || in == NULL) {
		complain(path, strerror(errno));
		free(text);
		return NULL;
	}
	if (fread(text, 1, FILE_MAX - 1, in) == FILE_MAX - 1) {
		complain(path, "too large");
		free(text);
		return NULL;
	}
	return text;
}

static int write_all(const char *path, const char *text)
{
	OW_CLEANUP(ow_newfile_drop) struct ow_newfile f = { 0 };
	int r = ow_newfile_open(&f, path);

	if (r == 0 && fputs(text, f.file) < 0)
		r = -EIO;
	if (r == 0)
		r = ow_newfile_close(&f);
	if (r == 0)
		r = ow_newfile_publish(&f);
	return r < 0 ? complain(path, strerror(-r)) : 0;
}

/* ---- what setenv gives ---- */

/* Is the variable part of the domain? Field tables, views and libraries stay
 * those of the user, who sets them for Tuxedo. */
static bool is_wanted(const char *line)
{
	static const char *const not[] = { "PWD=", "OLDPWD=", "SHLVL=", "_=",
					   "FLDTBLDIR=", "VIEWDIR=",
					   "LD_LIBRARY_PATH=" };

	for (size_t i = 0; i < sizeof(not) / sizeof(not[0]); i++)
		if (strncmp(line, not[i], strlen(not[i])) == 0)
			return false;
	return (isalpha((unsigned char)line[0]) || line[0] == '_') &&
	       strchr(line, '=') != NULL;
}

/* A shell reads setenv in an empty environment in which PATH names itself. */
static FILE *open_environment(const struct load *l, pid_t *ret_pid)
{
	static const char *const empty[] = { "PATH=${PATH}", NULL };
	char script[] = ". \"$0/setenv\"; exec /usr/bin/env";
	int fds[2];

	if (pipe(fds) < 0)
		return NULL;
	*ret_pid = fork();
	if (*ret_pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		execle("/bin/sh", "sh", "-c", script, l->folder, (char *)NULL,
		       (char *const *)empty);
		_exit(127);
	}
	close(fds[1]);
	return *ret_pid > 0 ? fdopen(fds[0], "r") : NULL;
}

static int write_environment(const struct load *l, FILE *out)
{
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL;
	size_t cap = 0;
	int status = 0;
	pid_t pid;
	FILE *in = open_environment(l, &pid);

	if (in == NULL)
		return complain("/bin/sh", strerror(errno));
	while (getline(&line, &cap, in) >= 0)
		if (is_wanted(line))
			fputs(line, out);
	fclose(in);
	if (waitpid(pid, &status, 0) == pid && status == 0)
		return 0;
	return complain(l->folder, "its setenv failed");
}

static int write_tuxconfig(const struct load *l)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int r;

	if (out == NULL)
		return complain("TUXCONFIG", strerror(errno));
	fprintf(out, "%s from %s\n"
		     "# The environment of the domain in %s, for programs that "
		     "find TUXCONFIG.\n[@global]\nNDRX_COMPAT=strict-tuxedo\n",
		OW_CCONFIG_MARK, l->file,
		l->folder);
	r = write_environment(l, out);
	fclose(out);
	return r < 0 ? r : write_all(site_name(), text);
}

/* ---- loading ---- */

/* Lines of the import that help here: what is wrong, and the counts. */
static void on_line(const char *line, void *arg)
{
	(void)arg;
	if (strncmp(line, "xadmin: import: ", 16) == 0)
		fprintf(stderr, "tmloadcf: %s\n", line + 16);
	else if (strstr(line, "without counterpart") != NULL)
		fprintf(stderr, "%s\n", line);
}

static int check(const struct load *l, const char *path)
{
	const char *const words[] = { "xadmin",	  "import",
				      "-n",	  "ubbconfig",
				      path,	  l->machine ? "--machine" : NULL,
				      l->machine, NULL };

	return run_program(words, on_line, NULL) == 0 ? 0 : 1;
}

static int make(struct load *l, const char *path)
{
	const char *const words[] = { "xadmin",	  "import",
				      "-f",	  "-o",
				      l->folder,  "ubbconfig",
				      path,	  l->machine ? "--machine" : NULL,
				      l->machine, NULL };
	char report[PATH_MAX];

	if (run_program(words, on_line, NULL) != 0 || write_tuxconfig(l) != 0)
		return 1;
	site_path("tmloadcf", "conf/import.report", report, sizeof(report));
	fprintf(stderr, "What became of each line: %s\n", report);
	return 0;
}

/* Ask for the file TUXCONFIG, as Tuxedo does. */
static bool is_sure(const struct load *l)
{
	char question[PATH_MAX + 64];

	snprintf(question, sizeof(question),
		 "Initialize TUXCONFIG file: %s [y, q] ? ", site_name());
	return l->sure || run_ask(question);
}

static int load(struct load *l)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = read_all(l->file);
	char copy[PATH_MAX];
	int status;

	if (text == NULL)
		return 1;
	if (l->check && strcmp(l->file, "-") != 0)
		return check(l, l->file);
	if (site_path("tmloadcf", "", l->folder, sizeof(l->folder)) < 0)
		return 1;
	mkdir(l->folder, 0777);
	site_path("tmloadcf", "conf", copy, sizeof(copy));
	mkdir(copy, 0777);
	if (strcmp(l->file, "-") == 0) {
		site_path("tmloadcf", "conf/stdin", copy, sizeof(copy));
		if (write_all(copy, text) < 0)
			return 1;
		l->file = copy;
	}
	if (l->check)
		return check(l, l->file);
	if (!is_sure(l))
		return 1;
	status = make(l, l->file);
	site_path("tmloadcf", "conf/ubbconfig", copy, sizeof(copy));
	if (status == 0 && write_all(copy, text) < 0)
		status = 1;
	return status;
}

int main(int argc, char **argv)
{
	struct load l = { .check = false };
	enum ow_about about = ow_about(argc, argv, "tmloadcf");
	int c;

	if (about == OW_ABOUT_HELP)
		usage(stdout);
	if (about != OW_ABOUT_NONE)
		return 0;
	while ((c = getopt(argc, argv, "nycb:m:h")) != -1) {
		if (c == 'n' || c == 'c')
			l.check = true;
		else if (c == 'y')
			l.sure = true;
		else if (c == 'm')
			l.machine = optarg;
		else if (c == 'h')
			usage(stdout);
		if (c == 'h')
			return 0;
		if (c == '?')
			break;
	}
	if (c == '?' || optind + 1 != argc) {
		usage(stderr);
		return 2;
	}
	l.file = argv[optind];
	return load(&l);
}
