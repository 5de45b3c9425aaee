/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_width.h - the columns that a text takes in a terminal
 *
 * Of UTF-8, whatever the locale: a character is a column, East Asian wide ones
 * and emoji are two, combining marks none. A byte that is no UTF-8 is one.
 */
#ifndef OW_TEXT_WIDTH_H
#define OW_TEXT_WIDTH_H

#include <stddef.h>

int ow_text_columns(const char *text);
/* Bytes of the longest beginning that takes `columns` at most. */
size_t ow_text_fit(const char *text, int columns);

#endif
