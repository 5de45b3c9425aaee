/* SPDX-License-Identifier: Apache-2.0 */
/*
 * as_owner.h - programs that ndrxd runs for guests, seen from both sides
 *
 * A guest (libatmi/domain/gate.h) cannot read the tables. Its xadmin, ndrxtop
 * or ndrxmetrics asks ndrxd to run the same program as the domain's user, with
 * `--guest look` or `--guest admin` in front of the words, and gets what that
 * one writes (ndrxd/control/guest_run.h).
 */
#ifndef OW_AS_OWNER_H
#define OW_AS_OWNER_H

#include <stdbool.h>
#include <stddef.h>

struct ow_domain;

/* ---- the program of the domain's user ---- */

/* For whom does this program run? */
enum ow_guest_right {
	OW_GUEST_NOBODY = 0, /* for its own user */
	OW_GUEST_LOOK,	     /* for a guest that may look */
	OW_GUEST_ADMIN,	     /* for a guest that may command, and wants to */
};

/*
 * Take `--guest RIGHT` out of the words. Then the process ends with ndrxd, and
 * after `seconds` (0: no limit), and makes way for others.
 */
enum ow_guest_right ow_as_owner_begin(int *argc, char **argv, unsigned seconds);

/* ---- the program of the guest ---- */

struct ow_as_owner {
	const char *program;
	char *const *words; /* the program's, without line feeds */
	int n_words;
	bool change; /* it may change something: `admin` is needed */
	int terminal; /* the program shall use this one; -1: pipes */
	/* Takes output (fd 1) and messages (fd 2): 0 or -errno, which ends
	 * it. Not called with a terminal. */
	int (*write)(void *arg, int fd, const char *bytes, size_t len);
	void *arg;
	char why[1100]; /* of a failure */
};

/* An ow_as_owner.write: to the standard output and error of this process. */
int ow_as_owner_write(void *arg, int fd, const char *bytes, size_t len);

/* Let ndrxd run the program. 0 with its exit code; OW_COMMAND_ABSENT or -errno
 * with a->why. */
int ow_as_owner(struct ow_as_owner *a, const struct ow_domain *d,
		 int *ret_exit);

#endif
