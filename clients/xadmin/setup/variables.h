/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variables.h - the environment variables that Onewake knows
 *
 * The manual page onewake(7) explains them; a test compares.
 */
#ifndef OW_VARIABLES_H
#define OW_VARIABLES_H

#include <stddef.h>

enum ow_variable_use {
	OW_VARIABLE_USED,
	OW_VARIABLE_SET,    /* set by ndrxd for the processes it starts */
	OW_VARIABLE_UNUSED, /* accepted, without effect here */
};

struct ow_variable {
	const char *name;
	const char *value; /* the default, if it is a constant */
	enum ow_variable_use use;
};

extern const struct ow_variable ow_variables[];
extern const size_t ow_variables_count;

/* NULL: no such variable. */
const struct ow_variable *ow_variable_find(const char *name);
/* Its default; NULL: none. */
const char *ow_variable_default(const struct ow_variable *v);
/* The known name nearest to `name`, or NULL. */
const char *ow_variable_suggest(const char *name);

#endif
