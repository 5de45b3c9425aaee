/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill.c - signals to a client and its descendants
 *
 * Descendants are found by their parents, not by process group: a program
 * may have made groups of its own. A process that has left the tree (a
 * daemon) is not found. They are collected before the first signal: children
 * of a dead parent have another parent.
 */
#include "ndrxd/clients/process.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ndrxd/launch/procdir.h"

struct pair {
	pid_t pid, parent;
};

struct tree {
	struct pair *list;
	size_t n, cap;
};

static void note(void *arg, pid_t pid)
{
	struct tree *t = arg;
	struct pair *list;

	if (t->n == t->cap) {
		list = realloc(t->list, (t->cap * 2 + 256) * sizeof(*list));
		if (list == NULL)
			return;
		t->list = list;
		t->cap = t->cap * 2 + 256;
	}
	t->list[t->n++] = (struct pair){ pid, ow_procdir_parent(pid) };
}

/* Move the descendants of `pid` to the front; returns how many. */
static size_t descendants(struct tree *t, pid_t pid)
{
	size_t i, found = 0, before;
	struct pair p;
	size_t k;

	do {
		before = found;
		for (i = found; i < t->n; i++) {
			bool below = t->list[i].parent == pid;

			for (k = 0; k < found && !below; k++)
				below = t->list[i].parent == t->list[k].pid;
			if (!below)
				continue;
			p = t->list[i];
			t->list[i] = t->list[found];
			t->list[found++] = p;
		}
	} while (found > before);
	return found;
}

void ow_client_signal(pid_t pid, int sig, int level)
{
	struct tree t = { 0 };
	size_t n = 0;

	if (level >= 2 || (level == 1 && sig == SIGKILL)) {
		ow_procdir_each(note, &t);
		n = descendants(&t, pid);
	}
	kill(pid, sig);
	while (n > 0)
		kill(t.list[--n].pid, sig);
	free(t.list);
}
