/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - make the domain that TUXCONFIG names of its configurations
 */
#include "clients/tm/load.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/common/newfile.h"
#include "clients/tm/run.h"
#include "clients/tm/site.h"
#include "libubf/base/cconfig.h"
#include "libubf/base/cleanup.h"

#define FILE_MAX ((size_t)8 * 1024 * 1024)

static int complain(const char *program, const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program, what, why);
	return -1;
}

/* ---- files ---- */

char *load_read(const char *program, const char *path)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL;
	FILE *in = strcmp(path, "-") == 0 ? stdin : NULL;
	char *text = calloc(1, FILE_MAX);

	if (in == NULL)
		in = f = fopen(path, "re");
	if (text == NULL || in == NULL) {
		complain(program, path, strerror(errno));
		free(text);
		return NULL;
	}
	if (fread(text, 1, FILE_MAX - 1, in) == FILE_MAX - 1) {
		complain(program, path, "too large");
		free(text);
		return NULL;
	}
	return text;
}

int load_write(const char *program, const char *path, const char *text)
{
	OW_CLEANUP(ow_newfile_drop) struct ow_newfile f = { 0 };
	int r = ow_newfile_open(&f, path);

	if (r == 0 && fputs(text, f.file) < 0)
		r = -EIO;
	if (r == 0)
		r = ow_newfile_close(&f);
	if (r == 0)
		r = ow_newfile_publish(&f);
	return r < 0 ? complain(program, path, strerror(-r)) : 0;
}

int load_folder(const char *program)
{
	char path[PATH_MAX];

	if (site_path(program, "", path, sizeof(path)) < 0)
		return -1;
	mkdir(path, 0777);
	site_path(program, "conf", path, sizeof(path));
	mkdir(path, 0777);
	return 0;
}

/* ---- the file TUXCONFIG: what setenv gives ---- */

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
static FILE *open_environment(const char *folder, pid_t *ret_pid)
{
	static const char *const empty[] = { "PATH=${PATH}", NULL };
	char script[] = ". \"$0/setenv\"; exec /usr/bin/env";
	int fds[2];

	if (pipe(fds) < 0)
		return NULL;
	*ret_pid = fork();
	if (*ret_pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		execle("/bin/sh", "sh", "-c", script, folder, (char *)NULL,
		       (char *const *)empty);
		_exit(127);
	}
	close(fds[1]);
	return *ret_pid > 0 ? fdopen(fds[0], "r") : NULL;
}

static int put_environment(const char *program, const char *folder, FILE *out)
{
	OW_CLEANUP(ow_cleanup_freep) char *line = NULL;
	size_t cap = 0;
	int status = 0;
	pid_t pid;
	FILE *in = open_environment(folder, &pid);

	if (in == NULL)
		return complain(program, "/bin/sh", strerror(errno));
	while (getline(&line, &cap, in) >= 0)
		if (is_wanted(line))
			fputs(line, out);
	fclose(in);
	if (waitpid(pid, &status, 0) == pid && status == 0)
		return 0;
	return complain(program, folder, "its setenv failed");
}

static int write_tuxconfig(const struct load_files *l, const char *folder)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int r;

	if (out == NULL)
		return complain(l->program, "TUXCONFIG", strerror(errno));
	fprintf(out, "%s from %s\n"
		     "# The environment of the domain in %s, for programs that "
		     "find TUXCONFIG.\n[@global]\nNDRX_COMPAT=strict-tuxedo\n",
		OW_CCONFIG_MARK, l->ubb, folder);
	r = put_environment(l->program, folder, out);
	fclose(out);
	return r < 0 ? r : load_write(l->program, site_name(), text);
}

/* ---- loading ---- */

/* Lines of the import that help here: what is wrong, and the counts. */
static void on_line(const char *line, void *arg)
{
	if (strncmp(line, "xadmin: import: ", 16) == 0)
		fprintf(stderr, "%s: %s\n", (const char *)arg, line + 16);
	else if (strstr(line, "without counterpart") != NULL)
		fprintf(stderr, "%s\n", line);
}

/* Run the import; `how` is -n, or -f and the folder. 0, or 1 after a message. */
static int import(const struct load_files *l, const char *how,
		  const char *folder)
{
	const char *words[16] = { "xadmin", "import", how };
	size_t n = 3;

	if (folder != NULL) {
		words[n++] = "-o";
		words[n++] = folder;
	}
	if (l->machine != NULL) {
		words[n++] = "--machine";
		words[n++] = l->machine;
	}
	words[n++] = "ubbconfig";
	words[n++] = l->ubb;
	if (l->domains != NULL) {
		words[n++] = "dmconfig";
		words[n++] = l->domains;
	}
	return run_program(words, on_line, (void *)l->program) == 0 ? 0 : 1;
}

int load_check(const struct load_files *l)
{
	return import(l, "-n", NULL);
}

int load_make(const struct load_files *l)
{
	char path[PATH_MAX];

	if (site_path(l->program, "", path, sizeof(path)) < 0 ||
	    import(l, "-f", path) != 0 || write_tuxconfig(l, path) != 0)
		return 1;
	site_path(l->program, "conf/import.report", path, sizeof(path));
	fprintf(stderr, "What became of each line: %s\n", path);
	return 0;
}
