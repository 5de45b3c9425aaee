/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - a line of the standard input, which a terminal does not show
 */
#ifndef OW_ASK_H
#define OW_ASK_H

#include <stddef.h>

/* A line without its end, of at most size - 1 bytes, in `buf` of `size` bytes.
 * 0; -EINVAL: there is none, or it is longer; -EILSEQ: a NUL is in it; -errno. */
int ow_ask_line(char *buf, size_t size);
/* Ask a question on standard error, and read the answer unseen. As above; -EINTR: a
 * signal that does not end the program; -ENOTTY: the standard input is no terminal.
 * Signals that end or suspend it find the terminal as it was. */
int ow_ask_hidden(const char *question, char *buf, size_t size);
/* What `r` of these means. */
const char *ow_ask_strerror(int r);

#endif
