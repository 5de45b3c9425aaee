/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xa.h - the interface between transaction manager and resource managers
 *
 * Names and values are those of the X/Open XA specification (C193). What a
 * resource manager must do, and how its switch is found, is in
 * doc/design/transactions.md. A driver library (NDRX_XA_DRIVERLIB) defines
 *
 *	struct xa_switch_t *ndrx_get_xa_switch(void);
 */
#ifndef XA_H
#define XA_H

#define XIDDATASIZE  128 /* bytes of XID.data */
#define MAXGTRIDSIZE 64	 /* bytes of a global transaction id */
#define MAXBQUALSIZE 64	 /* bytes of a branch qualifier */
#define NULLXID	     (-1) /* XID.formatID of "no transaction" */
#define RMNAMESZ     32	 /* bytes of a resource manager's name, with NUL */
#define MAXINFOSIZE  256 /* bytes of open and close strings, with NUL */

struct xid_t {
	long formatID;	   /* NULLXID: none */
	long gtrid_length; /* 1..MAXGTRIDSIZE */
	long bqual_length; /* 1..MAXBQUALSIZE */
	char data[XIDDATASIZE];
};
typedef struct xid_t XID;

/* The entry points of a resource manager; they return XA_* or XAER_*. */
struct xa_switch_t {
	char name[RMNAMESZ];
	long flags;   /* TMREGISTER, TMNOMIGRATE, TMUSEASYNC */
	long version; /* 0 */
	int (*xa_open_entry)(char *, int, long);
	int (*xa_close_entry)(char *, int, long);
	int (*xa_start_entry)(XID *, int, long);
	int (*xa_end_entry)(XID *, int, long);
	int (*xa_rollback_entry)(XID *, int, long);
	int (*xa_prepare_entry)(XID *, int, long);
	int (*xa_commit_entry)(XID *, int, long);
	int (*xa_recover_entry)(XID *, long, int, long);
	int (*xa_forget_entry)(XID *, int, long);
	int (*xa_complete_entry)(int *, int *, int, long);
};

/* Flags */
#define TMNOFLAGS    0x00000000L
#define TMREGISTER   0x00000001L
#define TMNOMIGRATE  0x00000002L
#define TMUSEASYNC   0x00000004L
#define TMASYNC	     0x80000000L
#define TMONEPHASE   0x40000000L
#define TMFAIL	     0x20000000L
#define TMNOWAIT     0x10000000L
#define TMRESUME     0x08000000L
#define TMSUCCESS    0x04000000L
#define TMSUSPEND    0x02000000L
#define TMSTARTRSCAN 0x01000000L
#define TMENDRSCAN   0x00800000L
#define TMMULTIPLE   0x00400000L
#define TMJOIN	     0x00200000L
#define TMMIGRATE    0x00100000L

/* Results of ax_reg() and ax_unreg() */
#define TM_JOIN	   2
#define TM_RESUME  1
#define TM_OK	   0
#define TMER_TMERR (-1)
#define TMER_INVAL (-2)
#define TMER_PROTO (-3)

/* Results of the xa_*() routines */
#define XA_RBBASE      100L
#define XA_RBROLLBACK  XA_RBBASE
#define XA_RBCOMMFAIL  (XA_RBBASE + 1)
#define XA_RBDEADLOCK  (XA_RBBASE + 2)
#define XA_RBINTEGRITY (XA_RBBASE + 3)
#define XA_RBOTHER     (XA_RBBASE + 4)
#define XA_RBPROTO     (XA_RBBASE + 5)
#define XA_RBTIMEOUT   (XA_RBBASE + 6)
#define XA_RBTRANSIENT (XA_RBBASE + 7)
#define XA_RBEND       XA_RBTRANSIENT
#define XA_NOMIGRATE   9
#define XA_HEURHAZ     8
#define XA_HEURCOM     7
#define XA_HEURRB      6
#define XA_HEURMIX     5
#define XA_RETRY       4
#define XA_RDONLY      3
#define XA_OK	       0
#define XAER_ASYNC     (-2)
#define XAER_RMERR     (-3)
#define XAER_NOTA      (-4)
#define XAER_INVAL     (-5)
#define XAER_PROTO     (-6)
#define XAER_RMFAIL    (-7)
#define XAER_DUPID     (-8)
#define XAER_OUTSIDE   (-9)

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * For resource managers with TMREGISTER: join the caller's transaction, whose
 * id goes to *xid; leave it. TM_JOIN, TM_RESUME, TM_OK, TMER_*. (XA)
 */
extern int ax_reg(int rmid, XID *xid, long flags);
extern int ax_unreg(int rmid, long flags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
