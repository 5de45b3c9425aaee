/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - compare two buffers
 *
 * Both buffers are walked in step, because fields have the same order in each.
 * A field that differs is copied to its own buffer and printed by Bfprint().
 */
#include "clients/ubf/diff.h"

#include <stdlib.h>
#include <string.h>

#include "libubf/base/cleanup.h"

struct walk {
	UBFH *ub;
	Bnext_state_t state;
	BFLDID id;
	BFLDOCC occ;
	char *value;
	BFLDLEN len;
	int more;	/* 1: at a field, 0: at the end */
};

static int complain(void)
{
	fprintf(stderr, "ubf: %s\n", Bstrerror(Berror));
	return -1;
}

static void advance(struct walk *w)
{
	w->more = Bnext2(&w->state, w->ub, &w->id, &w->occ, NULL, &w->len,
			 &w->value);
}

/* Print lines with a sign before them; the first line has the occurrence. */
static void sign_lines(char *text, char sign, BFLDOCC occ, FILE *out)
{
	char *line, *save = NULL, *tab;
	int first = 1;

	for (line = strtok_r(text, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save), first = 0) {
		tab = strchr(line, '\t');
		if (first && occ > 0 && tab != NULL)
			fprintf(out, "%c %.*s[%d]%s\n", sign,
				(int)(tab - line), line, occ, tab);
		else
			fprintf(out, "%c %s\n", sign, line);
	}
}

/* A buffer with this field only; NULL after a message. */
static UBFH *alone(const struct walk *w)
{
	UBFH *one = Balloc(2, w->len + 256);

	if (one != NULL && Badd(one, w->id, w->value, w->len) == 0)
		return one;
	complain();
	Bfree(one);
	return NULL;
}

static int show(const struct walk *w, char sign, FILE *out)
{
	OW_CLEANUP(ow_cleanup_freep) char *text = NULL;
	UBFH *one = alone(w);
	size_t n = 0;
	FILE *f;
	int r = -1;

	if (one == NULL)
		return -1;
	f = open_memstream(&text, &n);
	if (f != NULL) {
		r = Bfprint(one, f);
		fclose(f);
	}
	Bfree(one);
	if (r < 0)
		return complain();
	sign_lines(text, sign, w->occ, out);
	return 0;
}

/* Compare the positions of two walks; the end comes last. */
static int order(const struct walk *a, const struct walk *b)
{
	if (a->more != b->more)
		return a->more ? -1 : 1;
	if (a->id != b->id)
		return (unsigned int)a->id < (unsigned int)b->id ? -1 : 1;
	return a->occ < b->occ ? -1 : a->occ > b->occ;
}

/* Are the values equal? 1, 0, or -1 after a message. Embedded buffers and
 * views have bytes without meaning, so Bcmp() compares them. */
static int same_value(const struct walk *a, const struct walk *b)
{
	int type = Bfldtype(a->id), r = -1;
	UBFH *x, *y;

	if (type != BFLD_UBF && type != BFLD_VIEW)
		return a->len == b->len &&
		       memcmp(a->value, b->value, (size_t)a->len) == 0;
	x = alone(a);
	y = x == NULL ? NULL : alone(b);
	if (y != NULL)
		r = Bcmp(x, y) == 0;
	Bfree(x);
	Bfree(y);
	return r;
}

/* Print the difference at this position. 0: none, 1: printed, -1: failed. */
static int step(const struct walk *a, const struct walk *b, int o, FILE *out)
{
	int r = o == 0 ? same_value(a, b) : 0;

	if (r != 0)
		return r < 0 ? r : 0;
	if (o <= 0)
		r = show(a, '-', out);
	if (o >= 0 && r == 0)
		r = show(b, '+', out);
	return r < 0 ? r : 1;
}

int diff(UBFH *a, UBFH *b, FILE *out)
{
	struct walk wa = { .ub = a, .id = BFIRSTFLDID };
	struct walk wb = { .ub = b, .id = BFIRSTFLDID };
	int o, r = 0, differ = 0;

	advance(&wa);
	advance(&wb);
	while (r == 0 && (wa.more > 0 || wb.more > 0)) {
		o = order(&wa, &wb);
		r = step(&wa, &wb, o, out);
		differ |= r > 0;
		r = r < 0 ? r : 0;
		if (o <= 0)
			advance(&wa);
		if (o >= 0)
			advance(&wb);
	}
	return r < 0 ? r : differ;
}
