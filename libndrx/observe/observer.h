/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observer.h - read the shared tables as an onlooker
 *
 * A command attaches, reads and detaches: the next command may work on another
 * domain (set NDRX_QPREFIX) or find none (down). An onlooker creates and
 * writes nothing. Other processes, maybe broken ones, write to the tables
 * meanwhile: indexes are checked and texts are copied before use.
 */
#ifndef OW_OBSERVER_H
#define OW_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/cache/cache.h"
#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"

struct ow_observer {
	struct ow_domain d;
};

/* Attach: 0, OW_TABLES_* or -errno with the reason in `why`. */
int ow_observer_open(struct ow_observer *ret, char *why, size_t size);
void ow_observer_close(struct ow_observer *v);
/* Does the domain belong to another user or PID namespace, so that nothing of
 * it can be used? Then `why` says so. */
bool ow_observer_foreign(const struct ow_domain *d, char *why, size_t size);

/* Why the domain of the environment has not the transport that comes first:
 * "transport X, not Y: ...". False: it has, or there is no domain. */
bool ow_observer_step(char *buf, size_t size);

/* The number of services ever named; service number `i` with its name, or
 * NULL if it is no longer there. `buf` holds OW_SVC_NAME bytes. */
uint32_t ow_observer_services(const struct ow_observer *v);
const struct ow_svc *ow_observer_service(const struct ow_observer *v,
					 uint32_t i, char *buf);

/* The servers that serve it: its own; where other nodes offer it and it has
 * none, the bridges. *ret_remote: it is served so, without a queue of its
 * own. */
uint32_t ow_observer_servers(const struct ow_observer *v,
			     const struct ow_svc *s, bool *ret_remote);
/* Is it suspended? */
bool ow_observer_suspended(const struct ow_svc *s);
/* What a service has of the cache; false: it was never cached. */
bool ow_observer_cache(const struct ow_observer *v, const char *service,
		       struct ow_cache_figures *ret);
/* Has the service a queue now? */
bool ow_observer_has_queue(const struct ow_svc *s);
/* Requests that wait in the queue of `service`. False: there is no queue. */
bool ow_observer_depth(const struct ow_observer *v, const char *service,
		       uint32_t *ret);

/* Program name of a server slot, of a further dispatch thread NAME/NUMBER;
 * `buf` holds 64 bytes. */
const char *ow_observer_bin(const struct ow_observer *v, uint32_t srvid,
			    char *buf);
/* The server id to show for a slot: of a thread, that of its server. */
uint32_t ow_observer_srvid(const struct ow_observer *v, uint32_t srvid);
/* Rows of struct ow_adv that the server has used. */
uint32_t ow_observer_rows(const struct ow_observer *v, uint32_t srvid);
/* The service of a row, with its name; NULL: the row is free. */
const struct ow_svc *ow_observer_row_service(const struct ow_observer *v,
					     uint32_t srvid, uint32_t row,
					     char *buf);
/* Client slots ever used. */
uint32_t ow_observer_clients(const struct ow_observer *v);
/* Is the slot in use? */
bool ow_observer_client(const struct ow_observer *v, uint32_t slot);

/* How long server `srvid` has been working on its request, in microseconds;
 * 0: it has none. */
uint64_t ow_observer_request_age_us(const struct ow_observer *v,
				    uint32_t srvid);

/* Does server `srvid` wait for the reply to a call of its own? */
bool ow_observer_waits(const struct ow_observer *v, uint32_t srvid);

/* Calls of living processes without a reply. */
uint32_t ow_observer_open_calls(const struct ow_observer *v);

/* Is the server to run, and does not? *ret_given_up: ndrxd tries no more. */
bool ow_observer_missing(const struct ow_observer *v, uint32_t srvid,
			 bool *ret_given_up);

/* Does a living server die again and again? ndrxd has started it so often after
 * failures, the last time so lately, and its last process failed. One that ended
 * with 0 may mean to (TPEXIT), unless it does so each time, soon after its
 * start: `failures` of its slot. */
#define OW_DIES_TIMES 3u
#define OW_DIES_NS    UINT64_C(300000000000)
static inline bool ow_observer_dies(uint32_t restarts, uint32_t failures,
				    int32_t status, uint64_t ago_ns)
{
	return restarts >= OW_DIES_TIMES && ago_ns < OW_DIES_NS &&
	       (status != 0 || failures >= OW_DIES_TIMES);
}
/* How a process ended, by its wait status: "Segmentation fault, core", "exit
 * 3"; "": with 0. */
char *ow_observer_end(int32_t status, char *buf, size_t size);

/* The number of servers with a living process. */
uint32_t ow_observer_alive(const struct ow_observer *v);
/* The pid of the ndrxd that the tables name, or 0 if it is dead. */
int32_t ow_observer_ndrxd(const struct ow_observer *v);

/* Copy text out of shared memory: terminated and printable, however it was. */
void ow_observer_text(char *dst, const char *src, size_t size);

#endif
