/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosts.h - the hosts that services call by HTTP
 *
 * Each server that calls URLs writes run/hosts.SRVID, as a whole: a line with
 * its process, then a line for each host, parted by tabs
 * (servers/httpgate/internal/out/status.go).
 */
#ifndef OW_HOSTS_H
#define OW_HOSTS_H

#include <stdint.h>

struct ow_domain;

struct ow_host {
	long srvid;
	char name[256];
	char breaker[16]; /* closed, open, half-open, none */
	uint64_t calls, failed, retried, refused;
	uint64_t open; /* 1: the breaker is open */
};

/* Call `fn` for each host of the servers that live; nothing where the domain has
 * no folder. */
void ow_hosts_each(const struct ow_domain *d,
		   void (*fn)(const struct ow_host *h, void *arg), void *arg);

#endif
