/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - the text of one value parsed
 *
 * Every function returns 0, or OW_VALUE_BAD with `why` set to half a sentence
 * such as: "abc" is not a number; give an integer from 1 to 65535
 * Also used by ndrxd/control, for settings changed while ndrxd runs.
 */
#ifndef OW_CONFIG_VALUE_H
#define OW_CONFIG_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OW_VALUE_WHY 256
#define OW_VALUE_MS_MAX (UINT64_C(365) * 24 * 3600 * 1000)

enum ow_value_result {
	OW_VALUE_BAD = 1,
};

struct ow_value_range {
	int64_t lo;
	int64_t hi;
};

int ow_value_int(const char *text, const struct ow_value_range *range,
		 char why[OW_VALUE_WHY], int64_t *ret_value);

/* Y, N, 1, 0; also yes, no, true, false. */
int ow_value_bool(const char *text, char why[OW_VALUE_WHY], bool *ret_value);

/*
 * A number of units of `unit_ms`, or a time with its own unit: 250ms, 1.5s,
 * 2m, 1h. Rounded down to whole milliseconds, but never from something to 0.
 */
int ow_value_time(const char *text, uint64_t unit_ms, char why[OW_VALUE_WHY],
		  uint64_t *ret_ms);

/* Bytes with K, M, G, T (powers of 1024); -1 and 0 give -1: no limit. */
int ow_value_size(const char *text, char why[OW_VALUE_WHY],
		  int64_t *ret_bytes);

/* One to three signal numbers, separated by comma, space or tab. */
int ow_value_killseq(const char *text, char why[OW_VALUE_WHY],
		     int ret_signals[3]);

/* Per cent of one CPU, 0 to 100; "always": OW_VALUE_ALWAYS. */
#define OW_VALUE_ALWAYS 1000
int ow_value_share(const char *text, char why[OW_VALUE_WHY],
		   int *ret_percent);

struct ow_config_scale;

/* `wait=50ms after=1s calm=30s`; only wait is required; N: off (all zero). */
int ow_value_scale(const char *text, char why[OW_VALUE_WHY],
		   struct ow_config_scale *ret);

/* Printable copy of a user's text for messages, in quotes and shortened. */
const char *ow_value_quote(const char *text, char *buf, size_t size);

#endif
