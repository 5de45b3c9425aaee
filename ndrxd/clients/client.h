/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - one client: what happens to it, raised as events
 */
#ifndef OW_CLIENT_H
#define OW_CLIENT_H

#include <sys/types.h>

#include "ndrxd/model/automaton.h"

struct ndrxd;
struct ow_client;
struct ow_config_client;

/* 0 or -ENOMEM. */
int ow_client_new(struct ndrxd *d, const struct ow_config_client *def,
		  struct ow_client **ret);
struct ow_client *ow_client_free(struct ow_client *c);
void ow_client_configure(struct ow_client *c,
			 const struct ow_config_client *def);

/* Raise an event; a process that was started by it is READY at once. */
void ow_client_event(struct ow_client *c, enum ow_auto_event ev);

/* Watch a living process that another ndrxd has started. */
void ow_client_adopt(struct ow_client *c, pid_t pid);

/* Has its process ended? */
void ow_client_check(struct ow_client *c);
/* Restart it if it exceeds <rssmax> or <vszmax>. */
void ow_client_check_limits(struct ow_client *c);

#endif
