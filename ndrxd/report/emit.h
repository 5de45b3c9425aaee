/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - events: what ndrxd did, and why
 *
 * An event goes to the ring in shared memory (libatmi/domain/events.h), which
 * ndrxtop reads without asking ndrxd; to the history (history.h), a file that
 * outlasts the domain; and, under systemd, to the journal. The log has lines of
 * its own.
 */
#ifndef OW_EMIT_H
#define OW_EMIT_H

#include <stdint.h>

#include "libatmi/domain/events.h"

struct ndrxd;
struct ow_inst;

/* Open ring and history of d->dom; what fails is missing, nothing else. */
void ow_emit_open(struct ndrxd *d);
/* Once a second: write on to the file that has the name of the history now. */
void ow_emit_tick(struct ndrxd *d);
void ow_emit_close(struct ndrxd *d);

/* About ndrxd itself. */
void ow_emit(struct ndrxd *d, enum ow_event_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* About a server: the event has its id, process, state and program. */
void ow_emit_server(struct ow_inst *s, enum ow_event_kind kind,
		    const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* About a client, a group or a service, by name. */
struct ow_emit_about {
	enum ow_event_about about;
	const char *who;
	int32_t pid;
	uint32_t state;
	uint32_t depth; /* of a service's queue */
};
void ow_emit_about(struct ndrxd *d, const struct ow_emit_about *about,
		   enum ow_event_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
