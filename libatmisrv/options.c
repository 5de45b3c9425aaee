/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the command line of a server
 *
 * The program parses what follows `--` with getopt() and its like. Therefore
 * getopt() is not used here: the program finds it as at the start of a
 * process, with optind 1, and gets an argv of its own options alone.
 *
 * A program started without arguments (wrappers, other languages) takes them
 * from NDRX_SVCLOPT, split at blanks and tabs; quotes of either kind keep
 * words together, a backslash is a plain character.
 */
#include "libatmisrv/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libatmi/base/env.h"
#include "libatmi/base/optscan.h"
#include "libatmi/base/pages.h"
#include "libatmi/base/words.h"
#include "libatmi/domain/server_options.h"
#include "libatmi/domain/tables.h"
#include "libatmisrv/conversion.h"
#include "libubf/base/about.h"
#include "libubf/base/cleanup.h"
#include "libubf/base/variable.h"

static void usage(const char *bin)
{
	printf("usage: %s -i ID [options] [-- application options]\n"
	       "  -i N       server id, 1 to %u\n"
	       "  -e FILE    standard output and error go to FILE\n"
	       "  -o FILE    standard output goes to FILE\n"
	       "  -D N       log level of the runtime, 0 to 6\n"
	       "  -N         advertise nothing but what -s and -S name\n"
	       "  -n SVC     do not advertise SVC (repeatable)\n"
	       "  -s NEW[/NEW2...][:SVC]   offer SVC under other names; @FILE: it has\n"
	       "             these texts, one in each line\n"
	       "  -S SVC[/SVC2...][:FUNC]  offer a built-in function\n"
	       "  -B         do not advertise built-in services\n"
	       "  -g GRP     routing group    -G  keep @GRP in names\n"
	       "  -k KEY     a mark for ps\n"
	       "  -t SEC, -R ADDR, -r      accepted, without effect\n"
	       "  -A, -l T, -p N, -P, -v, -u HOST, -U FILE, -m N   of Tuxedo:\n"
	       "             accepted, without effect; with -U, a number of -g\n"
	       "             is that of the server group, and has none either\n"
	       "  -x FUNC[,FUNC2...]:MODE  requests and answers are converted:\n"
	       "             JSON2UBF, UBF2JSON, JSON2VIEW, VIEW2JSON; with F\n"
	       "             behind it, answers to other requests, too\n",
	       bin, OW_SRV_MAX - 1);
}

static int complain(const struct ow_options *o, const char *what,
		    const char *value)
{
	fprintf(stderr, "%s: %s: \"%s\" (-h shows the options)\n", o->bin,
		what, value);
	return -EINVAL;
}

/* Parse NEW[/NEW2...][:TARGET] into rows. */
static int add_pairs(const struct ow_options *o, const char *arg,
		     struct ow_opt_pair *rows, uint32_t *n)
{
	char buf[1024], *name, *rest = buf, *target;

	if (strlen(arg) >= sizeof(buf))
		return complain(o, "too long", arg);
	strcpy(buf, arg);
	target = strchr(buf, ':');
	if (target != NULL)
		*target++ = '\0';
	while ((name = strsep(&rest, "/,")) != NULL) {
		if (*name == '\0' || strlen(name) > 30 ||
		    (target != NULL && strlen(target) > 30))
			return complain(o, "give names of 1 to 30 characters",
					arg);
		if (*n == OW_OPT_ITEMS)
			return complain(o, "too many names", arg);
		snprintf(rows[*n].name, sizeof(rows[*n].name), "%s", name);
		snprintf(rows[*n].target, sizeof(rows[*n].target), "%s",
			 target != NULL ? target : "");
		(*n)++;
	}
	return 0;
}

/* -s @FILE: a text of -s in each line; # begins a comment. */
static int add_file(struct ow_options *o, const char *path)
{
	OW_CLEANUP(ow_cleanup_fclosep) FILE *f = fopen(path, "re");
	char line[1024];
	size_t n;
	int r = 0;

	if (f == NULL)
		return complain(o, "-s: cannot read the file", path);
	while (r == 0 && fgets(line, sizeof(line), f) != NULL) {
		n = strspn(line, " \t");
		line[n + strcspn(line + n, "# \t\r\n")] = '\0';
		if (line[n] != '\0')
			r = add_pairs(o, line + n, o->alias, &o->naliases);
	}
	return r;
}

