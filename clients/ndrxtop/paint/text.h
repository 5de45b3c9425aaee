/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - draw a text at a place of the screen
 */
#ifndef OW_PAINT_TEXT_H
#define OW_PAINT_TEXT_H

#include "clients/ndrxtop/paint/style.h"

/* Draw text at (y, x), cut at the right edge. The column after it. */
int ow_paint_text(int y, int x, enum ow_style style, const char *text);
__attribute__((format(printf, 4, 5)))
int ow_paint_fmt(int y, int x, enum ow_style style, const char *fmt, ...);

#endif
