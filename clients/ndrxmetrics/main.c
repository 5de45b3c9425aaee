/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - ndrxmetrics: the figures of a domain for Prometheus and its like
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clients/ndrxmetrics/run.h"
#include "libatmi/base/signals.h"
#include "libndrx/observe/as_owner.h"
#include "libubf/base/standard.h"

#define GUEST_S 30 /* the longest life of one that runs for a guest */

static int serve(const struct ow_run_options *o)
{
	struct ow_run *run = NULL;
	char why[512] = "";
	int r, fd = ow_signals_catch();

	if (fd < 0)
		return fd;
	r = ow_run_open(o, &run, why, sizeof(why));
	if (r == 0)
		r = ow_run_serve(run, fd);
	else
		fprintf(stderr, "ndrxmetrics: %s\n", why);
	ow_run_close(run);
	close(fd);
	return r;
}

int main(int argc, char **argv)
{
	struct ow_run_options o;
	int r;

	ow_standard_fill();
	if (ow_as_owner_begin(&argc, argv, GUEST_S) != OW_GUEST_NOBODY)
		return ow_run_once() == 0 ? 0 : 1;
	r = ow_run_parse(argc, argv, &o);
	if (r == OW_RUN_HELP)
		return 0;
	if (r < 0)
		return 2;
	r = o.once ? ow_run_once() : serve(&o);
	return r == 0 ? 0 : 1;
}
