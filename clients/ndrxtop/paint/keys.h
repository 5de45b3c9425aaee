/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.h - from keys and the mouse to actions
 */
#ifndef OW_KEYS_H
#define OW_KEYS_H

#include <stdbool.h>

struct ow_console;
struct ow_layout;

/* After initscr(). `mouse` false: it stays the terminal's. */
void ow_keys_start(bool mouse);
/* Take in what was typed and clicked since; never waits. */
void ow_keys_read(struct ow_console *c, const struct ow_layout *l);

#endif
