/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the command line of ndrxotel, and variables of OpenTelemetry
 */
#ifndef OW_OTEL_OPTIONS_H
#define OW_OTEL_OPTIONS_H

#include <stdint.h>

#include "clients/ndrxotel/choice.h"

#define OW_OTEL_HELP 1

struct ow_otel_options {
	char url[512];	/* "": a file */
	char file[512];
	struct ow_otel_wish wish; /* of what is noted */
	uint32_t noted_one_in; /* traces of which all is noted; 1: all */
	char metrics[512]; /* URL or file of metrics; "": none are sent */
	uint64_t interval_ns; /* of metrics */
	uint32_t waiting; /* spans that wait to be sent, at most */
};

/* 0; HELP, it was printed; -EINVAL, why was printed. */
int ow_otel_options_read(int argc, char **argv, struct ow_otel_options *ret);

#endif
