/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lex.c - cut a boolean expression into tokens
 *
 * A dotted path with its occurrences is one token, a function with its argument
 * too: the parser sees only operands, operators and parentheses.
 */
#include "libubf/expr/lex.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libubf/expr/value.h"

const struct ow_expr_opinfo ow_expr_ops[OW_EXPR_OPS] = {
	[OW_EXPR_OR] = { "||", 1, 2 },	 [OW_EXPR_AND] = { "&&", 2, 2 },
	[OW_EXPR_XOR] = { "^", 3, 2 },	 [OW_EXPR_EQ] = { "==", 4, 2 },
	[OW_EXPR_NE] = { "!=", 4, 2 },	 [OW_EXPR_MATCH] = { "%%", 4, 2 },
	[OW_EXPR_NOMATCH] = { "!%", 4, 2 },
	[OW_EXPR_LT] = { "<", 5, 2 },	 [OW_EXPR_LE] = { "<=", 5, 2 },
	[OW_EXPR_GT] = { ">", 5, 2 },	 [OW_EXPR_GE] = { ">=", 5, 2 },
	[OW_EXPR_ADD] = { "+", 6, 2 },	 [OW_EXPR_SUB] = { "-", 6, 2 },
	[OW_EXPR_MUL] = { "*", 7, 2 },	 [OW_EXPR_DIV] = { "/", 7, 2 },
	[OW_EXPR_MOD] = { "%", 7, 2 },	 [OW_EXPR_PLUS] = { "+", 8, 1 },
	[OW_EXPR_MINUS] = { "-", 8, 1 }, [OW_EXPR_NOT] = { "!", 8, 1 },
	[OW_EXPR_COMPL] = { "~", 8, 1 }, [OW_EXPR_OPEN] = { "(", 0, 0 },
};

