/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eventlog.h - the events of ndrxd as rows, newest first
 *
 * Reads the event ring (libatmi/domain/events.h) as it grows. Rows of events
 * that the ring has dropped are kept while there is room.
 */
#ifndef OW_EVENTLOG_H
#define OW_EVENTLOG_H

#include <stddef.h>
#include <stdint.h>

#include "libndrx/model/rows.h"

struct ow_domain;
struct ow_event;
struct ow_eventlog;

struct ow_eventlog *ow_eventlog_new(void);
/* Show no secrets: for who is not the domain's user. */
void ow_eventlog_mask(struct ow_eventlog *l);
struct ow_eventlog *ow_eventlog_free(struct ow_eventlog *l);

/* Read new events; the domain may come and go. */
void ow_eventlog_look(struct ow_eventlog *l, const struct ow_domain *d,
		      uint64_t now_ns);
/* Add one event. */
void ow_eventlog_add(struct ow_eventlog *l, const struct ow_event *e);

/* The rows, newest first, with their ages at now_ns. Their number. */
size_t ow_eventlog_rows(struct ow_eventlog *l, uint64_t now_ns,
			const struct ow_row *const **ret);

#endif
