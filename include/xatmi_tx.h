/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xatmi_tx.h - events, persistent queues and global transactions
 *
 * A part of xatmi.h; include that one, its conventions hold here.
 */
#ifndef XATMI_TX_H
#define XATMI_TX_H

#include <xatmi_defs.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Events ---- */

/*
 * Subscribe to events whose name matches `eventexpr` (POSIX ERE, 255
 * characters) and whose data match `filter` (NULL: all; an expression for UBF,
 * ERE for STRING and JSON). `ctl`: to service name1 (TPEVSERVICE, perhaps with
 * TPEVPERSIST); NULL, in clients: as unsolicited messages. Returns a
 * subscription id >= 0. TPEINVAL TPENOENT (no tpevsrv runs) TPELIMIT TPETIME
 * TPESVCFAIL TPESVCERR TPEPERM SYS. (Tuxedo)
 */
extern long tpsubscribe(char *eventexpr, char *filter, TPEVCTL *ctl,
			long flags);

/* Remove a subscription; -1: all of this server or client. Returns the number
 * removed. Errors as above. (Tuxedo) */
extern int tpunsubscribe(long subscription, long flags);

/*
 * Publish an event (41 characters). Returns the number of consumers, which is
 * in tpurcode too. Flags: TPNOTRAN TPNOREPLY TPNOBLOCK TPNOTIME TPSIGRSTRT.
 * TPEINVAL TPENOENT (no tpevsrv runs) TPETIME TPEBLOCK TPESVCFAIL TPESVCERR
 * TPGOTSIG SYS. (Tuxedo)
 */
extern int tppost(char *eventname, char *data, long len, long flags);

/* ---- Persistent queues ---- */

/*
 * Put a message into queue `qname`, or take one out of it. The queue is that
 * of a queue space, or of server `srvid` on node `nodeid` (a tmqueue). After
 * tpenqueue() the message is on disk. Flags: TPNOTRAN TPNOBLOCK TPNOTIME
 * TPSIGRSTRT TPNOABORT; of tpdequeue() also TPNOCHANGE. *data and *len as in
 * tpcall(). TPEINVAL TPENOENT TPETIME TPEDIAGNOSTIC (see ctl->diagnostic and
 * ctl->diagmsg) TPEOTYPE TPEITYPE TPESVCERR TPEBLOCK TPELIMIT TPGOTSIG TPEPERM
 * SYS (TPEOS: the disk is full). (Tuxedo; ...ex: ours)
 */
extern int tpenqueue(char *qspace, char *qname, TPQCTL *ctl, char *data,
		     long len, long flags);
extern int tpenqueueex(short nodeid, short srvid, char *qname, TPQCTL *ctl,
		       char *data, long len, long flags);
extern int tpdequeue(char *qspace, char *qname, TPQCTL *ctl, char **data,
		     long *len, long flags);
extern int tpdequeueex(short nodeid, short srvid, char *qname, TPQCTL *ctl,
		       char **data, long *len, long flags);

/* ---- Transactions ---- */

/* Open and close the resource manager. TPERMERR TPEPROTO SYS. (Tuxedo) */
extern int tpopen(void);
extern int tpclose(void);

/* Begin a transaction; `timeout` in seconds, 0: the default. TPEINVAL TPETIME
 * TPESVCERR TPEPROTO SYS. (Tuxedo) */
extern int tpbegin(unsigned long timeout, long flags);

/* End a transaction. TPEINVAL TPETIME TPEABORT (tpcommit() has rolled back)
 * TPEHAZARD TPEHEURISTIC TPESVCERR TPEPROTO (no transaction, or this thread
 * has not begun it) SYS. (Tuxedo) */
extern int tpcommit(long flags);
extern int tpabort(long flags);

/* 1: in a transaction; 0: outside. (Tuxedo) */
extern int tpgetlev(void);

/* Set when tpcommit() returns, TP_CMT_*. Returns the previous value. TPEINVAL.
 * (Tuxedo) */
extern int tpscmt(long flags);

/* Take the transaction off this thread; put it on again. TPEINVAL TPEPROTO
 * TPEMATCH SYS. (Tuxedo) */
extern int tpsuspend(TPTRANID *tranid, long flags);
extern int tpresume(TPTRANID *tranid, long flags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
