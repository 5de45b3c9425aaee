/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside.h - what the files in C have in common, and Go does not see
 */
#ifndef GOW_INSIDE_H
#define GOW_INSIDE_H

#include <atmi.h>
#include <stddef.h>
#include <string.h>
#include <ubf.h>

#include "bridge.h"

struct gow_unsol {
	struct gow_unsol *next;
	struct gow_out out;
};

/* What the context sends from now on is part of a trace, zeros: of none. */
static inline void gow_trace(struct gow *g, const struct tptrace *t)
{
	static const unsigned char none[16];
	int traced = memcmp(t->trace_id, none, sizeof(none)) != 0;

	if (traced || g->traced)
		tpsettrace(t);
	g->traced = traced;
}

/* Put the context on this thread; what it had is returned. */
static inline TPCONTEXT_T gow_enter(struct gow *g)
{
	static const struct tptrace none;
	TPCONTEXT_T had = TPNULLCONTEXT;

	tpgetctxt(&had, 0);
	tpsetctxt(g->ctx, 0);
	gow_trace(g, &none);
	return had;
}

static inline void gow_leave(TPCONTEXT_T had)
{
	tpsetctxt(had, 0);
}

static inline void gow_clear(struct gow_out *out)
{
	memset(out, 0, offsetof(struct gow_out, text));
	out->text[0] = '\0';
}

/* The time-out of the next call, 0: the default. */
static inline void gow_limit(long ms)
{
	if (ms > 0)
		tpsblktime((int)ms, TPBLK_NEXT | TPBLK_MILLISECOND);
}

/* The last error, into *out: -1. */
int gow_fail(struct gow_out *out);

/* buffers.c: *ret becomes the buffer of the context that is sent. 0, or -1. */
int gow_prepare(struct gow *g, struct gow_in in, char **ret,
		struct gow_out *out);
/* See what a buffer has; its fields go to *get, an array of *room. */
void gow_look_into(char *buf, long len, struct gow_out *out,
		   struct Bfield **get, int *room);
/* The same, into memory of its own. */
void gow_look_apart(char *buf, long len, struct gow_out *out);
/* The same, but fields of UBF only when somebody wants them: out->n is -1. */
void gow_look_later(char *buf, long len, struct gow_out *out);

#endif
