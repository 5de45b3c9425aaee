/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.h - columns of a listing: numbers, times, names
 *
 * Scripts cut these columns by position: a value never exceeds its width.
 * Each function but the last returns `buf`.
 */
#ifndef OW_FORMAT_H
#define OW_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define OW_FORMAT_MAX 64 /* enough for every result but a clipped name */

/* 999, 1.2K, 45.6M, 789G: at most 5 characters. */
char *ow_format_count(uint64_t n, char *buf, size_t size);

/* 812us, 12.3ms, 4.567s, 12m05s, 3h20m, 12d07h: at most 8 characters. */
char *ow_format_us(uint64_t us, char *buf, size_t size);

/* Whole seconds where they fit 4 characters, else 12K, 3M. */
char *ow_format_cycles(uint64_t ms, char *buf, size_t size);

/* 17, 4.0K, 12.5M: bytes, scaled by 1024. */
char *ow_format_bytes(uint64_t n, char *buf, size_t size);

/* `name` in at most `width` characters; the last one is '+' when cut. */
char *ow_format_clip(const char *name, size_t width, char *buf, size_t size);

/* Print a header line to stderr, with a ruler of dashes under it. `widths`
 * are the widths of the columns, ended by 0. */
void ow_format_header(const char *header, const int *widths);

#endif
