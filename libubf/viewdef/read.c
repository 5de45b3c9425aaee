/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - read a view file, view by view
 */
#include "libubf/viewdef/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libubf/base/apiflag.h"
#include "libubf/base/type.h"
#include "libubf/tables/fldtbl.h"
#include "libubf/viewdef/null.h"

#define BLANKS OW_TABFILE_BLANKS
#define TOKENS 9	/* one more than a line may have */

/* Set the message "file:line: ..."; returns -EBADMSG. */
#define wrong(r, ...) ow_tabfile_wrong(&(r)->in, __VA_ARGS__)

enum column { TYPE, CNAME, FBNAME, COUNT, FLAG, SIZE, NULLVAL, PLACE };

int ow_view_open(struct ow_view_reader *r, const char *path)
{
	memset(r, 0, sizeof(*r));
	r->is_explicit = ow_apiflag("view_explicit");
	return ow_tabfile_open(&r->in, path);
}

void ow_view_close(struct ow_view_reader *r)
{
	ow_tabfile_close(&r->in);
	ow_view_freep(&r->view);
}

/* The end of a token, which may hold blanks if it is in quotes. NULL: the
 * closing quote is missing. */
static char *token_end(char *s)
{
	char quote = *s;

	if (quote != '"' && quote != '\'')
		return s + strcspn(s, BLANKS);
	for (s++; *s != quote; s++) {
		if (*s == '\\' && s[1] != '\0')
			s++;
		if (*s == '\0')
			return NULL;
	}
	s++;
	return *s == '\0' || strchr(BLANKS, *s) != NULL ? s : NULL;
}

/* Split the line in place; returns the number of tokens, or -EBADMSG. */
static int split(struct ow_view_reader *r, char **tok)
{
	char *s = r->in.line + strspn(r->in.line, BLANKS), *end;
	int n = 0;

	while (*s != '\0' && *s != '#' && n < TOKENS) {
		tok[n] = s;
		end = token_end(s);
		if (end == NULL)
			return wrong(r, "a quote is not closed: %.60s", s);
		s = end + strspn(end, BLANKS);
		*end = '\0';
		n++;
	}
	return n;
}

/* A type of `-` is that of the field. */
static int type_of_field(struct ow_view_reader *r, const char *fbname,
			 struct ow_view_col *c)
{
	char error[OW_TABFILE_ERROR_MAX];
	const struct ow_fldtbl *t;
	unsigned int type;
	BFLDID id;

	if (ow_fldtbl_get(&t, error) < 0)
		return wrong(r, "the type is that of field %.60s: %.250s",
			     fbname, error);
	id = ow_fldtbl_id_now(&t, fbname);
	if (id == BBADFLDID)
		return wrong(r, "the type is that of a field, and there is no "
			     "field '%.60s'", fbname);
	type = ow_ubf_id_type(id);
	if (type > BFLD_INT)
		return wrong(r, "field %.60s is a %s, which is not a type of "
			     "views", fbname, ow_ubf_types[type].name);
	c->type = (uint8_t)type;
	return 0;
}

static int parse_type(struct ow_view_reader *r, char **tok,
		      struct ow_view_col *c)
{
	unsigned int t;

	if (strcmp(tok[TYPE], "-") == 0 && strcmp(tok[FBNAME], "-") != 0)
		return type_of_field(r, tok[FBNAME], c);
	for (t = BFLD_MIN; t <= BFLD_INT; t++) {
		if (strcmp(tok[TYPE], ow_ubf_types[t].name) == 0) {
			c->type = (uint8_t)t;
			return 0;
		}
	}
	return wrong(r, "'%.60s' is not a type of views: give short, long, "
		     "int, char, float, double, string or carray", tok[TYPE]);
}

static int parse_flags(struct ow_view_reader *r, char **tok,
		       struct ow_view_col *c)
{
	static const struct {
		char letter;
		uint8_t flag;
	} flags[] = {
		{ 'F', OW_VIEW_F }, { 'S', OW_VIEW_S }, { 'N', OW_VIEW_N },
		{ 'C', OW_VIEW_C }, { 'L', OW_VIEW_L }, { 'P', OW_VIEW_P },
		{ '-', 0 },	    { ',', 0 },
	};
	const char *p;
	size_t i;

