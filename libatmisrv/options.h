/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the command line of a server
 */
#ifndef OW_OPTIONS_H
#define OW_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OW_OPT_ITEMS 256

/* -s NEW:EXISTING, -S SVC:FUNC, -x FUNC:MODE */
struct ow_opt_pair {
	char name[32];
	char target[32]; /* "" when not given */
};

struct ow_options {
	char bin[64]; /* program name without folders */
	uint32_t srvid;
	char err_file[512], out_file[512];
	int log_level; /* -D, -1: not given */
	uint64_t ndrxd_tout_ms;
	bool no_advertise; /* -N */
	bool no_builtin;   /* -B */
	bool keep_group;   /* -G */
	bool is_of_tuxedo; /* -U: the line is that of a server of Tuxedo */
	char group[32];
	char rqaddr[32];
	int argc; /* application options, argv[0] kept */
	char **argv;
	uint32_t naliases, nbuiltins, nconversions, nmasked;
	/* Last, so that what most servers do not use has no memory: */
	struct ow_opt_pair alias[OW_OPT_ITEMS];
	struct ow_opt_pair builtin[OW_OPT_ITEMS];
	struct ow_opt_pair conversion[OW_OPT_ITEMS]; /* -x: function, mode */
	char masked[OW_OPT_ITEMS][32];
};

enum ow_options_result {
	OW_OPTIONS_HELP = 1, /* -h: usage was printed */
};

/* Parse; errors are printed. 0, HELP, -EINVAL or -ENOMEM. The result has
 * pointers into argv. */
int ow_options_parse(int argc, char **argv, struct ow_options **ret);
struct ow_options *ow_options_free(struct ow_options *o);

#endif
