/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - write a compiled expression as text
 */
#ifndef OW_UBF_EXPR_PRINT_H
#define OW_UBF_EXPR_PRINT_H

#include "libubf/expr/expr.h"

/* Takes a piece of text, NUL terminated; negative stops. */
typedef int ow_expr_put(char *text, long len, void *arg);

/* Fully parenthesised, with a newline: 0, or what `put` returned. */
int ow_expr_print(const struct ow_expr *x, ow_expr_put *put, void *arg);

#endif
