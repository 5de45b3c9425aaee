/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - what buildserver, buildclient and buildtms have in common: the options,
 * the source of a main(), and the run of the compiler
 */
#include "clients/buildserver/compile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/variable.h"

/* ---- options ---- */

/* Take an option that all of them know: 0; 1: it is none of them; -1 after a
 * message. */
static int option(struct build *b, int letter, const char *value)
{
	switch (letter) {
	case 'o':
		b->out = value;
		return 0;
	case 'f':
	case 'a':
		return words_add_text(&b->first, value);
	case 'l':
		return words_add_text(&b->last, value);
	case 'r':
	case 'g':
		b->rm = value;
		return 0;
	case 'v':
		b->verbose = true;
		return 0;
	case 'k':
		b->keep = true;
		return 0;
	case 'b': /* once chose between ways to pass messages */
	case 'n': /* once limited the services without a name */
		return 0;
	case 'C':
		fprintf(stderr, "%s: -C: COBOL is not supported\n",
			b->program);
		return -1;
	default:
		return 1;
	}
}

int build_options(struct build *b, int argc, char **argv)
{
	int c, r = 0;

	while (r == 0 && (c = getopt(argc, argv, b->letters)) != -1) {
		if (c == 'h') {
			b->usage(stdout);
			exit(0);
		}
		r = option(b, c, optarg);
		if (r == 1 && b->own != NULL)
			r = b->own(b, c, optarg);
	}
	if (r == 0 && optind < argc) {
		fprintf(stderr, "%s: %s: files follow -f or -l\n", b->program,
			argv[optind]);
		r = 1;
	}
	if (r == 1)
		b->usage(stderr);
	return r;
}

/* The folder above that of the running program. */
static void own_home(char *home, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", home, size - 1);
	char *slash;

	home[n > 0 ? n : 0] = '\0';
	for (int i = 0; i < 2; i++) {
		slash = strrchr(home, '/');
		if (slash != NULL)
			*slash = '\0';
	}
}

/* ---- resource managers ---- */

static FILE *open_rm_file(char *path, size_t size)
{
	static const char *const homes[] = { "TUXDIR", "NDRX_HOME" };
	const char *named = ow_env_str("NDRX_RMFILE", NULL);
	FILE *f = NULL;

	if (named != NULL) {
		snprintf(path, size, "%s", named);
		return fopen(path, "re");
	}
	for (size_t i = 0; i < 2 && f == NULL; i++) {
		snprintf(path, size, "%s/udataobj/RM",
			 ow_env_str(homes[i], ""));
		f = fopen(path, "re");
	}
	return f;
}

/* A line `name:switch:libraries` for b->rm: 0; 1: it is for another; -1 after a
 * message. */
static int take_line(struct build *b, char *line, const char *path)
{
	size_t n = strlen(b->rm);
	char *at = line + strspn(line, " \t"), *libs;

	if (strncmp(at, b->rm, n) != 0 || at[n] != ':')
		return 1;
	at += n + 1;
	libs = strchr(at, ':');
	if (libs == NULL || libs == at ||
	    (size_t)(libs - at) >= sizeof(b->rm_switch)) {
		fprintf(stderr, "%s: %s: %s: give NAME:SWITCH:LIBRARIES\n",
			b->program, path, b->rm);
		return -1;
	}
	snprintf(b->rm_switch, sizeof(b->rm_switch), "%.*s", (int)(libs - at),
		 at);
	return words_add_text(&b->last, libs + 1);
}

/* As take_line(): of all lines. */
static int look_in(struct build *b, FILE *f, const char *path)
{
	char line[4096];
	int r = 1;

	while (r == 1 && f != NULL && fgets(line, sizeof(line), f) != NULL)
		r = take_line(b, line, path);
	return r;
}

/* The user's file first, then the one of this installation, which has those that
 * are always there. */
static int read_rm_file(struct build *b)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = NULL, *own = NULL;
	char path[PATH_MAX], home[PATH_MAX] = "", own_path[PATH_MAX + 32];
	int r;

	f = open_rm_file(path, sizeof(path));
	r = look_in(b, f, path);
	if (r == 1) {
		own_home(home, sizeof(home));
		snprintf(own_path, sizeof(own_path), "%s/share/onewake/RM",
			 home);
		own = fopen(own_path, "re");
		r = look_in(b, own, own_path);
	}
	if (r == 1 && f != NULL)
		fprintf(stderr, "%s: -r %s: not in %s\n", b->program, b->rm,
			path);
	if (r == 1 && f == NULL)
		return 0; /* named when the program runs */
	return r == 0 ? 0 : -1;
}

