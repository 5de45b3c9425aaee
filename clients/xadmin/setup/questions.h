/* SPDX-License-Identifier: Apache-2.0 */
/*
 * questions.h - values of a command that are given by -vNAME=VALUE, or asked
 */
#ifndef OW_QUESTIONS_H
#define OW_QUESTIONS_H

#include <stddef.h>

#include "clients/xadmin/command/command.h"

#define OW_ANSWER_LEN 256

struct ow_question {
	const char *name; /* in -vNAME=VALUE */
	const char *text;
	const char *(*bad)(const char *text); /* what is wrong with it, or NULL */
};

/* Refuse a -v whose name is none of these. An exit code. */
int ow_questions_check(const struct ow_args *a, const struct ow_question *q,
		       size_t n);
/* The answer: given, asked, or (-d) the default, which is in `text`
 * (OW_ANSWER_LEN bytes). An exit code. */
int ow_questions_take(const struct ow_args *a, const struct ow_question *q,
		      char *text);

#endif
