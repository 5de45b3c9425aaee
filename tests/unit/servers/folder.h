/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.h - a folder that a test has, and removes
 */
#ifndef OW_TEST_FOLDER_H
#define OW_TEST_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

/* `path` has room for 64 characters; its name begins with `begin`. */
static inline void folder_make(char *path, const char *begin)
{
	snprintf(path, 64, "%s_XXXXXX", begin);
	assert_non_null(mkdtemp(path));
}

/* With what is in it. Returns 0, for the end of a teardown. */
static inline int folder_remove(const char *path)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", path);
	assert_int_equal(system(command), 0);
	return 0;
}

#endif
