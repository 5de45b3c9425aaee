/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.h - read requests given as text
 *
 * A request is a run of lines as Bextread() reads them; blank lines separate
 * requests. The line `SRVCNM<tab>NAME` names the service. If a field table has
 * SRVCNM, it is also a field of the request.
 */
#ifndef OW_UD_REQUEST_H
#define OW_UD_REQUEST_H

#include <stdio.h>
#include <ubf.h>
#include <xatmi.h>

struct request {
	char *text;	/* its lines */
	size_t len, cap;
	unsigned int line;	/* number of its first line in the input */
	unsigned int lines_read;
	char svc[XATMI_SERVICE_NAME_LENGTH + 1];
	UBFH *ub;	/* from tpalloc() */
};

/* Read the next request: 1; 0 at the end; -1 after a message: leave this
 * request out and read the next one. */
int request_read(struct request *r, FILE *in);
void request_free(struct request *r);

#endif