	for (p = tok[FLAG]; *p != '\0'; p++) {
		for (i = 0; i < sizeof(flags) / sizeof(*flags); i++)
			if (flags[i].letter == *p)
				break;
		if (i == sizeof(flags) / sizeof(*flags))
			return wrong(r, "'%c' in '%.60s' is not a flag: give "
				     "F, S, N, C, L, P or -", *p, tok[FLAG]);
		c->flags |= flags[i].flag;
	}
	if ((c->flags & (OW_VIEW_L | OW_VIEW_P)) && c->type != BFLD_STRING &&
	    c->type != BFLD_CARRAY)
		return wrong(r, "flags L and P are for string and carray");
	return 0;
}

static int parse_size(struct ow_view_reader *r, char **tok,
		      struct ow_view_col *c)
{
	long max = c->flags & OW_VIEW_L ? OW_VIEW_LENGTH_MAX
					: (long)OW_VIEW_SIZE_MAX;
	long n;

	c->size = ow_ubf_types[c->type].size;
	if (c->size != 0) {
		if (strcmp(tok[SIZE], "-") != 0 &&
		    ow_tabfile_number(tok[SIZE], 0, max, &n) < 0)
			return wrong(r, "size '%.60s': give - for this type",
				     tok[SIZE]);
		return 0;
	}
	if (c->type == BFLD_CARRAY && strcmp(tok[SIZE], "-") == 0) {
		c->size = 1;
		return 0;
	}
	if (ow_tabfile_number(tok[SIZE], 1, max, &n) < 0)
		return wrong(r, "size '%.60s': a %s needs 1 to %ld bytes",
			     tok[SIZE], ow_ubf_types[c->type].name, max);
	c->size = (uint32_t)n;
	return 0;
}

static int parse_names(struct ow_view_reader *r, char **tok,
		       const struct ow_view_col *c)
{
	if (!ow_tabfile_is_name(tok[CNAME], NDRX_VIEW_CNAME_LEN))
		return wrong(r, "'%.60s' cannot be the name of a member: "
			     "letters, digits and _, at most %d",
			     tok[CNAME], NDRX_VIEW_CNAME_LEN);
	if (strcmp(tok[FBNAME], "-") != 0)
		return ow_tabfile_is_name(tok[FBNAME], UBFFLDMAX)
			       ? 0
			       : wrong(r, "'%.60s' cannot be the name of a "
				       "field", tok[FBNAME]);
	if ((c->flags & (OW_VIEW_F | OW_VIEW_S)) && !(c->flags & OW_VIEW_N))
		return wrong(r, "%.60s: F and S need the name of a field",
			     tok[CNAME]);
	return 0;
}

static int parse_null(struct ow_view_reader *r, char **tok,
		      struct ow_view_col *c)
{
	int res;

	if (strlen(tok[NULLVAL]) > NDRX_VIEW_NULL_LEN)
		return wrong(r, "the null value is longer than %d bytes",
			     NDRX_VIEW_NULL_LEN);
	res = ow_view_null_parse(c, tok[NULLVAL]);
	if (res == -EINVAL)
		return wrong(r, "null value %.60s is no %s", tok[NULLVAL],
			     ow_ubf_types[c->type].name);
	return res;
}

static int mapping_of(const struct ow_view_reader *r,
		      const struct ow_view_col *c)
{
	int ways = c->flags & (OW_VIEW_F | OW_VIEW_S);

	if ((c->flags & OW_VIEW_N) || c->fbname == NULL)
		return 0;
	return ways != 0 || r->is_explicit ? ways : OW_VIEW_F | OW_VIEW_S;
}

/* Parse all columns of a line; the names are copied last. */
static int parse_column(struct ow_view_reader *r, char **tok,
			struct ow_view_col *c)
{
	long count, max;
	int res;

	if (parse_type(r, tok, c) < 0 || parse_flags(r, tok, c) < 0 ||
	    parse_size(r, tok, c) < 0 || parse_names(r, tok, c) < 0)
		return -EBADMSG;
	max = c->flags & OW_VIEW_C ? OW_VIEW_COUNT_C_MAX : OW_VIEW_COUNT_MAX;
	if (ow_tabfile_number(tok[COUNT], 1, max, &count) < 0)
		return wrong(r, "count '%.60s' is not in 1..%ld", tok[COUNT],
			     max);
	c->count = (uint32_t)count;
	c->line = r->in.lineno;
	res = parse_null(r, tok, c);
	if (res < 0)
		return res;
	c->cname = strdup(tok[CNAME]);
	c->null_text = strdup(tok[NULLVAL]);
	if (c->cname == NULL || c->null_text == NULL)
		return -ENOMEM;
	if (strcmp(tok[FBNAME], "-") != 0) {
		c->fbname = strdup(tok[FBNAME]);
		if (c->fbname == NULL)
			return -ENOMEM;
	}
	c->mapping = mapping_of(r, c);
	return 0;
}

