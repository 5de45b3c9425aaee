/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - write a compiled expression as text
 */
#ifndef OW_UBF_EXPR_PRINT_H
#define OW_UBF_EXPR_PRINT_H

#include "libubf/expr/expr.h"

/* Gets a piece of text with a NUL; a negative result stops the printing. */
typedef int ow_expr_put(char *text, long len, void *arg);

/* Print with all parentheses and a newline: 0, or the result of `put`. */
int ow_expr_print(const struct ow_expr *x, ow_expr_put *put, void *arg);

#endif
