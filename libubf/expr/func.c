/* SPDX-License-Identifier: Apache-2.0 */
/*
 * func.c - the functions that expressions may call
 *
 * Bboolco() looks a name up once and keeps a pointer to the entry, so entries
 * are never freed: removing a function clears its entry. Entries are added
 * under a lock, at the head of a list; readers need no lock. An entry has two
 * function pointers. `with_arg` is used if it is set; setting it leaves `plain`
 * as it was. `plain` is set before `with_arg` is cleared, so a reader always
 * finds one of them while a function is replaced.
 */
#include "libubf/expr/expr.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ow_expr_func {
	struct ow_expr_func *next;
	long (*plain)(UBFH *, char *);
	long (*with_arg)(UBFH *, char *, char *);
	char name[OW_EXPR_FUNC_MAX + 1];
};

static struct ow_expr_func *all;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static struct ow_expr_func *find(const char *name)
{
	struct ow_expr_func *f = __atomic_load_n(&all, __ATOMIC_ACQUIRE);

	while (f != NULL && strcmp(f->name, name) != 0)
		f = f->next;
	return f;
}

static void set(struct ow_expr_func *f, long (*plain)(UBFH *, char *),
		long (*with_arg)(UBFH *, char *, char *))
{
	if (plain != NULL || with_arg == NULL)
		__atomic_store_n(&f->plain, plain, __ATOMIC_RELEASE);
	__atomic_store_n(&f->with_arg, with_arg, __ATOMIC_RELEASE);
}

int ow_expr_func_set(const char *name, long (*plain)(UBFH *, char *),
		     long (*with_arg)(UBFH *, char *, char *))
{
	int removing = plain == NULL && with_arg == NULL, r = 0;
	struct ow_expr_func *f;

	pthread_mutex_lock(&adding);
	f = find(name);
	if (f != NULL) {
		set(f, plain, with_arg);
	} else if (!removing) {
		f = calloc(1, sizeof(*f));
		r = f == NULL ? -ENOMEM : 0;
		if (r == 0) {
			strcpy(f->name, name);
			set(f, plain, with_arg);
			f->next = all;
			__atomic_store_n(&all, f, __ATOMIC_RELEASE);
		}
	}
	pthread_mutex_unlock(&adding);
	return r;
}

const struct ow_expr_func *ow_expr_func_find(const char *name)
{
	struct ow_expr_func *f = find(name);

	if (f == NULL ||
	    (__atomic_load_n(&f->with_arg, __ATOMIC_ACQUIRE) == NULL &&
	     __atomic_load_n(&f->plain, __ATOMIC_ACQUIRE) == NULL))
		return NULL;
	return f;
}

int ow_expr_func_call(const struct ow_expr_func *f, UBFH *p_ub, char *arg,
		      long *ret_value)
{
	long (*with_arg)(UBFH *, char *, char *);
	long (*plain)(UBFH *, char *);

	with_arg = __atomic_load_n(&f->with_arg, __ATOMIC_ACQUIRE);
	if (with_arg != NULL) {
		*ret_value = with_arg(p_ub, (char *)f->name, arg);
		return 0;
	}
	plain = __atomic_load_n(&f->plain, __ATOMIC_ACQUIRE);
	if (plain == NULL)
		return -ENOENT;
	*ret_value = plain(p_ub, (char *)f->name);
	return 0;
}
