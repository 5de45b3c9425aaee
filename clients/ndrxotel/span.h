/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span.h - a span with the process that it comes from
 */
#ifndef OW_OTEL_SPAN_H
#define OW_OTEL_SPAN_H

#include <stdint.h>

#include "libatmi/span/span.h"

struct ow_otel_span {
	struct ow_span s;
	int32_t pid;
	char program[64];
};

#endif
