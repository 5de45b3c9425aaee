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

#include <stdbool.h>
#include <stddef.h>

struct ow_tables;

#pragma GCC visibility push(default)

/* May this process use the tables, which it has just mapped? 0; APART, others
 * have them open; BLIND (tables.h). `name` is for the log. */
int ow_namespace_enter(struct ow_tables *t, const char *name);
/* Is this process of the namespace of these tables? A forked child may have
 * left it. */
bool ow_namespace_is_same(const struct ow_tables *t);
/* The words of a refusal. `path`: the tables. */
void ow_namespace_say(int r, const char *path, char *buf, size_t size);

#pragma GCC visibility pop
#endif
