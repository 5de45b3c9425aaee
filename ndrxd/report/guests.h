/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guests.h - which other users may give orders to ndrxd: <access>
 *
 * They connect to a socket of their own (libatmi/domain/gate.h), and are
 * identified once, when they connect.
 */
#ifndef OW_GUESTS_H
#define OW_GUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ndrxd;
struct ow_guest_id;

struct ow_guest_group {
	gid_t gid;
	char name[64]; /* as in the configuration */
	bool look, admin;
};

/* The rights of one connection. */
struct ow_guest_rights {
	bool guest; /* of another user; else everything is allowed */
	bool look, admin;
};

/* Take over <access> of the configuration. A listening socket if a group has
 * rights, else -1. Needs the domain. */
int ow_guests_listen(struct ndrxd *d);
/* Remove the socket, forget the groups. */
void ow_guests_close(struct ndrxd *d);

/* The rights of a process that has connected. */
struct ow_guest_rights ow_guests_rights(const struct ndrxd *d,
					const struct ow_guest_id *id);

/* Who may command: "user bank, group ops". */
void ow_guests_admins(const struct ndrxd *d, char *buf, size_t size);

#endif
