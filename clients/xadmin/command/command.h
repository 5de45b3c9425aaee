/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - the interface between a command of xadmin and its function
 *
 * A command is a row of the table (table/table.h): names, options, help text,
 * function. Help, completion and "did you mean" read the same table. The
 * function gets the command line taken apart (args.h) and returns the exit
 * code.
 */
#ifndef OW_COMMAND_H
#define OW_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "libndrx/observe/as_owner.h"
#include "clients/xadmin/output/listing.h"

/* Scripts rely on these; xadmin(8) explains them. */
enum ow_exit {
	OW_EXIT_OK = 0,
	OW_EXIT_FAILED = 1,
	OW_EXIT_USAGE = 2,     /* option or argument wrong; nothing was done */
	OW_EXIT_ABSENT = 3,    /* ndrxd, or the domain, is not there */
	OW_EXIT_TIMEOUT = 4,   /* no reply in time: the work may go on */
	OW_EXIT_UNKNOWN = 255, /* no such command */
};

#define OW_ARGS_MAX  128 /* words of a line that is typed */
#define OW_OPTS_MAX  8192 /* options of a command line: -i of each server */
#define OW_WORDS_LEN 4096
#define OW_ARGS_CLUSTER 'C' /* --cluster, among the options */
#define OW_ARGS_DRAIN	'D' /* --drain */
#define OW_ARGS_MACHINE 'M' /* --machine */
#define OW_ARGS_STUCK	'S' /* --stuck */
#define OW_SYNOPSIS_LEN 256

/* Shared by all commands of one run of xadmin. */
struct ow_xadmin {
	bool quit; /* set by `quit` */
	enum ow_guest_right right; /* of the guest that it runs for */
	struct ow_term term;	   /* of that guest */
};

/* Where a command of a guest runs: guest.h. */
enum ow_cmd_guest {
	OW_CMD_HERE = 0, /* in its xadmin: it asks ndrxd, or needs no domain */
	OW_CMD_LOOKS,	 /* by the domain's user, if the guest may look */
	OW_CMD_COMMANDS, /* the same, if it may command */
	OW_CMD_NEVER,	 /* it is for the domain's user alone */
};

/* A command line, taken apart. */
struct ow_args {
	const struct ow_cmd *cmd;
	struct ow_xadmin *x;
	struct {
		int opt;
		const char *value; /* NULL: option without value */
	} opts[OW_OPTS_MAX];
	int n_opts;
	struct ow_form form; /* --json, --csv, --wide, --narrow */
	bool help;	     /* --help: explain, do nothing */
	int watch_ms;	     /* --watch: repeat with this pause; 0: once */
	char **rest;	     /* words that are no options */
	int n_rest;
	char **words; /* all of the line, the name first */
	int n_words;
};

struct ow_cmd {
	const char *name;
	const char *alias;   /* second name, or NULL */
	const char *alias2;  /* third name, or NULL */
	const char *group;   /* heading in the list of commands */
	const char *options; /* as for getopt(3) */
	const char *many;    /* those that may be given several times, or NULL */
	bool json;	     /* a listing: --json, --csv, --watch, --wide */
	bool cluster;	     /* it has --cluster */
	bool drain;	     /* it has --drain */
	bool machine;	     /* it has --machine */
	bool stuck;	     /* it has --stuck */
	bool raw;	     /* words are passed as they are */
	bool noted;	     /* an order that ndrxd does not hear of (order.h) */
	int max_rest;	     /* words after the options; -1: any */
	enum ow_cmd_guest guest;
	enum ow_cmd_guest guest_rest; /* LOOKS: with words after the options */
	int (*run)(struct ow_args *a);
	const char *synopsis; /* after the name */
	const char *brief;    /* one line */
	const char *help;     /* more, may be NULL */
	const char *example;
};

/* Commands with one heading. */
struct ow_cmd_group {
	const struct ow_cmd *rows;
	size_t n;
};

/* table/table.c; NULL ends it. */
extern const struct ow_cmd_group *const ow_cmd_groups[];

/* Row `i` of the whole table, from 0; NULL: it has fewer. */
const struct ow_cmd *ow_cmd_at(size_t i);

/* By name or alias; NULL. */
const struct ow_cmd *ow_cmd_find(const char *name);
/* The command with the nearest name, or NULL: `name` is its beginning, or
 * differs by one or two typing errors. */
const struct ow_cmd *ow_cmd_suggest(const char *name);
/* Name and synopsis, with the options of every listing; the result is `buf`. */
const char *ow_cmd_synopsis(const struct ow_cmd *cmd, char *buf, size_t size);

/* Was option `opt` given? */
bool ow_args_has(const struct ow_args *a, int opt);
/* Value of the last `opt`, or NULL. */
const char *ow_args_value(const struct ow_args *a, int opt);

/* Print "xadmin: CMD: ..." to stderr. Always OW_EXIT_FAILED. */
int ow_cmd_fail(const struct ow_args *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, followed by the synopsis. Always OW_EXIT_USAGE. */
int ow_cmd_misused(const struct ow_args *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Ask the user to confirm; -y confirms without a question. */
bool ow_cmd_sure(const struct ow_args *a);

#endif
