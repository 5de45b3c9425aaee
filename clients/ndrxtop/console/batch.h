/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch.h - a screen as plain text, for scripts and tickets
 */
#ifndef OW_BATCH_H
#define OW_BATCH_H

#include <stdio.h>

struct ow_console;

/* Titles and rows of the screen that is shown, `width` columns wide. */
void ow_batch_print(struct ow_console *c, int width, FILE *out);

#endif
