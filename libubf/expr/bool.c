/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bool.c - Bboolco, Bboolev, Bfloatev...: the public functions of expressions
 *
 * They fail with BEINVAL if an expression is NULL or not from Bboolco() or
 * Bboolcofml(); those of views, Bvboolev and its like, if it is not from
 * Bvboolco() for the same view.
 */
#include "libubf/expr/expr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "libubf/access/enter.h"
#include "libubf/expr/eval.h"
#include "libubf/expr/print.h"
#include "libubf/base/uncancelled.h"
#include "libubf/view/enter.h"

static char *compile(char *expr, bool is_fml, const struct ow_view *view)
{
	struct ow_expr_fault fault;
	struct ow_expr *x;

	ow_ubf_clear();
	if (expr == NULL)
		return ow_ubf_fail_null(BEINVAL, "Bboolco: no expression");
	if (ow_expr_compile(expr, is_fml, view, &x, &fault) < 0)
		return ow_ubf_fail_null(fault.code, "expression, byte %u: %s",
					fault.pos, fault.text);
	return (char *)x;
}

char *Bboolco(char *expr)
{
	return compile(expr, false, NULL);
}

char *Bboolcofml(char *expr)
{
	return compile(expr, true, NULL);
}

char *Bvboolco(char *expr, char *view)
{
	const struct ow_view *v;

	return ow_view_enter(view, &v) < 0 ? NULL : compile(expr, true, v);
}

/* Check an expression that the program passes: 0, or -1 with Berror. */
static inline int enter_tree(const char *tree)
{
	const struct ow_expr *x = (const void *)tree;

	if (tree != NULL && (uintptr_t)tree % sizeof(long) == 0 &&
	    x->magic == OW_EXPR_MAGIC)
		return 0;
	return ow_ubf_fail(BEINVAL, "this is not a compiled expression");
}

/* The same, of an expression that is evaluated for a structure of `view`; NULL:
 * for a buffer. */
static int enter_tree_of(const char *tree, const struct ow_view *view)
{
	const struct ow_expr *x = (const void *)tree;

	if (enter_tree(tree) < 0)
		return -1;
	if (x->view == view)
		return 0;
	return ow_ubf_fail(BEINVAL, "this expression is compiled for %s%s",
			   x->view != NULL ? "view " : "buffers",
			   x->view != NULL ? x->view->name : "");
}

static int enter_struct(char *cstruct, const char *tree, const char *view)
{
	const struct ow_view *v;

	if (ow_view_enter(view, &v) < 0)
		return -1;
	if (cstruct == NULL)
		return ow_ubf_fail(BEINVAL, "Bvboolev: no structure");
	return enter_tree_of(tree, v);
}

static int __attribute__((cold)) eval_failed(int r)
{
	if (r == -ENOENT)
		return ow_ubf_fail(BBADNAME, "expression: a function has been "
				   "removed");
	return ow_ubf_fail_errno(r, "expression");
}

int Bboolev(UBFH *p_ub, char *tree)
{
	int r, truth;

	if (ow_ubf_enter(p_ub) < 0 || enter_tree_of(tree, NULL) < 0)
		return -1;
	r = ow_expr_truth_of((struct ow_expr *)(void *)tree, p_ub, &truth);
	return r < 0 ? eval_failed(r) : truth;
}

double Bfloatev(UBFH *p_ub, char *tree)
{
	double number;
	int r;

	if (ow_ubf_enter(p_ub) < 0 || enter_tree_of(tree, NULL) < 0)
		return -1;
	r = ow_expr_number_of((struct ow_expr *)(void *)tree, p_ub, &number);
	return r < 0 ? eval_failed(r) : number;
}

int Bvboolev(char *cstruct, char *tree, char *view)
{
	int r, truth;

	if (enter_struct(cstruct, tree, view) < 0)
		return -1;
	r = ow_expr_truth_of((struct ow_expr *)(void *)tree,
			     (UBFH *)(void *)cstruct, &truth);
	return r < 0 ? eval_failed(r) : truth;
}

double Bvfloatev(char *cstruct, char *tree, char *view)
{
	double number;
	int r;

	if (enter_struct(cstruct, tree, view) < 0)
		return -1;
	r = ow_expr_number_of((struct ow_expr *)(void *)tree,
			      (UBFH *)(void *)cstruct, &number);
	return r < 0 ? eval_failed(r) : number;
}

static int put_file(char *text, long len, void *file)
{
	OW_UNCANCELLED;

	return fputs(text, file) < 0 ? -1 : 0;
}

void Bboolpr(char *tree, FILE *outf)
{
	ow_ubf_clear();
	if (outf == NULL) {
		ow_ubf_fail(BEINVAL, "Bboolpr: no file");
		return;
	}
	if (enter_tree(tree) == 0 &&
	    ow_expr_print((struct ow_expr *)(void *)tree, put_file, outf) < 0)
		ow_ubf_fail(BEUNIX, "Bboolpr: %s", strerror(errno));
}

void Bvboolpr(char *tree, FILE *outf, char *view)
{
	const struct ow_view *v;

	if (ow_view_enter(view, &v) == 0 && enter_tree_of(tree, v) == 0)
		Bboolpr(tree, outf);
}

struct callback {
	int (*fn)(char *buffer, long datalen, void *dataptr1);
	void *arg;
};

/* The length includes the NUL, as with Bfprintcb(). */
static int put_callback(char *text, long len, void *arg)
{
	const struct callback *cb = arg;

	return cb->fn(text, len + 1, cb->arg);
}

void Bboolprcb(char *tree,
	       int (*p_writef)(char *buffer, long datalen, void *dataptr1),
	       void *dataptr1)
{
	struct callback cb = { p_writef, dataptr1 };

	ow_ubf_clear();
	if (p_writef == NULL) {
		ow_ubf_fail(BEINVAL, "Bboolprcb: no function");
		return;
	}
	if (enter_tree(tree) == 0 &&
	    ow_expr_print((struct ow_expr *)(void *)tree, put_callback,
			  &cb) < 0)
		ow_ubf_fail(BEUNIX, "Bboolprcb: stopped by the function");
}

void Btreefree(char *tree)
{
	ow_ubf_clear();
	if (tree != NULL && enter_tree(tree) == 0)
		ow_expr_free((struct ow_expr *)(void *)tree);
}

static int is_name(const char *s)
{
	size_t n = strnlen(s, OW_EXPR_FUNC_MAX + 1);

	return n > 0 && n <= OW_EXPR_FUNC_MAX &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "0123456789_") == n && (*s < '0' || *s > '9');
}

static int set_function(const char *name, long (*plain)(UBFH *, char *),
			long (*with_arg)(UBFH *, char *, char *))
{
	int r;

	ow_ubf_clear();
	if (name == NULL || !is_name(name))
		return ow_ubf_fail(BBADNAME, "Bboolsetcbf: a name is 1 to %d "
				   "letters, digits and '_', not NULL",
				   OW_EXPR_FUNC_MAX);
	r = ow_expr_func_set(name, plain, with_arg);
	return r < 0 ? ow_ubf_fail_errno(r, "Bboolsetcbf") : 0;
}

int Bboolsetcbf(char *funcname, long (*functionPtr)(UBFH *p_ubf,
						     char *funcname))
{
	return set_function(funcname, functionPtr, NULL);
}

int Bboolsetcbf2(char *funcname, long (*functionPtr)(UBFH *p_ubf,
						      char *funcname,
						      char *arg1))
{
	return set_function(funcname, NULL, functionPtr);
}
