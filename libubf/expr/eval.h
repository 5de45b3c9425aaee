/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval.h - evaluate a compiled expression on a buffer
 */
#ifndef OW_UBF_EXPR_EVAL_H
#define OW_UBF_EXPR_EVAL_H

#include "libubf/expr/value.h"

/* Evaluate for a buffer, or for a structure of the view that the expression is
 * compiled for: 0, -ENOENT (a function has been removed) or -ENOMEM (regexec). */
int ow_expr_truth_of(const struct ow_expr *x, UBFH *p_ub, int *ret_truth);
int ow_expr_number_of(const struct ow_expr *x, UBFH *p_ub, double *ret_number);

#endif
