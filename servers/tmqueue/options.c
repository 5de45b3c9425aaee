/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the options of tmqueue, and where its queue space lies
 */
#include "servers/tmqueue/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/aqdisk/openstr.h"
#include "libubf/base/variable.h"

#define FORWARDERS 10
#define BRANCH	   10 /* seconds; its tmsrv is asked then */
#define OTHER	   180 /* of one about which nobody can be asked */

static int wrong(char *why, size_t size, const char *what)
{
	snprintf(why, size, "%s", what);
	return -EINVAL;
}

static int read_open_string(struct options *o, char *why, size_t size)
{
	const char *s = ow_variable("NDRX_XA_OPEN_STR");
	const char *home = ow_variable("NDRX_APPHOME");

	snprintf(o->folder, sizeof(o->folder), "%s/qdata",
		 home != NULL ? home : ".");
	if (s == NULL || *s == '\0')
		return 0;
	if (strchr(s, '=') == NULL) /* the folder alone */
		return snprintf(o->folder, sizeof(o->folder), "%s", s) <
				       (int)sizeof(o->folder)
			   ? 0
			   : wrong(why, size, "NDRX_XA_OPEN_STR is too long");
	if (openstr_item(s, "datadir", o->folder, sizeof(o->folder)) ==
	    -EINVAL)
		return wrong(why, size, "NDRX_XA_OPEN_STR: datadir is too long");
	if (openstr_item(s, "qspace", o->space, sizeof(o->space)) == -EINVAL)
		return wrong(why, size, "NDRX_XA_OPEN_STR: qspace has more than "
					"15 characters");
	return 0;
}

/* What times and pools of other runtimes mean is explained in tmqueue(8). */
static int read_options(struct options *o, int argc, char **argv, char *why,
			size_t size)
{
	int c;

	optind = 1;
	while ((c = getopt(argc, argv, "m:q:s:p:u:f:t:T:Nn:X:c:")) != -1) {
		if (c == '?')
			return wrong(why, size, "an option is not known");
		if (c == 'm' && strlen(optarg) > TMQNAMELEN)
			return wrong(why, size, "-m: a name of at most 15 "
						"characters is wanted");
		if (c == 'm' && o->space[0] == '\0')
			strcpy(o->space, optarg);
		if (c == 'q')
			snprintf(o->conf, sizeof(o->conf), "%s", optarg);
		if (c == 'f')
			o->forwarders = (uint32_t)atoi(optarg);
		if (c == 'T')
			o->branch_seconds = o->other_seconds =
				(uint32_t)atoi(optarg);
	}
	return 0;
}

int options_read(struct options *o, int argc, char **argv, char *why,
		 size_t size)
{
	memset(o, 0, sizeof(*o));
	o->forwarders = FORWARDERS;
	o->branch_seconds = BRANCH;
	o->other_seconds = OTHER;
	if (read_open_string(o, why, size) != 0 ||
	    read_options(o, argc, argv, why, size) != 0)
		return -EINVAL;
	if (o->space[0] == '\0')
		return wrong(why, size, "the queue space has no name: give "
					"NDRX_XA_OPEN_STR datadir=\"FOLDER\","
					"qspace=\"NAME\", or -m NAME");
	if (o->forwarders < 1 || o->forwarders > 64)
		return wrong(why, size, "-f: 1 to 64 threads");
	if (o->branch_seconds < 1 || o->branch_seconds > 1000000)
		return wrong(why, size, "-T: 1 to 1000000 seconds");
	return 0;
}
