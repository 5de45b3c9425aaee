/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subst.c - ${NAME} in a text replaced
 *
 * One pass: a ${NAME} inside a value is not replaced, so values cannot loop or
 * bring in other variables.
 */
#include "libndrx/config/subst.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/encrypted.h"

enum { NAME_MAX_LEN = 255, RESULT_MAX = 65536 };

struct out {
	char *data;
	size_t len;
	size_t cap;
};

bool ow_subst_is_process_variable(const char *name)
{
	static const char *const names[] = {
		"NDRX_SVSRVID",		   "NDRX_SVPROCNAME",
		"NDRX_SVCLOPT",		   "NDRX_SVPPID",
		"NDRX_MINDISPATCHTHREADS", "NDRX_MAXDISPATCHTHREADS",
		"NDRX_RESPAWN",		   "NDRX_PROCGRP_NO",
		"NDRX_PROCGRP_LP_NO",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static int append(struct out *o, const char *s, size_t len)
{
	if (len > RESULT_MAX || o->len + len > RESULT_MAX)
		return OW_SUBST_LONG;
	if (o->len + len + 1 > o->cap) {
		size_t cap = (o->len + len + 1) * 2;
		char *p = realloc(o->data, cap);

		if (p == NULL)
			return -ENOMEM;
		o->data = p;
		o->cap = cap;
	}
	memcpy(o->data + o->len, s, len);
	o->len += len;
	o->data[o->len] = '\0';
	return 0;
}

/* `p` points to "${dec=", `end` to its "}". */
static int append_decrypted(const struct ow_subst *subst, struct out *o,
			    const char *p, const char *end)
{
	const char *text = p + 2 + strlen(OW_ENCRYPTED_MARK);
	char *plain = NULL;
	int r;

	if (ow_encrypted_value(subst->key, text, (size_t)(end - text), &plain,
			       subst->why) != 0)
		return OW_SUBST_ENCRYPTED;
	r = subst->keep_escapes ? append(o, p, (size_t)(end + 1 - p))
				: append(o, plain, strlen(plain));
	explicit_bzero(plain, strlen(plain));
	free(plain);
	return r;
}

/* `p` points to "${". *ret_end: behind the "}". */
static int append_variable(const struct ow_subst *subst, struct out *o,
			   const char *p, const char **ret_end)
{
	const char *end = strchr(p, '}');
	const char *value;
	char name[NAME_MAX_LEN + 1];
	size_t len;
	int r;

	if (end == NULL || end == p + 2)
		return OW_SUBST_UNCLOSED;
	len = (size_t)(end - p) - 2;
	*ret_end = end + 1;
	if (ow_encrypted_is(p + 2))
		return append_decrypted(subst, o, p, end);
	if (memchr(p + 2, '=', len) != NULL)
		return OW_SUBST_FUNCTION;
	if (len > NAME_MAX_LEN)
		return OW_SUBST_LONG;
	memcpy(name, p + 2, len);
	name[len] = '\0';
	value = subst->get(subst->arg, name);
	if (value == NULL)
		r = append(o, p, len + 3);
	else
		r = append(o, value, strlen(value));
	return r;
}

static int substitute(const struct ow_subst *subst, const char *text,
		      struct out *o)
{
	int r = append(o, "", 0);

	while (r == 0 && *text != '\0') {
		if (strncmp(text, "\\${", 3) == 0) {
			r = subst->keep_escapes ? append(o, text, 3) :
						  append(o, text + 1, 2);
			text += 3;
		} else if (strncmp(text, "${", 2) == 0) {
			r = append_variable(subst, o, text, &text);
		} else {
			size_t n = 1 + strcspn(text + 1, "\\$");

			r = append(o, text, n);
			text += n;
		}
	}
	return r;
}

int ow_subst(const struct ow_subst *subst, const char *text, char **ret_text)
{
	struct out o = { 0 };
	int r = substitute(subst, text, &o);

	if (r != 0) {
		free(o.data);
		return r;
	}
	*ret_text = o.data;
	return 0;
}

const char *ow_subst_strresult(int result)
{
	switch (result) {
	case OW_SUBST_UNCLOSED:
		return "has \"${\" without a name and \"}\"; write ${NAME}, or "
		       "\\${ for the characters";
	case OW_SUBST_FUNCTION:
		return "has \"=\" in ${...}; write ${NAME}, or ${dec=TEXT} for "
		       "an encrypted value";
	default:
		return "is too long with its variables replaced; at most 65536 "
		       "bytes";
	}
}
