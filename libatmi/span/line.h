/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - a span as a line of the log
 */
#ifndef OW_SPAN_LINE_H
#define OW_SPAN_LINE_H

#include <stddef.h>

struct ow_span;

#define OW_SPAN_LINE 320 /* enough for any */

/* "call ECHO 64 bytes TPESVCFAIL 0.213 ms id=...". Returns `buf`. */
char *ow_span_line(const struct ow_span *s, char buf[OW_SPAN_LINE]);

#endif
