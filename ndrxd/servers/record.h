/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - the record of a server in the shared tables
 *
 * The ctl_ words of a server's slot are written by ndrxd alone: the process
 * it watches, the state, and whether a process is wanted. xadmin and ndrxtop
 * show them; when ndrxd was killed, the next one continues from them
 * (supervise/adopt.c). A server has its place there as soon as a process is
 * wanted: should the process die before it takes its slot, and ndrxd with it,
 * the next ndrxd knows what to start.
 */
#ifndef OW_RECORD_H
#define OW_RECORD_H

#include <stdbool.h>
#include <sys/types.h>

#include "libatmi/wire/ctl.h"

struct ow_inst;

/*
 * `pid` is its process now (0: none). A process is recorded before anything
 * is sent or told about it; an end is recorded after its event. So the next
 * ndrxd leaves no end out; it may tell one twice.
 */
void ow_record_process(struct ow_inst *s, pid_t pid, enum ow_proc_state state);

/* The process that has its slot; 0: none. */
pid_t ow_record_holder(struct ow_inst *s);

/* The rest of its state. If the server is not expected (back) now, nobody waits
 * for it any more. */
void ow_record_state(struct ow_inst *s);
/* It is no longer configured, and has no process: nothing is known of it. */
void ow_record_forget(struct ow_inst *s);
/* Does ndrxd mean to have it running soon (doc/design/restarts.md)? */
bool ow_record_is_expected(const struct ow_inst *s);

#endif
