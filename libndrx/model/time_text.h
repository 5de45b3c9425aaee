/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_text.h - a span of time in few characters
 *
 * 812us, 12.3ms, 4.6s, 12m05s, 3h20m, 12d07h: for screens and problems.
 */
#ifndef OW_TIME_TEXT_H
#define OW_TIME_TEXT_H

#include <stddef.h>

/* `us` microseconds in at most six characters; NAN: "-". */
void ow_time_text(double us, char *buf, size_t size);

#endif
