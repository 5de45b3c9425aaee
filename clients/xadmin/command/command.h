/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - the table of commands, and how one is found and run
 *
 * Everything that is known of a command stands in its row: names, options,
 * help text, function. Help, completion and the "did you mean" read the same
 * table. A command returns its exit code.
 */
#ifndef OW_COMMAND_H
#define OW_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "clients/xadmin/output/term.h"

/* What scripts can rely on; xadmin(8) explains them. */
enum ow_exit {
	OW_EXIT_OK = 0,
	OW_EXIT_FAILED = 1,
	OW_EXIT_USAGE = 2,     /* option or argument wrong; nothing was done */
	OW_EXIT_ABSENT = 3,    /* ndrxd, or the domain, is not there */
	OW_EXIT_TIMEOUT = 4,   /* no answer in time: the work may go on */
	OW_EXIT_UNKNOWN = 255, /* no such command */
};

#define OW_ARGS_MAX  128 /* words of a command line */
#define OW_WORDS_LEN 4096
#define OW_SYNOPSIS_LEN 256

struct option;

/* What all commands of one run of xadmin share. */
struct ow_xadmin {
	bool tty;  /* a person sits at the prompt */
	bool quit; /* the last command said so */
	struct ow_term term; /* of standard output */
};

/* A parsed command line. */
struct ow_args {
	const struct ow_cmd *cmd;
	struct ow_xadmin *x;
	struct {
		int opt;
		const char *value; /* NULL: option without value */
	} opts[OW_ARGS_MAX];
	int n_opts;
	bool json;    /* for programs: as JSON, or as CSV */
	bool csv;     /* ... as CSV */
	bool wide;    /* cut no name, whatever the terminal's width */
	bool help;    /* --help: explain, do nothing */
	int watch_ms; /* again and again; 0: once */
	char **rest;  /* words that are no options */
	int n_rest;
};

struct ow_cmd {
	const char *name;
	const char *alias;   /* second name, or NULL */
	const char *alias2;  /* third name, or NULL */
	const char *group;   /* heading in the list of commands */
	const char *options; /* as for getopt(3) */
	bool json;	     /* a listing: --json, --csv, --watch, --wide */
	bool raw;	     /* words are passed as they are */
	int max_rest;	     /* words after the options; -1: any */
	int (*run)(struct ow_args *a);
	const char *synopsis; /* after the name */
	const char *brief;    /* one line */
	const char *help;     /* more, may be NULL */
	const char *example;
};

extern const struct ow_cmd ow_commands[];
extern const size_t ow_commands_count;

/* By name or alias; NULL. */
const struct ow_cmd *ow_cmd_find(const char *name);
/* The command whose name is nearest to `name`, or NULL. A name is near when
 * it begins the same way, or a few slips of the fingers lie between. */
const struct ow_cmd *ow_cmd_suggest(const char *name);

/* Run one command; argv[0] is its name. Its exit code. */
int ow_cmd_run(struct ow_xadmin *x, int argc, char **argv);
/* Split a line as a shell would, skip blanks and # comments, run it. */
int ow_cmd_run_line(struct ow_xadmin *x, const char *line);

/* ---- args.c ---- */

/* Split `line` in place of `buf` into argv (NULL-terminated): the number of
 * words; -EINVAL: a quote is not closed, -E2BIG. */
int ow_cmd_split(const char *line, char *buf, size_t size, char **argv);

/* Fill in `ret` from argv; false after having said what is wrong. */
bool ow_args_parse(const struct ow_cmd *cmd, int argc, char **argv,
		   struct ow_args *ret);
bool ow_args_has(const struct ow_args *a, int opt);
/* Value of the last `opt`, or NULL. */
const char *ow_args_value(const struct ow_args *a, int opt);
/* A server id from text: 0 after having said what is wrong. */
unsigned int ow_args_srvid(const struct ow_args *a, const char *text);

/* The long options that the command takes, as getopt_long(3) wants them. */
const struct option *ow_args_longs(const struct ow_cmd *cmd);
/* Synopsis with what every listing takes; the result is `buf`. */
const char *ow_args_synopsis(const struct ow_cmd *cmd, char *buf,
			     size_t size);

/* ---- for the functions behind the commands ---- */

/* "xadmin: CMD: ..." to stderr; always OW_EXIT_FAILED. */
int ow_cmd_fail(const struct ow_args *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, and how the command is used; always OW_EXIT_USAGE. */
int ow_cmd_misused(const struct ow_args *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Ask the user; with -y among the options, yes. */
bool ow_cmd_sure(const struct ow_args *a);

#endif
