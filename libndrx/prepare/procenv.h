/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procenv.h - the environment of a process to be started
 *
 * A vector of NAME=VALUE strings, as execve() takes it, with the usual
 * operations. Some dozens of entries: searched linearly.
 */
#ifndef OW_PROCENV_H
#define OW_PROCENV_H

#include <stddef.h>

struct ow_encrypted_key;

struct ow_procenv {
	char **v; /* NULL-terminated once something was set */
	size_t n, cap;
	/* Of encrypted values, from ow_procenv_copy() on; NULL: of each its own. */
	struct ow_encrypted_key *key;
};

enum ow_procenv_result {
	OW_PROCENV_BAD = 1, /* env file: the reason is in `why` */
};

/* Add the environment of this process. 0 or -ENOMEM. */
int ow_procenv_copy(struct ow_procenv *e);
/* Set or (value NULL) remove a variable. 0 or -ENOMEM. */
int ow_procenv_set(struct ow_procenv *e, const char *name, const char *value);
int ow_procenv_set_number(struct ow_procenv *e, const char *name, long value);
/* NULL: not set. Valid until the next change. */
const char *ow_procenv_get(const struct ow_procenv *e, const char *name);

/*
 * Apply a file of `[export ]NAME=VALUE` lines; `#` starts a comment line,
 * a value may stand in quotes, ${NAME} is replaced. 0, OW_PROCENV_BAD with
 * `why` (size bytes), or -ENOMEM. Reads the file at once: local files only.
 */
int ow_procenv_file(struct ow_procenv *e, const char *path, char *why,
		    size_t size);
/* The same of a file of Tuxedo: a line that is no assignment means nothing. */
int ow_procenv_file_tuxedo(struct ow_procenv *e, const char *path, char *why,
			   size_t size);

/* Leaves an empty environment, and nothing of it in memory. */
void ow_procenv_clear(struct ow_procenv *e);

#endif
