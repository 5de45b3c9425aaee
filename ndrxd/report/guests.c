/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guests.c - which other users may give orders to ndrxd: <access>
 */
#include "ndrxd/report/guests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include "libatmi/base/owned.h"
#include "libatmi/domain/gate.h"
#include "libatmi/log/log.h"
#include "ndrxd/model/ndrxd.h"

/* The groups that may look or command; how many. */
static size_t read_groups(struct ndrxd *d)
{
	const struct ow_config *c = d->config;
	struct ow_guest_group *g;
	size_t i, n = 0;

	free(d->conn.guest_groups);
	d->conn.guest_groups = calloc(c->n_access + 1, sizeof(*g));
	for (i = 0; i < c->n_access && d->conn.guest_groups != NULL; i++) {
		if (!c->access[i].look && !c->access[i].admin)
			continue;
		g = &d->conn.guest_groups[n];
		g->look = c->access[i].look;
		g->admin = c->access[i].admin;
		snprintf(g->name, sizeof(g->name), "%s", c->access[i].group);
		if (ow_guest_group_find(c->access[i].group, &g->gid) == 0)
			n++;
		else
			log_error("%s:%u: <access group=\"%s\">: no such group "
				  "on this machine", c->access[i].file,
				  c->access[i].line, c->access[i].group);
	}
	return d->conn.guest_groups == NULL ? 0 : n;
}

int ow_guests_listen(struct ndrxd *d)
{
	int fd;

	d->conn.n_guest_groups = read_groups(d);
	if (d->conn.n_guest_groups == 0)
		return -1;
	fd = ow_gate_listen(d->dom, OW_GATE_CONTROL, SOCK_SEQPACKET,
			    d->conn.n_guest_groups == 1
				    ? d->conn.guest_groups[0].gid
				    : OW_GATE_ANY);
	if (fd < 0)
		log_error("socket of <access>: %s", ow_owned_strerror(fd));
	return fd < 0 ? -1 : fd;
}

void ow_guests_close(struct ndrxd *d)
{
	if (d->dom != NULL && d->conn.guest_fd >= 0)
		ow_gate_unlisten(d->dom, OW_GATE_CONTROL);
	free(d->conn.guest_groups);
	d->conn.guest_groups = NULL;
	d->conn.n_guest_groups = 0;
}

struct ow_guest_rights ow_guests_rights(const struct ndrxd *d,
					const struct ow_guest_id *id)
{
	struct ow_guest_rights r = { .guest = !ow_owned_by_us(id->uid) };
	size_t i;

	for (i = 0; i < d->conn.n_guest_groups; i++)
		if (ow_guest_in_group(id, d->conn.guest_groups[i].gid)) {
			r.admin |= d->conn.guest_groups[i].admin;
			r.look |= d->conn.guest_groups[i].look;
		}
	r.look |= r.admin;
	return r;
}

void ow_guests_admins(const struct ndrxd *d, char *buf, size_t size)
{
	char user[80];
	size_t i, len;

	ow_owned_user(geteuid(), user, sizeof(user));
	snprintf(buf, size, "user %s", user);
	for (i = 0; i < d->conn.n_guest_groups; i++) {
		len = strlen(buf);
		if (d->conn.guest_groups[i].admin)
			snprintf(buf + len, size - len, ", group %s",
				 d->conn.guest_groups[i].name);
	}
}
