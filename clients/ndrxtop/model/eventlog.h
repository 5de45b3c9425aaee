/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eventlog.h - what ndrxd did, newest first, as rows
 *
 * Reads the ring of libatmi/domain/events.h as it grows. The rows of events that
 * the ring has forgotten stay as long as there is room for them.
 */
#ifndef OW_EVENTLOG_H
#define OW_EVENTLOG_H

#include <stddef.h>
#include <stdint.h>

#include "clients/ndrxtop/model/rows.h"

struct ow_domain;
struct ow_event;
struct ow_eventlog;

struct ow_eventlog *ow_eventlog_new(void);
struct ow_eventlog *ow_eventlog_free(struct ow_eventlog *l);

/* Take in what is new; the domain may come and go. */
void ow_eventlog_look(struct ow_eventlog *l, const struct ow_domain *d,
		      uint64_t now_ns);
/* One event, as ow_eventlog_look() does it. */
void ow_eventlog_add(struct ow_eventlog *l, const struct ow_event *e);

/* The rows, newest first; the number of them. `now_ns` is for their ages. */
size_t ow_eventlog_rows(struct ow_eventlog *l, uint64_t now_ns,
			const struct ow_row *const **ret);

#endif
