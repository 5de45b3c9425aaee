/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - xadmin, the command line of a domain
 *
 * `xadmin CMD ...` runs one command; without one, commands come from the
 * prompt or, when standard input is no terminal, one per line from there.
 * Headers and progress go to stderr, rows to stdout: scripts depend on it.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/xadmin/command/command.h"
#include "clients/xadmin/command/run.h"
#include "clients/xadmin/prompt/complete.h"
#include "clients/xadmin/prompt/prompt.h"
#include "libatmi/door/runtime.h"
#include "libubf/base/about.h"
#include "libubf/base/standard.h"

#define GUEST_S 30 /* the longest life of one that runs for a guest */

/* Run the commands of standard input, one per line. The exit code of the last
 * failure. */
static int run_script(struct ow_xadmin *x)
{
	int r, worst = OW_EXIT_OK;
	char line[OW_WORDS_LEN];

	while (!x->quit && fgets(line, sizeof(line), stdin) != NULL) {
		if (strchr(line, '\n') == NULL && !feof(stdin)) {
			fprintf(stderr, "xadmin: line of more than %d bytes\n",
				OW_WORDS_LEN - 2);
			return OW_EXIT_FAILED;
		}
		r = ow_run_line(x, line);
		if (r != OW_EXIT_OK)
			worst = r;
	}
	return worst;
}

static void print_word(const char *word, void *arg)
{
	(void)arg;
	printf("%s\n", word);
}

/* `xadmin --complete PREFIX WORD...`, for the completion of shells: one
 * candidate per line; "//": file names, too. */
static int complete(int argc, char **argv)
{
	const char *prefix = argc > 0 ? argv[0] : "";
	int words = argc > 1 ? argc - 1 : 0;

	if (ow_complete(words, argv + 1, prefix, print_word, NULL))
		printf("//\n");
	return OW_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct ow_xadmin x = { .quit = false };

	ow_standard_fill();
	ow_runtime_enter(); /* tmqueue and tmsrv answer without a login */
	x.right = ow_as_owner_begin(&argc, argv, GUEST_S);
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	/* Keep rows and headers in order when both go to one file. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (x.right != OW_GUEST_NOBODY)
		return ow_run_for_guest(&x, argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "--complete") == 0)
		return complete(argc - 2, argv + 2);
	if (ow_about(argc, argv, "xadmin") == OW_ABOUT_VERSION)
		return OW_EXIT_OK;
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 ||
			 strcmp(argv[1], "-h") == 0))
		argv[1] = (char *)"help";
	if (argc > 1)
		return ow_run_command(&x, argc - 1, argv + 1);
	if (!isatty(STDIN_FILENO))
		return run_script(&x);
	return ow_prompt_run(&x);
}
