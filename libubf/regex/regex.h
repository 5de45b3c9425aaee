/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.h - a POSIX extended regular expression, compiled
 */
#ifndef OW_REGEX_H
#define OW_REGEX_H

#include <regex.h>
#include <stddef.h>

enum ow_regex_how {
	OW_REGEX_POSIX = 1,	/* by regexec() */
	OW_REGEX_CONTAINS,	/* the others compare a word */
	OW_REGEX_PREFIX,
	OW_REGEX_SUFFIX,
	OW_REGEX_EQUAL,
};

struct ow_regex {
	int how;		/* 0: not compiled */
	unsigned int len;	/* of the word */
	union {
		regex_t posix;
		char word[sizeof(regex_t)];
	} u;
};

/* 0, -ENOMEM, or -EINVAL: not a regular expression, or refused (guard.h);
 * `error`, of `size` bytes, says why. */
int ow_regex_compile(struct ow_regex *re, const char *pattern, char *error,
		     size_t size);
void ow_regex_close(struct ow_regex *re);
/* Whether the pattern matches a part of the `len` bytes at s: 1, 0, or
 * -ENOMEM. */
int ow_regex_run(const struct ow_regex *re, const char *s, size_t len);

#endif
