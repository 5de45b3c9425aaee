/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - export the figures of a domain, read once a second
 *
 * Figures are read from shared memory only, so this works without ndrxd,
 * before the domain is started and after it was stopped (onewake_up 0), and
 * does not disturb the domain.
 */
#ifndef OW_RUN_H
#define OW_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_run_options {
	char socket[1024]; /* "": none */
	char address[64];  /* of the port; numbers */
	uint16_t port;	   /* 0: none */
	bool once;	   /* write the figures to standard output and end */
};

enum ow_run_result {
	OW_RUN_HELP = 1, /* usage was printed */
};

/* Options of both programs; errors are printed. 0, HELP, -EINVAL. */
int ow_run_parse(int argc, char **argv, struct ow_run_options *ret);

/* Figures once, to standard output. 0 or -errno. */
int ow_run_once(void);

struct ow_run;

/* Open the sockets: 0 or -errno with the reason in `why`. */
int ow_run_open(const struct ow_run_options *o, struct ow_run **ret,
		char *why, size_t size);
struct ow_run *ow_run_close(struct ow_run *r);
/* Serve until `stop_fd` is readable. 0 or -errno. */
int ow_run_serve(struct ow_run *r, int stop_fd);

#endif
