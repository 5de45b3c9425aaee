/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - refuse regular expressions that take too long
 *
 * Expressions may come from users. regcomp() and regexec() have no limits of
 * time and memory of their own.
 */
#ifndef OW_REGEX_GUARD_H
#define OW_REGEX_GUARD_H

#define OW_REGEX_COST_MAX 2000u	/* pieces of a pattern, written out */

/* Why a pattern is refused; NULL: regcomp() may see it. */
const char *ow_regex_refusal(const char *pattern);

#endif