static int set_srvid(struct ow_options *o, const char *arg)
{
	long v = 0;

	if (ow_env_parse_long(arg, &v) != 0 || v < 1 || v >= OW_SRV_MAX)
		return complain(o, "-i: give a server id from 1 to 65535",
				arg);
	o->srvid = (uint32_t)v;
	return 0;
}

static int set_level(struct ow_options *o, const char *arg)
{
	long v = 0;

	if (ow_env_parse_long(arg, &v) != 0 || v < 0 || v > 6)
		return complain(o, "-D: give a log level from 0 to 6", arg);
	o->log_level = (int)v;
	return 0;
}

static int add_mask(struct ow_options *o, const char *arg)
{
	if (o->nmasked == OW_OPT_ITEMS)
		return complain(o, "-n: too many services", arg);
	snprintf(o->masked[o->nmasked++], 32, "%s", arg);
	return 0;
}

static int add_conversions(struct ow_options *o, const char *arg)
{
	const char *mode = strchr(arg, ':');
	bool forced;

	if (mode == NULL || ow_conversion_find(mode + 1, &forced) == NULL)
		return complain(o, "-x: give FUNCTION:MODE, the mode JSON2UBF, "
				"UBF2JSON, JSON2VIEW or VIEW2JSON", arg);
	return add_pairs(o, arg, o->conversion, &o->nconversions);
}

/* A path as seen from the folder in which the server starts: the program may
 * change to another one, and the file is opened again after a rotation. */
static void take_path(char *to, size_t size, const char *path)
{
	char here[PATH_MAX], whole[2 * PATH_MAX];
	size_t n;

	if (path[0] == '/' || getcwd(here, sizeof(here)) == NULL) {
		snprintf(to, size, "%s", path);
		return;
	}
	snprintf(whole, sizeof(whole), "%s/%s", here,
		 strncmp(path, "./", 2) == 0 ? path + 2 : path);
	n = strlen(whole);
	if (n < size)
		memcpy(to, whole, n + 1);
	else
		snprintf(to, size, "%s", path);
}

static int set_option(struct ow_options *o, char letter, const char *arg)
{
	switch (letter) {
	case 'i':
		return set_srvid(o, arg);
	case 'D':
		return set_level(o, arg);
	case 'e':
		take_path(o->err_file, sizeof(o->err_file), arg);
		return 0;
	case 'o':
		take_path(o->out_file, sizeof(o->out_file), arg);
		return 0;
	case 't':
		if (ow_env_parse_ms(arg, &o->ndrxd_tout_ms) != 0)
			return complain(o, "-t: give seconds", arg);
		return 0;
	case 'N':
		o->no_advertise = true;
		return 0;
	case 'B':
		o->no_builtin = true;
		return 0;
	case 'n':
		return add_mask(o, arg);
	case 's':
		return *arg == '@' ? add_file(o, arg + 1)
				   : add_pairs(o, arg, o->alias, &o->naliases);
	case 'S':
		return add_pairs(o, arg, o->builtin, &o->nbuiltins);
	case 'g':
		snprintf(o->group, sizeof(o->group), "%s", arg);
		return 0;
	case 'U':
		o->is_of_tuxedo = true;
		return 0;
	case 'G':
		o->keep_group = true;
		return 0;
	case 'R':
		if (arg[0] == '@' || strlen(arg) > 30)
			return complain(o, "-R: give up to 30 characters, not "
					"starting with @", arg);
		snprintf(o->rqaddr, sizeof(o->rqaddr), "%s", arg);
		return 0;
	case 'x':
		return add_conversions(o, arg);
	case 'k': /* a mark for ps */
	case 'r':
	case 'A': /* -A to -m: of Tuxedo */
	case 'l':
	case 'u':
	case 'm':
	case 'p':
	case 'P':
	case 'v':
		return 0;
	default:
		usage(o->bin);
		return OW_OPTIONS_HELP;
	}
}

/* A mistake; an unknown `?` asks for help. */
static int refuse(struct ow_options *o, const struct ow_optscan *scan,
		  enum ow_optscan_result why)
{
	const char option[3] = { '-', scan->letter, '\0' };

	if (scan->letter == '?') {
		usage(o->bin);
		return OW_OPTIONS_HELP;
	}
	return complain(o, why == OW_OPTSCAN_UNKNOWN
			       ? "unknown option"
			       : "the value of an option is missing", option);
}

