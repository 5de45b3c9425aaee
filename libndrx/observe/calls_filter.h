/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_filter.h - choose requests in flight by an expression, show their fields
 *
 * The expression is one of Bboolco(3). Names of fields are those of the request's
 * UBF buffer. Words in small letters (ow_calls_word()) stand for what is known
 * of the request itself; each is replaced by its value before the expression is
 * compiled, once for each request. So no field table is needed for them.
 *
 * Fields that <mask> names, and those whose names look like a secret's, are
 * shown as "***", and no expression may ask for them: by asking often enough it
 * would find the value.
 */
#ifndef OW_CALLS_FILTER_H
#define OW_CALLS_FILTER_H

#include <stddef.h>

#include "libndrx/observe/calls.h"

struct ow_calls_filter;

enum ow_calls_verdict {
	OW_CALLS_NO = 0,
	OW_CALLS_YES = 1,
	OW_CALLS_UNREADABLE = 2, /* it needs contents that cannot be read */
};

/* `masks`: names, between commas or blanks; NULL: none. 0; -EINVAL with the
 * reason in `why`; -ENOMEM. */
int ow_calls_filter_new(const char *text, const char *masks,
			struct ow_calls_filter **ret, char *why, size_t size);
struct ow_calls_filter *ow_calls_filter_free(struct ow_calls_filter *f);
/* `b` is where contents are copied to, if they are needed. */
enum ow_calls_verdict ow_calls_filter_ask(const struct ow_calls_filter *f,
					  struct ow_calls *c,
					  const struct ow_calls_row *row,
					  struct ow_calls_buffer *b);
/* The words in small letters, number `i` with what it means; NULL: no more. */
const char *ow_calls_word(size_t i, const char **ret_about);

/* Does `masks` name the field, or does its name look like a secret's? Where
 * fields are masked, one whose name is not known here ("(BFLDID32)...") may be
 * one of them, and is, too. */
bool ow_calls_is_masked(const char *masks, const char *field);

/* Call `fn` for each field of a UBF buffer, its value as text, "***" if it is
 * masked. Of a field that has no text: its length and type. */
void ow_calls_fields(const struct ow_calls_buffer *b, const char *masks,
		     void (*fn)(const char *field, int occ, const char *value,
				void *arg),
		     void *arg);

#endif
