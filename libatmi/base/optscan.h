/* SPDX-License-Identifier: Apache-2.0 */
/*
 * optscan.h - the options of a command line, one after the other
 *
 * Reads what getopt() reads, and leaves getopt() alone: optind and the hidden
 * state of the C library belong to the program, which parses its own options
 * with getopt(), getopt_long() or argp. Nothing is printed and no argument is
 * moved.
 */
#ifndef OW_OPTSCAN_H
#define OW_OPTSCAN_H

struct ow_optscan {
	/* set by the caller */
	int argc;
	char *const *argv;
	const char *known; /* letters, as for getopt(): `:` wants a value */
	int at;		   /* index of the next argument: begin with 1 */
	/* results */
	char letter;
	const char *value; /* NULL: the option has none */
	/* own */
	const char *rest; /* further letters of the same argument, or NULL */
};

enum ow_optscan_result {
	OW_OPTSCAN_END = 0,    /* behind `--`, or behind the last argument */
	OW_OPTSCAN_OPTION,     /* letter, value */
	OW_OPTSCAN_WORD,       /* value: an argument that is no option */
	OW_OPTSCAN_UNKNOWN,    /* letter */
	OW_OPTSCAN_NO_VALUE,   /* letter: its value is missing */
};

enum ow_optscan_result ow_optscan_next(struct ow_optscan *s);

#endif