/*
 * Read the options up to `--`. Words among them go to the program, before its
 * own options. They are collected behind argv[0], then moved to the place just
 * before those, so that the program's argv is the end of this one.
 */
static int read_options(struct ow_options *o, int argc, char **argv)
{
	struct ow_optscan scan = { .argc = argc, .argv = argv,
				   .known = OW_SERVER_OPTIONS, .at = 1 };
	enum ow_optscan_result got = argc > 0 ? ow_optscan_next(&scan)
					      : OW_OPTSCAN_END;
	size_t words = 0;
	int r = 0;

	for (; got != OW_OPTSCAN_END && r == 0; got = ow_optscan_next(&scan)) {
		if (got == OW_OPTSCAN_OPTION)
			r = set_option(o, scan.letter, scan.value);
		else if (got == OW_OPTSCAN_WORD)
			argv[1 + words++] = argv[scan.at - 1];
		else
			r = refuse(o, &scan, got);
	}
	if (r != 0)
		return r;
	if (o->is_of_tuxedo && o->group[strspn(o->group, "0123456789")] == '\0')
		o->group[0] = '\0'; /* not a group of routes */
	o->argv = argv + scan.at - 1 - words;
	o->argc = argc - scan.at + 1 + (int)words;
	memmove(o->argv + 1, argv + 1, words * sizeof(*argv));
	o->argv[0] = argv[0];
	return 0;
}

/* Split the text of NDRX_SVCLOPT into an argv that is never freed. */
static int words_of_env(const char *prog, const char *text, int *ret_argc,
			char ***ret_argv)
{
	static const struct ow_words dialect = { .separators = " \t",
						 .open_quote = true };
	size_t len = strlen(text), max = len / 2 + 3;
	char *buf = malloc(len + 1), **argv = calloc(max + 1, sizeof(*argv));
	int r = -ENOMEM;

	if (buf != NULL && argv != NULL)
		argv[0] = strdup(prog);
	if (argv != NULL && argv[0] != NULL)
		r = ow_words_split(&dialect, text, buf, len + 1, argv + 1, max,
				   ret_argc);
	if (r != 0)
		return r;
	(*ret_argc)++;
	*ret_argv = argv;
	return 0;
}

static void set_bin(struct ow_options *o, const char *argv0)
{
	const char *name = ow_env_str("NDRX_SVPROCNAME", "");
	const char *slash = strrchr(argv0, '/');

	if (*name == '\0')
		name = slash != NULL ? slash + 1 : argv0;
	snprintf(o->bin, sizeof(o->bin), "%s", name);
}

int ow_options_parse(int argc, char **argv, struct ow_options **ret)
{
	struct ow_options *o = ow_pages_take(sizeof(*o));
	const char *clopt = ow_variable("NDRX_SVCLOPT");
	enum ow_about about;
	int r = 0;

	if (o == NULL)
		return -ENOMEM;
	o->log_level = -1;
	set_bin(o, argc > 0 ? argv[0] : "server");
	about = ow_about(argc, argv, o->bin);
	if (about == OW_ABOUT_HELP)
		usage(o->bin);
	if (about != OW_ABOUT_NONE)
		r = OW_OPTIONS_HELP;
	if (r == 0 && argc <= 1 && clopt != NULL)
		r = words_of_env(argc > 0 ? argv[0] : "server", clopt, &argc,
				 &argv);
	if (r == 0)
		r = read_options(o, argc, argv);
	if (r == 0 && o->group[0] == '\0')
		snprintf(o->group, sizeof(o->group), "%s",
			 ow_env_str("NDRX_RTGRP", ""));
	if (r == 0 && strlen(o->group) > 15)
		r = complain(o, "-g, NDRX_RTGRP: a group has at most 15 "
				"characters", o->group);
	if (r == 0 && o->srvid == 0) {
		fprintf(stderr, "%s: -i ID is missing: every server has a "
			"number (-h shows the options)\n", o->bin);
		r = -EINVAL;
	}
	if (r != 0) {
		ow_pages_give(o, sizeof(*o));
		return r;
	}
	/* A main() of the program's own may have used getopt(): begin anew. */
	if (optind != 1)
		optind = 0;
	*ret = o;
	return 0;
}

struct ow_options *ow_options_free(struct ow_options *o)
{
	return ow_pages_give(o, sizeof(*o));
}
