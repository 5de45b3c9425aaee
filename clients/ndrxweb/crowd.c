/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowd.c - of too many connections, strangers give way
 */
#include "clients/ndrxweb/crowd.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

struct place {
	bool used, known, cut;
	int fd;
	uint64_t number; /* in the order of their coming */
};

struct ow_crowd {
	struct place places[OW_CROWD_MAX];
	unsigned int n;
	uint64_t last;
};

struct ow_crowd *ow_crowd_new(void)
{
	return calloc(1, sizeof(struct ow_crowd));
}

struct ow_crowd *ow_crowd_free(struct ow_crowd *k)
{
	free(k);
	return NULL;
}

/* MHD sees the end of its input, and closes. */
static void cut_off_oldest(struct ow_crowd *k)
{
	struct place *p, *oldest = NULL;

	for (p = k->places; p < k->places + OW_CROWD_MAX; p++)
		if (p->used && !p->known && !p->cut &&
		    (oldest == NULL || p->number < oldest->number))
			oldest = p;
	if (oldest == NULL)
		return;
	shutdown(oldest->fd, SHUT_RDWR);
	oldest->cut = true;
}

static void come(struct ow_crowd *k, int fd, void **own)
{
	struct place *p = k->places;

	while (p < k->places + OW_CROWD_MAX && p->used)
		p++;
	if (p == k->places + OW_CROWD_MAX)
		return; /* MHD has as many at most */
	if (k->n >= OW_CROWD_FULL)
		cut_off_oldest(k);
	k->n++;
	*p = (struct place){ .used = true, .fd = fd, .number = ++k->last };
	*own = p;
}

void ow_crowd_notify(void *crowd, struct MHD_Connection *c, void **own,
		     enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info;
	struct ow_crowd *k = crowd;
	struct place *p = *own;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(
		    c, MHD_CONNECTION_INFO_CONNECTION_FD);
		if (info != NULL)
			come(k, info->connect_fd, own);
	} else if (p != NULL) {
		p->used = false;
		k->n--;
	}
}

void ow_crowd_known(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct place *p = info != NULL ? info->socket_context : NULL;

	if (p != NULL)
		p->known = true;
}
