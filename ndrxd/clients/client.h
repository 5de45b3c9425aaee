/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - the life of one client
 *
 * For the files of the client monitor; clients.h is its door.
 */
#ifndef OW_CLIENT_H
#define OW_CLIENT_H

#include "ndrxd/clients/clients.h"

/* 0 or -ENOMEM. */
int ow_client_new(struct ndrxd *d, const struct ow_config_client *def,
		  struct ow_client **ret);
struct ow_client *ow_client_free(struct ow_client *c);
void ow_client_configure(struct ow_client *c,
			 const struct ow_config_client *def);
struct ow_client *ow_client_find(struct ndrxd *d, const char *tag,
				 const char *subsect);

/* One event; a process that comes of it is ready. */
void ow_client_event(struct ow_client *c, enum ow_auto_event ev);

/* A living process of a former ndrxd. */
void ow_client_adopt(struct ow_client *c, pid_t pid);

/* Restart it if it outgrew <rssmax> or <vszmax>. */
void ow_client_check_limits(struct ow_client *c);

#endif
