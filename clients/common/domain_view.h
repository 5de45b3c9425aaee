/* SPDX-License-Identifier: Apache-2.0 */
/*
 * domain_view.h - the shared tables, read as an onlooker
 *
 * A command attaches, reads and lets go: the next one may meet another
 * domain (set NDRX_QPREFIX), or none (down). Nothing is created or written.
 * What is read was written by others at this very moment, maybe by a broken
 * process: indexes are checked and texts copied before use.
 */
#ifndef OW_DOMAIN_VIEW_H
#define OW_DOMAIN_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libatmi/domain/domain.h"
#include "libatmi/domain/tables.h"

struct ow_view {
	struct ow_domain d;
};

/* Attach: 0, OW_TABLES_* or -errno with the reason in `why`. */
int ow_view_open(struct ow_view *ret, char *why, size_t size);
void ow_view_close(struct ow_view *v);
/* Does the domain belong to another user, so that all of it is out of reach?
 * Then `why` says whose it is. */
bool ow_view_foreign(const struct ow_domain *d, char *why, size_t size);

/* How many services were ever named; their names, by that order: NULL for
 * one that is not there. `buf` holds OW_SVC_NAME bytes. */
uint32_t ow_view_services(const struct ow_view *v);
const struct ow_svc *ow_view_service(const struct ow_view *v, uint32_t i,
				     char *buf);

/* Has the service a queue now? */
bool ow_view_has_queue(const struct ow_svc *s);
/* Requests that wait in the queue of `service`. False: there is no queue. */
bool ow_view_depth(const struct ow_view *v, const char *service,
		   uint32_t *ret);

/* Program name of a server slot; `buf` holds 64 bytes. */
const char *ow_view_bin(const struct ow_view *v, uint32_t srvid, char *buf);
/* Rows of ow_adv to look at. */
uint32_t ow_view_rows(const struct ow_view *v, uint32_t srvid);
/* The service of a row and its name, or NULL: the row is free. */
const struct ow_svc *ow_view_row_service(const struct ow_view *v,
					 uint32_t srvid, uint32_t row,
					 char *buf);
/* Client slots to look at. */
uint32_t ow_view_clients(const struct ow_view *v);
/* Is the slot in use? */
bool ow_view_client(const struct ow_view *v, uint32_t slot);

/* How long server `srvid` has been working on its request, in microseconds;
 * 0: it has none. */
uint64_t ow_view_request_age_us(const struct ow_view *v, uint32_t srvid);

/* Servers with a living process. */
uint32_t ow_view_living(const struct ow_view *v);
/* Is the ndrxd that the tables name alive? Its pid, or 0. */
int32_t ow_view_ndrxd(const struct ow_view *v);

/* Copy text out of shared memory: terminated, however it was. */
void ow_view_text(char *dst, const char *src, size_t size);

#endif
