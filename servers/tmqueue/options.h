/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the options of tmqueue, and where its queue space lies
 */
#ifndef OW_TMQUEUE_OPTIONS_H
#define OW_TMQUEUE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xatmi.h>

struct options {
	char folder[2048];	    /* of the data base */
	char space[TMQNAMELEN + 1]; /* name of the queue space */
	char conf[2048];	    /* q.conf; "": [@queue] */
	uint32_t forwarders;	    /* threads that call services */
	uint32_t branch_seconds;    /* of a branch that nobody ends */
	uint32_t other_seconds; /* the same of one of another coordinator */
};

/* From the command line and NDRX_XA_OPEN_STR: 0, or -EINVAL with the reason in
 * `why`. */
int options_read(struct options *o, int argc, char **argv, char *why,
		 size_t size);
#endif
