/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_filter.c - choose requests in flight by an expression, show their fields
 */
#include "libndrx/observe/calls_filter.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ubf.h>

#include "libatmi/base/masked.h"
#include "libubf/base/printable.h"

#define VALUE_LEN 80

struct ow_calls_filter {
	char *text;
	bool reads; /* names a field */
};

/* ---- words ---- */

static void put_text(char *buf, const char *text)
{
	size_t i;

	snprintf(buf, VALUE_LEN, "'%.70s'", text);
	for (i = 1; buf[i + 1] != '\0'; i++)
		if (buf[i] == '\'' || buf[i] == '\\')
			buf[i] = '?';
}

static void put_seconds(char *buf, int64_t us)
{
	snprintf(buf, VALUE_LEN, "%s%" PRId64 ".%06d", us < 0 ? "-" : "",
		 us < 0 ? -us / 1000000 : us / 1000000,
		 (int)((us < 0 ? -us : us) % 1000000));
}

static void put_number(char *buf, uint64_t n)
{
	snprintf(buf, VALUE_LEN, "%" PRIu64, n);
}

#define WORD(name)                                                        \
	static void word_##name(const struct ow_calls *c,                 \
				const struct ow_calls_row *r, char *buf)

WORD(age) { put_seconds(buf, (int64_t)ow_calls_age_us(c, r)); }

WORD(left)
{
	int64_t us = ow_calls_left_us(c, r);

	put_seconds(buf, us == OW_CALLS_NO_DEADLINE ? INT64_C(999999999000000)
						    : us);
}

WORD(served)
{
	put_seconds(buf, r->begun_ns == 0 || r->begun_ns > c->now_ns
				 ? 0
				 : (int64_t)(c->now_ns - r->begun_ns) / 1000);
}

WORD(size) { (void)c; put_number(buf, r->len); }
WORD(priority) { (void)c; put_number(buf, r->prio); }
WORD(position) { (void)c; put_number(buf, r->position); }
WORD(pid) { (void)c; put_number(buf, (uint64_t)r->caller.pid); }
WORD(node) { (void)c; put_number(buf, (uint64_t)r->caller.node); }
WORD(server) { (void)c; put_number(buf, r->srvid); }
WORD(oneway) { (void)c; put_number(buf, r->one_way); }
WORD(conversation) { (void)c; put_number(buf, r->conversation); }
WORD(transaction) { (void)c; put_number(buf, r->tran != 0); }
WORD(service) { (void)c; put_text(buf, r->service); }
WORD(program) { (void)c; put_text(buf, r->caller.program); }
WORD(user) { (void)c; put_text(buf, r->caller.user); }
WORD(state) { (void)c; put_text(buf, ow_calls_state_name(r->state)); }

static const struct word {
	const char *name;
	void (*put)(const struct ow_calls *c, const struct ow_calls_row *r,
		    char *buf);
	const char *about;
} words[] = {
	{ "age", word_age, "seconds since it was sent" },
	{ "left", word_left, "seconds until its deadline" },
	{ "served", word_served, "seconds that a server has worked on it" },
	{ "size", word_size, "bytes" },
	{ "priority", word_priority, "1 to 100" },
	{ "position", word_position, "in its queue, 0: not in it" },
	{ "pid", word_pid, "of its caller" },
	{ "node", word_node, "of its caller" },
	{ "server", word_server, "id of the server that has it, 0: none" },
	{ "oneway", word_oneway, "1: nobody waits for a reply" },
	{ "conversation", word_conversation, "1: it begins one" },
	{ "transaction", word_transaction, "1: it is in one" },
	{ "service", word_service, "its name" },
	{ "program", word_program, "of its caller" },
	{ "user", word_user, "of its caller" },
	{ "state", word_state, "waits, served, continued, elsewhere, unseen" },
};

const char *ow_calls_word(size_t i, const char **ret_about)
{
	if (i >= sizeof(words) / sizeof(*words))
		return NULL;
	*ret_about = words[i].about;
	return words[i].name;
}

static const struct word *find_word(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].name) == len &&
		    memcmp(words[i].name, s, len) == 0)
			return &words[i];
	return NULL;
}

/* ---- masks ---- */

bool ow_calls_is_masked(const char *masks, const char *field)
{
	size_t n, len = strlen(field);

	if (field[0] == '(' && masks != NULL && masks[0] != '\0')
		return true;
	while (masks != NULL && *(masks += strspn(masks, ", \t\n")) != '\0') {
		n = strcspn(masks, ", \t\n");
		if (n == len && memcmp(masks, field, n) == 0)
			return true;
		masks += n;
	}
	return ow_masked_name(field);
}

/* ---- the text of the expression ---- */

/* The end of what begins at `p`: a text in quotes, a name, a number, or one
 * other character. */
static const char *token_end(const char *p)
{
	if (*p == '\'' || *p == '"') {
		char quote = *p++;

		while (*p != '\0' && *p != quote)
			p += *p == '\\' && p[1] != '\0' ? 2 : 1;
		return *p == '\0' ? p : p + 1;
	}
	if (!isalnum((unsigned char)*p) && *p != '_')
		return p + 1;
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return p;
}

static bool is_name(const char *p)
{
	return isalpha((unsigned char)*p) || *p == '_';
}

static bool is_function(const char *end)
{
	return end[strspn(end, " \t\n")] == '(';
}

/* The expression with words replaced, for `row`; NULL: no memory. The caller
 * frees it. */
