/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls_processes.h - which server has a request, and who has sent it
 *
 * Private to calls.c. What is found of a process is kept for the look: a flood
 * of one client is one read of /proc.
 */
#ifndef OW_CALLS_PROCESSES_H
#define OW_CALLS_PROCESSES_H

#include "libndrx/observe/calls_rows.h"
#include "libndrx/observe/observer.h"

struct ow_calls_processes;

int ow_calls_processes_new(const struct ow_observer *v,
			   struct ow_calls_processes **ret);
void ow_calls_processes_free(struct ow_calls_processes *w);
/* Process `owner` has the request in hand: which server is it, which thread? */
void ow_calls_processes_has(struct ow_calls_processes *w, ow_proc_id owner,
			    struct ow_calls_row *row);
/* The server or thread in slot `id` has it. */
void ow_calls_processes_slot(struct ow_calls_processes *w, uint32_t id,
			     struct ow_calls_row *row);
/* Has the caller its reply, although the server has not yet taken the request off
 * the record? It does so behind the reply, and may lose the CPU between; or its
 * service goes on. In doubt: no. */
bool ow_calls_processes_answered(const struct ow_calls_processes *w,
				 const struct ow_calls_row *row);
/* Name the caller: row->caller has slot and generation. */
void ow_calls_processes_calls(struct ow_calls_processes *w,
			      struct ow_calls_row *row);

#endif