int build_resource_manager(struct build *b)
{
	int r = b->rm != NULL ? read_rm_file(b) : 0;

	if (b->rm != NULL && r == 0 && !b->needs_switch &&
	    (!b->makes_main || b->rm_switch[0] == '\0'))
		fprintf(stderr, "%s: -r %s: no switch is built in: "
				"NDRX_XA_DRIVERLIB names it when the program "
				"runs\n", b->program, b->rm);
	return r;
}

/* ---- the compiler ---- */

/* "<home>/<folder>" if it has the file. */
static bool has_file(const char *home, const char *folder, const char *file,
		     char *ret, size_t size)
{
	char path[PATH_MAX + 64];

	snprintf(ret, size, "%s/%s", home, folder);
	snprintf(path, sizeof(path), "%s/%s", ret, file);
	return access(path, R_OK) == 0;
}

/* Add `option` with the folder that has the file: of this installation, else
 * of the environment's. Without one, the compiler knows itself. */
static void add_folder(struct words *cmd, const char *option,
		       const char *folder, const char *file)
{
	char own[PATH_MAX] = "", path[PATH_MAX + 32];
	const char *const homes[] = { own, ow_env_str("TUXDIR", NULL),
				      ow_env_str("NDRX_HOME", NULL) };

	own_home(own, sizeof(own));
	for (size_t i = 0; i < 3; i++) {
		if (homes[i] == NULL ||
		    !has_file(homes[i], folder, file, path, sizeof(path)))
			continue;
		words_add_joined(cmd, option, path);
		return;
	}
}

static void add_all(struct words *to, const struct words *from)
{
	for (size_t i = 0; i < from->n; i++)
		words_add(to, from->list[i]);
}

static int make_command(struct build *b, const char *stub, const char *libs,
			struct words *cmd)
{
	if (words_add_text(cmd, ow_env_str("CC", "cc")) != 0 ||
	    words_add_text(cmd, ow_variable("CFLAGS")) != 0)
		return -1;
	add_folder(cmd, "-I", "include", "atmi.h");
	words_add(cmd, "-o");
	words_add(cmd, b->out);
	if (stub != NULL)
		words_add(cmd, stub);
	add_all(cmd, &b->first);
	add_folder(cmd, "-L", OW_LIBDIR, "libatmi.so");
	words_add_text(cmd, libs);
	add_all(cmd, &b->last);
	return 0;
}

static void show(const struct words *cmd)
{
	for (size_t i = 0; i < cmd->n; i++)
		printf("%s%s", i > 0 ? " " : "", cmd->list[i]);
	putchar('\n');
	fflush(stdout);
}

/* Run to the end; the exit status, 127 if it cannot be started. */
static int run(const struct words *cmd)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		execvp(cmd->list[0], cmd->list);
		fprintf(stderr, "%s: %s\n", cmd->list[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

int build_run(struct build *b, const char *stub, const char *libs)
{
	OW_CLEANUP(words_free) struct words cmd = { NULL };

	if (make_command(b, stub, libs, &cmd) != 0)
		return 1;
	if (b->verbose)
		show(&cmd);
	if (run(&cmd) == 0)
		return 0;
	fprintf(stderr, "%s: the compiler failed: %s was not made\n",
		b->program, b->out);
	return 1;
}

static int write_main(const struct build *b, const struct services *services,
		      int threads, const char *path)
{
	FILE *out = fopen(path, "wxe");
	int failed;

	if (out == NULL) {
		fprintf(stderr, "%s: %s: %s\n", b->program, path,
			strerror(errno));
		return -1;
	}
	services_write_main(services, b->rm_switch, threads, out);
	failed = ferror(out);
	if (fclose(out) == 0 && !failed)
		return 0;
	fprintf(stderr, "%s: %s: cannot be written\n", b->program, path);
	unlink(path);
	return -1;
}

int build_with_main(struct build *b, const char *prefix,
		    const struct services *services, int threads,
		    const char *libs)
{
	char path[64];
	int status;

	snprintf(path, sizeof(path), "%.20s-%d.c", prefix, (int)getpid());
	if (write_main(b, services, threads, path) != 0)
		return 1;
	status = build_run(b, path, libs);
	if (!b->keep)
		unlink(path);
	return status;
}

void build_free(struct build *b)
{
	words_free(&b->first);
	words_free(&b->last);
}
