/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - what ndrxd did and why, said where others can read it
 *
 * Events go to the ring in shared memory (libatmi/domain/events.h), which ndrxtop
 * and xadmin read without asking. The log has its own lines.
 */
#ifndef OW_TELL_H
#define OW_TELL_H

#include <stdint.h>

#include "libatmi/domain/events.h"

struct ndrxd;
struct ow_inst;

/* Open the ring of d->dom; without one nothing is told, and that is all. */
void ow_tell_open(struct ndrxd *d);
void ow_tell_close(struct ndrxd *d);

/* About ndrxd itself. */
void ow_tell(struct ndrxd *d, enum ow_event_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* About a server: its id, process, state and program go with it. */
void ow_tell_server(struct ow_inst *s, enum ow_event_kind kind,
		    const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* About a client or a group, by name. */
struct ow_tell_about {
	enum ow_event_about about;
	const char *who;
	int32_t pid;
	uint32_t state;
};
void ow_tell_about(struct ndrxd *d, const struct ow_tell_about *about,
		   enum ow_event_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
