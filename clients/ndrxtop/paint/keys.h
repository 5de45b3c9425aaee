/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.h - turn input into actions: keys, mouse
 */
#ifndef OW_KEYS_H
#define OW_KEYS_H

#include <stdbool.h>

struct ow_console;
struct ow_layout;

/* Call after newterm(). `mouse` false: leave the mouse to the terminal. */
void ow_keys_start(bool mouse);
/* Handle the input that has come. Never waits. */
void ow_keys_read(struct ow_console *c, const struct ow_layout *l);

#endif
