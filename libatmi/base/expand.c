/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.c - text with variables and encrypted values put in
 */
#include "libatmi/base/expand.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libatmi/base/encrypted.h"
#include "libatmi/base/env.h"

#define NAME_SIZE 128 /* of a variable in ${...} */

struct expanding {
	char *out;
	size_t size, used;
	struct ow_encrypted_key key;
	char *why;
};

static int append(struct expanding *e, const char *piece, size_t len)
{
	if (len >= e->size - e->used)
		return -E2BIG;
	memcpy(e->out + e->used, piece, len);
	e->used += len;
	e->out[e->used] = '\0';
	return 0;
}

/* Append what the name between `name` and `end` stands for. */
static int append_name(struct expanding *e, const char *name, const char *end)
{
	size_t len = (size_t)(end - name), mark = strlen(OW_ENCRYPTED_MARK);
	char buf[NAME_SIZE], *plain = NULL;
	const char *value;
	int r;

	if (ow_encrypted_is(name)) {
		if (ow_encrypted_value(&e->key, name + mark, len - mark,
				       &plain, e->why) != 0)
			return OW_EXPAND_ENCRYPTED;
		r = append(e, plain, strlen(plain));
		explicit_bzero(plain, strlen(plain));
		free(plain);
		return r;
	}
	if (len >= sizeof(buf))
		return -EINVAL;
	memcpy(buf, name, len);
	buf[len] = '\0';
	value = ow_env_str(buf, "");
	return append(e, value, strlen(value));
}

static int expand(struct expanding *e, const char *in)
{
	const char *end;
	int r = 0;

	while (*in != '\0' && r == 0) {
		if (strncmp(in, "\\${", 3) == 0) {
			r = append(e, "${", 2);
			in += 3;
		} else if (strncmp(in, "${", 2) == 0) {
			end = strchr(in, '}');
			if (end == NULL)
				return -EINVAL;
			r = append_name(e, in + 2, end);
			in = end + 1;
		} else {
			r = append(e, in++, 1);
		}
	}
	return r;
}

int ow_expand(const char *in, char *out, size_t size, char why[OW_CCONFIG_WHY])
{
	struct expanding e = { .out = out, .size = size, .why = why };
	int r;

	out[0] = '\0';
	r = expand(&e, in);
	ow_encrypted_forget(&e.key);
	return r;
}
