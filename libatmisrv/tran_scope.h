/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tran_scope.h - the part of a transaction that the request in hand is
 *
 * It begins before the service function and ends before the reply, or the
 * forwarded request, is sent (libatmi/tran/tx.h). A request that is handed on
 * takes it along (continued.h).
 */
#ifndef OW_TRAN_SCOPE_H
#define OW_TRAN_SCOPE_H

#include <stdbool.h>
#include <stdint.h>
#include <xatmi.h>

struct ow_server;

/* Of a request that was handed on. */
struct ow_tran_scope {
	uint64_t tran; /* number of the transaction; 0: none */
	int32_t log;   /* the mark that came with it (wire/msg.h) */
	bool own;      /* it ends with the request (AUTOTRAN) */
	bool lost;     /* it cannot be committed any more */
};

/* Join the transaction of the request, or begin one for its service: 0, or the
 * tperrno to reply with. */
int ow_tran_scope_begin(struct ow_server *s, TPSVCINFO *info);
/* The service ends with `tperr`: the tperrno for the caller. */
int ow_tran_scope_end(struct ow_server *s, int tperr);
/* The request is not served here. If it was forwarded its transaction is
 * doomed: a part of the work is done. */
void ow_tran_scope_refuse(struct ow_server *s);
/* The request is about to be forwarded, and its transaction with it: 0, or the
 * tperrno for the caller. */
int ow_tran_scope_pass_on(struct ow_server *s);
/* It was not: its transaction, which was left already, is doomed. */
void ow_tran_scope_stays(struct ow_server *s);

/* ---- continued requests ---- */

/* The request is handed on: the thread leaves the transaction. */
void ow_tran_scope_hand_on(struct ow_server *s, struct ow_tran_scope *p);
/* A thread takes the request, and joins. False: it cannot. */
bool ow_tran_scope_take(struct ow_server *s, const struct ow_tran_scope *p);
/* Whoever had handed it on ends it after all, and has not joined again. */
void ow_tran_scope_regain(struct ow_server *s, const struct ow_tran_scope *p);

#endif
