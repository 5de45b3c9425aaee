/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespace.h - one domain has processes of one PID namespace
 *
 * The tables name processes by their pids. A pid means a process in one PID
 * namespace (container) only. Therefore the head of the tables has the number of
 * the namespace, and a process of another one is refused: it would take
 * living processes for dead, and signal wrong ones.
 *
 * A restarted container has a new namespace. It takes the domain over if no
 * process at all has the tables open or mapped. The kernel knows that across
 * namespaces, and says so by granting a write lease (fcntl(2), F_SETLEASE). A
 * process that has not mapped the tables cannot be harmed by what happens to
 * them, and nobody can open them while the lease is held. What the dead left
 * is cleared as after any death: pid and start time of a slot lead to nobody.
 */
#ifndef OW_NAMESPACE_H
#define OW_NAMESPACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ow_namespace_result {
	OW_NAMESPACE_APART = 8, /* other processes have the tables open */
	OW_NAMESPACE_BLIND = 9, /* /proc does not show this process */
};

/* May this process use the tables behind `fd`, which it has just opened and
 * whose namespace is `*of`? 0, APART, BLIND. `name` is for the log. */
int ow_namespace_enter(int fd, _Atomic uint64_t *of, const char *name);
/* Is this process of namespace `of`? A forked child may have left it. */
bool ow_namespace_is_same(uint64_t of);
/* The words of a refusal. `path`: the tables. */
void ow_namespace_say(int r, const char *path, char *buf, size_t size);

#endif