int ow_expr_fault(struct ow_expr_fault *fault, int code, uint32_t pos,
		  const char *fmt, ...)
{
	va_list ap;

	fault->code = code;
	fault->pos = pos + 1;
	va_start(ap, fmt);
	vsnprintf(fault->text, sizeof(fault->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_blanks(struct ow_expr_lexer *lx)
{
	char c = lx->text[lx->pos];

	while (c == ' ' || (c >= '\t' && c <= '\r'))
		c = lx->text[++lx->pos];
}

static int lex_number(struct ow_expr_lexer *lx, struct ow_expr_token *tok)
{
	const char *at = lx->text + lx->pos;
	struct ow_expr_val v;

	lx->pos += (uint32_t)ow_expr_number(at, strlen(at), &v);
	if (is_letter(lx->text[lx->pos]) || lx->text[lx->pos] == '.')
		return ow_expr_fault(lx->fault, BSYNTAX, lx->pos,
				     "'%c' in a number", lx->text[lx->pos]);
	tok->kind = v.kind == OW_EXPR_V_LONG ? OW_EXPR_T_LONG
					     : OW_EXPR_T_DOUBLE;
	if (v.kind == OW_EXPR_V_LONG)
		tok->l = v.u.l;
	else
		tok->d = v.u.d;
	return 0;
}

/* A text from one quote to the next. */
static int lex_text(struct ow_expr_lexer *lx, uint32_t max,
		    struct ow_expr_token *tok)
{
	const char *at = lx->text + lx->pos + 1;
	size_t len = strcspn(at, "'");

	if (at[len] == '\0')
		return ow_expr_fault(lx->fault, lx->named ? BBADNAME : BSYNTAX,
				     lx->pos, "the quote is not closed");
	if (len > max)
		return ow_expr_fault(lx->fault, BSYNTAX, lx->pos,
				     "a text of %zu bytes, at most %u are "
				     "allowed", len, max);
	tok->text = at;
	tok->len = (uint32_t)len;
	lx->pos += (uint32_t)len + 2;
	return 0;
}

/* "[7]", "[?]" or nothing. */
static int lex_occurrence(struct ow_expr_lexer *lx, struct ow_expr_name *n)
{
	uint64_t occ = 0;
	uint32_t from;

	n->occ = 0;
	n->has_occ = 0;
	if (lx->text[lx->pos] != '[')
		return 0;
	n->has_occ = 1;
	lx->pos++;
	skip_blanks(lx);
	from = lx->pos;
	if (lx->text[lx->pos] == '?') {
		lx->pos++;
		n->occ = OW_EXPR_ANY;
	} else {
		for (; is_digit(lx->text[lx->pos]) && occ <= INT_MAX; lx->pos++)
			occ = occ * 10 + (uint64_t)(lx->text[lx->pos] - '0');
		if (lx->pos == from || occ > INT_MAX)
			return ow_expr_fault(lx->fault, BSYNTAX, from,
					     "expected an occurrence or '?'");
		n->occ = (BFLDOCC)occ;
	}
	skip_blanks(lx);
	if (lx->text[lx->pos] != ']')
		return ow_expr_fault(lx->fault, BSYNTAX, lx->pos,
				     "expected ']'");
	lx->pos++;
	return 0;
}

static int lex_name(struct ow_expr_lexer *lx, struct ow_expr_token *tok)
{
	struct ow_expr_name *n = tok->names + tok->nnames;
	uint32_t from = lx->pos;

	if (tok->nnames == OW_EXPR_PATH_MAX)
		return ow_expr_fault(lx->fault, BSYNTAX, from, "a path of "
				     "more than %d names", OW_EXPR_PATH_MAX);
	if (!is_letter(lx->text[from]))
		return ow_expr_fault(lx->fault, BSYNTAX, from,
				     "expected a name");
	while (is_letter(lx->text[lx->pos]) || is_digit(lx->text[lx->pos]))
		lx->pos++;
	n->at = lx->text + from;
	n->len = lx->pos - from;
	tok->nnames++;
	return lex_occurrence(lx, n);
}

/* "()" or "('arg')" behind the name. */
static int lex_arguments(struct ow_expr_lexer *lx, struct ow_expr_token *tok)
{
	int r;

	lx->pos++;
	skip_blanks(lx);
	tok->kind = OW_EXPR_T_FUNC;
	tok->text = NULL;
	if (lx->text[lx->pos] == '\'') {
		r = lex_text(lx, OW_EXPR_ARG_MAX, tok);
		if (r < 0)
			return r;
		skip_blanks(lx);
	}
	if (lx->text[lx->pos] != ')')
		return ow_expr_fault(lx->fault, BSYNTAX, lx->pos, "expected "
				     "%s')'", tok->text == NULL ? "a text or "
								: "");
	lx->pos++;
	return 0;
}

static int lex_field(struct ow_expr_lexer *lx, struct ow_expr_token *tok)
{
	int r = lex_name(lx, tok);

	tok->kind = OW_EXPR_T_FIELD;
	while (r == 0 && lx->text[lx->pos] == '.') {
		lx->pos++;
		r = lex_name(lx, tok);
	}
	if (r < 0)
		return r;
	if (tok->nnames == 1 && !tok->names[0].has_occ) {
		skip_blanks(lx);
		if (lx->text[lx->pos] == '(')
			return lex_arguments(lx, tok);
	}
	lx->named = true;
	return 0;
}

static int lex_operator(struct ow_expr_lexer *lx, struct ow_expr_token *tok)
{
	const char *at = lx->text + lx->pos, *text;
	size_t best = 0, len;
	int op;

	for (op = OW_EXPR_OR; op < OW_EXPR_OPEN; op++) {
		text = ow_expr_ops[op].text;
		len = strlen(text);
		if (len > best && strncmp(at, text, len) == 0) {
			best = len;
			tok->op = (enum ow_expr_op)op;
		}
	}
	if (best == 0)
		return ow_expr_fault(lx->fault, BSYNTAX, lx->pos,
				     *at == '"' ? "strings stand in single "
						  "quotes"
				     : isprint((unsigned char)*at)
					     ? "nothing begins with %c"
					     : "nothing begins with byte "
					       "0x%02x",
				     (unsigned char)*at);
	tok->kind = OW_EXPR_T_OP;
	lx->pos += (uint32_t)best;
	return 0;
}

static int lex_token(struct ow_expr_lexer *lx, struct ow_expr_token *tok)
{
	char c = lx->text[lx->pos];

	if (c == '\0') {
		tok->kind = OW_EXPR_T_END;
		return 0;
	}
	if (c == '(' || c == ')') {
		tok->kind = c == '(' ? OW_EXPR_T_OPEN : OW_EXPR_T_CLOSE;
		lx->pos++;
		return 0;
	}
	if (is_digit(c) || (c == '.' && is_digit(lx->text[lx->pos + 1])))
		return lex_number(lx, tok);
	if (c == '\'') {
		tok->kind = OW_EXPR_T_TEXT;
		return lex_text(lx, OW_EXPR_TEXT_MAX, tok);
	}
	return is_letter(c) ? lex_field(lx, tok) : lex_operator(lx, tok);
}

int ow_expr_lex(struct ow_expr_lexer *lx, struct ow_expr_token *tok)
{
	int r;

	skip_blanks(lx);
	tok->nnames = 0;
	tok->from = lx->pos;
	r = lex_token(lx, tok);
	tok->to = lx->pos;
	return r;
}