static char *fill_in(const char *text, const struct ow_calls *c,
		     const struct ow_calls_row *row)
{
	char value[VALUE_LEN], *out = NULL;
	const char *p, *end;
	const struct word *w;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	if (f == NULL)
		return NULL;
	for (p = text; *p != '\0'; p = end) {
		end = token_end(p);
		w = is_name(p) && !is_function(end)
			    ? find_word(p, (size_t)(end - p))
			    : NULL;
		if (w != NULL) {
			w->put(c, row, value);
			fputs(value, f);
		} else {
			fwrite(p, 1, (size_t)(end - p), f);
		}
	}
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}

/* Look at the names: 0, or -EINVAL: a field is masked. */
static int read_names(struct ow_calls_filter *f, const char *masks, char *why,
		      size_t size)
{
	char name[UBFFLDMAX + 1];
	const char *p, *end;
	size_t len;

	for (p = f->text; *p != '\0'; p = end) {
		end = token_end(p);
		len = (size_t)(end - p);
		if (!is_name(p) || is_function(end) ||
		    find_word(p, len) != NULL || len > UBFFLDMAX)
			continue;
		memcpy(name, p, len);
		name[len] = '\0';
		f->reads = true;
		if (ow_calls_is_masked(masks, name)) {
			snprintf(why, size, "%s is masked: no expression may "
				 "ask for it", name);
			return -EINVAL;
		}
	}
	return 0;
}

/* Would it compile? */
static int try_out(const struct ow_calls_filter *f, char *why, size_t size)
{
	static const struct ow_calls nothing;
	static const struct ow_calls_row row = { .n = 1 };
	char *text = fill_in(f->text, &nothing, &row), *tree;

	if (text == NULL)
		return -ENOMEM;
	tree = Bboolco(text);
	free(text);
	if (tree == NULL) {
		snprintf(why, size, "%s", Bstrerror(Berror));
		return -EINVAL;
	}
	Btreefree(tree);
	return 0;
}

int ow_calls_filter_new(const char *text, const char *masks,
			struct ow_calls_filter **ret, char *why, size_t size)
{
	struct ow_calls_filter *f = calloc(1, sizeof(*f));
	int r = f != NULL ? 0 : -ENOMEM;

	snprintf(why, size, "no memory");
	if (r == 0)
		f->text = strdup(text);
	if (r == 0 && f->text == NULL)
		r = -ENOMEM;
	if (r == 0)
		r = read_names(f, masks, why, size);
	if (r == 0)
		r = try_out(f, why, size);
	if (r != 0)
		f = ow_calls_filter_free(f);
	*ret = f;
	return r;
}

struct ow_calls_filter *ow_calls_filter_free(struct ow_calls_filter *f)
{
	if (f != NULL)
		free(f->text);
	free(f);
	return NULL;
}

/* ---- asking ---- */

enum ow_calls_verdict ow_calls_filter_ask(const struct ow_calls_filter *f,
					  struct ow_calls *c,
					  const struct ow_calls_row *row,
					  struct ow_calls_buffer *b)
{
	_Alignas(16) char none[1024];
	UBFH *ub = (UBFH *)none;
	char *text, *tree;
	int is = -1;

	if (f->reads) {
		if (ow_calls_contents(c, row, b) != 0)
			return OW_CALLS_UNREADABLE;
		if (row->type != OW_BUF_UBF)
			return OW_CALLS_NO; /* it has no fields */
		ub = (UBFH *)b->data;
	} else if (Binit(ub, sizeof(none)) != 0) {
		return OW_CALLS_UNREADABLE;
	}
	text = fill_in(f->text, c, row);
	tree = text != NULL ? Bboolco(text) : NULL;
	free(text);
	if (tree != NULL) {
		is = Bboolev(ub, tree);
		Btreefree(tree);
	}
	return is < 0 ? OW_CALLS_UNREADABLE : is ? OW_CALLS_YES : OW_CALLS_NO;
}

/* ---- fields ---- */

/* The value as text. */
static void value_of(UBFH *ub, BFLDID id, BFLDOCC occ, BFLDLEN len, char *buf,
		     size_t size)
{
	int type = Bfldtype(id);
	BFLDLEN room = (BFLDLEN)size;

	if (type == BFLD_UBF || type == BFLD_VIEW || type == BFLD_PTR ||
	    CBget(ub, id, occ, buf, &room, BFLD_STRING) < 0)
		snprintf(buf, size, "(%d bytes, %s)", (int)len, Btype(id));
	ow_printable(buf);
}

void ow_calls_fields(const struct ow_calls_buffer *b, const char *masks,
		     void (*fn)(const char *field, int occ, const char *value,
				void *arg),
		     void *arg)
{
	UBFH *ub = (UBFH *)b->data;
	BFLDID id = BFIRSTFLDID;
	BFLDOCC occ = 0;
	char number[32], value[1024];
	const char *name;
	BFLDLEN len = 0;

	while (Bnext(ub, &id, &occ, NULL, &len) == 1) {
		name = Bfname(id);
		if (name == NULL) {
			snprintf(number, sizeof(number), "(%d)", (int)id);
			name = number;
		}
		if (ow_calls_is_masked(masks, name))
			snprintf(value, sizeof(value), OW_MASKED);
		else
			value_of(ub, id, occ, len, value, sizeof(value));
		fn(name, (int)occ, value, arg);
	}
}
