/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_line.h - what stands in a line of a log: of the runtime, as text or JSON,
 * of a ULOG, or of somebody else
 */
#ifndef OW_LOG_LINE_PARTS_H
#define OW_LOG_LINE_PARTS_H

#include <stdbool.h>

struct ow_log_parts {
	char when[24]; /* yyyymmddhhmmssuuuuuu, local time; "": not known */
	long pid;      /* 0: not known */
	char level[8]; /* a word; "" */
	char request[17];
	char *text; /* what was logged; of an unknown form the whole line */
};

/* Take `line` apart, which has no newline and is changed. `text` lies in it, or
 * in *ret_json, to be freed. */
void ow_log_parts_read(char *line, struct ow_log_parts *ret, char **ret_json);

#endif
