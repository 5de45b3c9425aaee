/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - a line of the standard input, which a terminal does not show
 */
#ifndef OW_ASK_H
#define OW_ASK_H

#include <stddef.h>

/* A line without its end; `buf` has size + 1 bytes. 0; -EINVAL: there is none,
 * or it has `size` bytes or more. */
int ow_ask_line(char *buf, size_t size);
/* Ask a question on standard error, and read the answer unseen. 0, -EINVAL,
 * -errno: the standard input is no terminal. */
int ow_ask_hidden(const char *question, char *buf, size_t size);

#endif
