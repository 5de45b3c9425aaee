/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - run the command that a line names
 */
#include "clients/xadmin/command/run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/xadmin/command/args.h"
#include "clients/xadmin/command/others.h"
#include "clients/xadmin/command/guest.h"
#include "clients/xadmin/command/watch.h"
#include "libatmi/base/masked.h"

static int fail_unknown(const char *name)
{
	const struct ow_cmd *near = ow_cmd_suggest(name);
	const char *why = ow_command_of_others(name);

	if (why != NULL)
		fprintf(stderr, "xadmin: %s: %s\n", name, why);
	else if (near != NULL)
		fprintf(stderr, "xadmin: %s: unknown command, did you mean "
			"`%s`?\n", name, near->name);
	else
		fprintf(stderr, "xadmin: %s: unknown command; `help` lists "
			"all commands\n", name);
	return OW_EXIT_UNKNOWN;
}

/* Has the reader of a pipe seen enough? */
static bool is_left(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR) != 0;
}

/* Was all that the command has printed written? Lines are written one by one:
 * of those that were lost before only the mark of the stream tells. */
static int end_output(const struct ow_args *a, int r)
{
	bool whole;
	int e;

	errno = 0;
	whole = fflush(stdout) == 0 && !ferror(stdout);
	e = errno;
	clearerr(stdout);
	if (whole || r != OW_EXIT_OK || is_left(fileno(stdout)))
		return r;
	return ow_cmd_fail(a, "standard output: not all of it was written%s%s",
			   e != 0 ? ": " : "", e != 0 ? strerror(e) : "");
}

int ow_run_command(struct ow_xadmin *x, int argc, char **argv)
{
	const struct ow_cmd *cmd = ow_cmd_find(argv[0]);
	struct ow_args a;
	int r;

	if (cmd == NULL)
		return fail_unknown(argv[0]);
	if (!ow_args_parse(cmd, argc, argv, &a)) {
		char *help[] = { (char *)"help", (char *)cmd->name, NULL };

		return a.help ? ow_run_command(x, 2, help) : OW_EXIT_USAGE;
	}
	a.x = x;
	a.form.term = x->right != OW_GUEST_NOBODY ? x->term : ow_term_ask();
	r = a.watch_ms > 0 && x->right == OW_GUEST_NOBODY ? ow_watch_run(&a)
							  : ow_cmd_run(&a);
	return end_output(&a, r);
}

/* What a command has written to a stream, kept until it has ended. */
struct kept {
	FILE *real;
	char *text;
	size_t len;
};

static FILE *keep(struct kept *k, FILE *real)
{
	*k = (struct kept){ .real = real };
	return open_memstream(&k->text, &k->len);
}

/* Pass it on, without secrets. */
static void pass_on(struct kept *k, FILE *written)
{
	char *masked = fclose(written) == 0 ? ow_masked(k->text) : NULL;

	if (masked != NULL)
		fputs(masked, k->real);
	fflush(k->real);
	free(masked);
	free(k->text);
}

/* Streams are replaced, so that whatever a command prints is looked through. */
static int run_masked(struct ow_xadmin *x, int argc, char **argv)
{
	struct kept out, err;
	FILE *o = keep(&out, stdout), *e = keep(&err, stderr);
	int r;

	if (o == NULL || e == NULL)
		return OW_EXIT_FAILED;
	stdout = o;
	stderr = e;
	r = ow_run_command(x, argc, argv);
	stdout = out.real;
	stderr = err.real;
	pass_on(&err, e);
	pass_on(&out, o);
	return r;
}

int ow_run_for_guest(struct ow_xadmin *x, int argc, char **argv)
{
	char *end;

	if (argc < 2)
		return OW_EXIT_USAGE;
	x->term.columns = (int)strtol(argv[0], &end, 10);
	x->term.colour = *end == 'c';
	return run_masked(x, argc - 1, argv + 1);
}

int ow_run_line(struct ow_xadmin *x, const char *line)
{
	char buf[OW_WORDS_LEN];
	char *argv[OW_ARGS_MAX];
	int n = ow_args_split(line, buf, sizeof(buf), argv);

	if (n == 0)
		return OW_EXIT_OK;
	if (n < 0) {
		fprintf(stderr, "xadmin: %s\n",
			n == -EINVAL ? "a quote is not closed"
				     : "the line is too long");
		return OW_EXIT_FAILED;
	}
	return ow_run_command(x, n, argv);
}
