/* SPDX-License-Identifier: Apache-2.0 */
/*
 * door.h - may the sender of a request do what it asks for?
 *
 * Asked by whoever serves, before the service sees the request. Processes
 * of the runtime may everything (door/runtime.h): servers, all their threads,
 * xadmin. They vouch for what they send and forward (struct ow_msg). doc/design/trust.md, "Rules at the door".
 */
#ifndef OW_DOOR_H
#define OW_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "libatmi/door/rules.h"

struct ow_domain;
struct ow_msg;

/* The rules that a thread has read last; zeroed at first. */
struct ow_door {
	uint32_t guards;
	struct ow_rules *rules; /* NULL: none */
};

/* The rules in force, read if they are new: 0; -EIO and the like: they cannot
 * be read, and nobody may anything. */
int ow_door_read(struct ow_door *door, struct ow_domain *d);
void ow_door_close(struct ow_door *door);

/* Who sent the request? *ret_runtime: a process of the
 * runtime. 0, -errno. A process of the
 * domain's user of which nothing is known has this process's groups. */
int ow_door_who(struct ow_domain *d, uint32_t slot, uint32_t gen,
		struct ow_caller *ret, bool *ret_runtime);

/* May the caller call service, post event, or get event `name`? True also
 * where there is no rule about it. */
bool ow_door_authorizes(const struct ow_door *door, enum ow_rule_kind kind,
			const char *name, const struct ow_caller *c);
/* May a caller from another node, logged in there as `login` ("": not), call
 * service `svc`? A list that names the node vouches for its callers; else they
 * must have logged in where all must; users, groups and logins of a list are
 * those of this node. */
bool ow_door_authorizes_remote(const struct ow_door *door, const char *svc,
			       uint32_t node, const char *login);
/* May a program of another node post the event? As above; it is not known who
 * posts. */
bool ow_door_authorizes_post(const struct ow_door *door, const char *event,
			     uint32_t node);
/* Must it log in before it is served, and has not? */
bool ow_door_is_stranger(const struct ow_door *door,
			 const struct ow_caller *c);

#endif