/* Check the column of a compiled file that has the place of the member. */
static int check_place(struct ow_view_reader *r, const char *text)
{
	const struct ow_view_col *c = r->view->cols + r->view->ncols - 1;
	unsigned int offset, fldsize;
	int end = 0;

	if (sscanf(text, "offset=%u;fldsize=%u%n", &offset, &fldsize,
		   &end) != 2 || (text[end] != '\0' && text[end] != ';'))
		return wrong(r, "'%.60s': too many columns", text);
	if (offset != c->offset || fldsize != c->size * c->count)
		return wrong(r, "%.60s lies at %u and has %u bytes here: "
			     "compile the view anew", c->cname, c->offset,
			     c->size * c->count);
	return 0;
}

static int add_column(struct ow_view_reader *r, char **tok, int n)
{
	struct ow_view_col c = { 0 };
	int res;

	if (n < NULLVAL + 1 || n > PLACE + 1)
		return wrong(r, "%d columns; want: type cname fbname count "
			     "flag size null", n);
	res = parse_column(r, tok, &c);
	if (res == 0)
		res = ow_view_add(r->view, &c);
	if (res < 0)
		ow_view_col_free(&c);
	if (res == -EEXIST)
		return wrong(r, "%.60s, or its C_ or L_ member, has the name "
			     "of another member", tok[CNAME]);
	if (res == -EFBIG)
		return wrong(r, "the structure is larger than %u bytes",
			     OW_VIEW_SIZE_MAX);
	if (res == 0 && n == PLACE + 1)
		res = check_place(r, tok[PLACE]);
	return res;
}

static int begin_view(struct ow_view_reader *r, char **tok, int n)
{
	if (strcmp(tok[0], "VIEW") != 0)
		return wrong(r, "'%.60s' outside of VIEW and END", tok[0]);
	if (n != 2 || !ow_tabfile_is_name(tok[1], NDRX_VIEW_NAME_LEN))
		return wrong(r, "VIEW needs a name of at most %d letters, "
			     "digits and _", NDRX_VIEW_NAME_LEN);
	r->has_sums = 0;
	return ow_view_new(tok[1], &r->view);
}

/* 1 or -EBADMSG. */
static int end_view(struct ow_view_reader *r, struct ow_view **ret_view)
{
	struct ow_view *v = r->view;

	if (v->ncols == 0)
		return wrong(r, "view %s has no members", v->name);
	ow_view_finish(v);
	if (r->has_sums && (r->ssize != v->size || r->cksum != v->cksum))
		return wrong(r, "view %s has %u bytes and checksum %u, the "
			     "compiled file says %u and %u: compile it anew",
			     v->name, v->size, v->cksum, r->ssize, r->cksum);
	*ret_view = v;
	r->view = NULL;
	return 1;
}

/* 0 or -ENOMEM. */
static int pass_text(struct ow_view_reader *r)
{
	r->in.line[strcspn(r->in.line, "\r\n")] = '\0';
	return r->text == NULL ? 0 : r->text(r->ctx, r->in.line + 1);
}

/* 1 a view is complete, 0 it is not yet, or -errno. */
static int parse_line(struct ow_view_reader *r, struct ow_view **ret_view)
{
	char *tok[TOKENS];
	int n;

	if (r->in.line[0] == '$')
		return pass_text(r);
	if (r->in.line[0] == '#') {
		if (r->view != NULL &&
		    sscanf(r->in.line, "#@__ssize=%u;@__cksum=%u", &r->ssize,
			   &r->cksum) == 2)
			r->has_sums = 1;
		return 0;
	}
	n = split(r, tok);
	if (n <= 0)
		return n;
	if (r->view == NULL)
		return begin_view(r, tok, n);
	if (strcmp(tok[0], "END") == 0)
		return end_view(r, ret_view);
	if (strcmp(tok[0], "VIEW") == 0)
		return wrong(r, "VIEW inside of view %s: END is missing",
			     r->view->name);
	return add_column(r, tok, n);
}

int ow_view_next(struct ow_view_reader *r, struct ow_view **ret_view)
{
	int res;

	while ((res = ow_tabfile_next(&r->in)) > 0) {
		res = parse_line(r, ret_view);
		if (res != 0)
			return res;
	}
	if (res < 0)
		return res;
	if (r->view != NULL)
		return wrong(r, "view %s has no END", r->view->name);
	return 0;
}
