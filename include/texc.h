/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texc.h - exceptions of C programs: TRY, CATCH, FINALLY
 *
 *	EXCEPTION full;
 *	EXCEPTION_INIT(full);
 *	TRY
 *		work();			  RAISE(full) in it, or deeper
 *	CATCH(full)
 *		exc_report(THIS_CATCH);
 *	CATCH_ALL
 *		RERAISE;
 *	ENDTRY
 *
 * TRY ... FINALLY ... ENDTRY runs its second block in any case. What nobody
 * catches is written to the userlog, and the process aborts. An exception is the
 * variable that EXCEPTION_INIT() was given, or a status (exc_set_status()).
 *
 * These are setjmp() and longjmp(): a block is not left by return, goto, break or
 * tpreturn(); variables that it changes and that are read behind it are volatile;
 * destructors of C++ do not run. Blocks nest, also over functions; each thread
 * has its own. All of it is in this header alone: a library and a program that
 * both include it share it. (Tuxedo)
 */
#ifndef TEXC_H
#define TEXC_H

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <userlog.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct ow_exception {
	const void *address; /* of the variable; NULL: a status */
	long status;
} EXCEPTION;

enum ow_exc_state { OW_EXC_TRIES, OW_EXC_RAISED, OW_EXC_OVER };

struct ow_exc_scope {
	jmp_buf at;
	struct ow_exc_scope *outer;
	enum ow_exc_state state;
	EXCEPTION raised;
};

/* The innermost block of the thread in which an exception may be raised. */
__attribute__((weak)) __thread struct ow_exc_scope *ow_exc_top;

static __inline__ void ow_exc_enter(struct ow_exc_scope *s)
{
	s->outer = ow_exc_top;
	s->state = OW_EXC_TRIES;
	s->raised.address = NULL;
	s->raised.status = 0;
	ow_exc_top = s;
}

/* The first block is over. */
static __inline__ void ow_exc_leave(struct ow_exc_scope *s)
{
	if (s->state != OW_EXC_TRIES)
		return;
	ow_exc_top = s->outer;
	s->state = OW_EXC_OVER;
}

/* 1: they are the same, 0. */
static __inline__ int exc_matches(const EXCEPTION *e1, const EXCEPTION *e2)
{
	return e1->address == e2->address && e1->status == e2->status;
}

static __inline__ void exc_set_status(EXCEPTION *e, long status)
{
	e->address = NULL;
	e->status = status;
}

/* 0 with the status, or -1: it is none. */
static __inline__ int exc_get_status(const EXCEPTION *e, long *status)
{
	if (e->address != NULL)
		return -1;
	*status = e->status;
	return 0;
}

/* "exception: status 7", to standard error. */
static __inline__ void exc_report(const EXCEPTION *e)
{
	if (e->address == NULL)
		fprintf(stderr, "exception: status %ld\n", e->status);
	else
		fprintf(stderr, "exception: at address %p\n", e->address);
}

__attribute__((noreturn)) static __inline__ void
ow_exc_raise(const EXCEPTION *e)
{
	struct ow_exc_scope *s = ow_exc_top;

	if (s == NULL) {
		userlog((char *)"an exception was raised that nobody catches: "
			"%s %ld", e->address == NULL ? "status" : "address",
			e->address == NULL ? e->status : (long)(size_t)e->address);
		abort();
	}
	s->raised = *e;
	s->state = OW_EXC_RAISED;
	ow_exc_top = s->outer;
	longjmp(s->at, 1);
}

/* NULL: any. */
static __inline__ int ow_exc_caught(struct ow_exc_scope *s, const EXCEPTION *e)
{
	if (e != NULL && !exc_matches(&s->raised, e))
		return 0;
	s->state = OW_EXC_OVER;
	return 1;
}

static __inline__ void ow_exc_end(struct ow_exc_scope *s)
{
	ow_exc_leave(s);
	if (s->state == OW_EXC_RAISED)
		ow_exc_raise(&s->raised);
}

#define EXCEPTION_INIT(e) ((e).address = &(e), (e).status = 0)
#define RAISE(e)	  ow_exc_raise(&(e))
#define RERAISE		  ow_exc_raise(THIS_CATCH)
#define THIS_CATCH	  (&ow_exc_scope_here.raised)

#define TRY                                                  \
	{                                                    \
		struct ow_exc_scope ow_exc_scope_here;       \
		ow_exc_enter(&ow_exc_scope_here);            \
		if (setjmp(ow_exc_scope_here.at) == 0) {
#define CATCH(e)                                             \
		} else if (ow_exc_caught(&ow_exc_scope_here, &(e))) {
#define CATCH_ALL                                            \
		} else if (ow_exc_caught(&ow_exc_scope_here, NULL)) {
#define FINALLY                                              \
		}                                            \
		ow_exc_leave(&ow_exc_scope_here);            \
		{
#define ENDTRY                                               \
		}                                            \
		ow_exc_end(&ow_exc_scope_here);              \
	}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
