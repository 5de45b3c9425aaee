/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xatmi_defs.h - constants and structures of the ATMI interface
 *
 * A part of xatmi.h; include that one. Values and layouts are fixed, because
 * applications are compiled against them. "Reserved" means accepted without
 * effect.
 */
#ifndef XATMI_DEFS_H
#define XATMI_DEFS_H

#include <sys/types.h>

#include <xa.h>

/* In the prototypes of Tuxedo's callbacks; it means nothing on Linux. */
#ifndef _TMDLLENTRY
#define _TMDLLENTRY
#endif

/* ---- Flags of calls ---- */
#define TPNOBLOCK      0x00000001
#define TPSIGRSTRT     0x00000002
#define TPNOREPLY      0x00000004
#define TPNOTRAN       0x00000008
#define TPTRAN	       0x00000010
#define TPNOTIME       0x00000020
#define TPABSOLUTE     0x00000040 /* tpsprio */
#define TPGETANY       0x00000080
#define TPNOCHANGE     0x00000100
#define TPCONV	       0x00000400
#define TPSENDONLY     0x00000800
#define TPRECVONLY     0x00001000
#define TPACK	       0x00002000
#define TPSOFTERR      0x00020000 /* tpreturn: rcode is the tperrno */
#define TPTRANSUSPEND  0x00040000
#define TPSOFTTIMEOUT  0x00080000 /* tpreturn: caller gets TPETIME */
#define TPSOFTENOENT   0x00100000 /* tpreturn: caller gets TPENOENT */
#define TPNOAUTBUF     0x00200000 /* tpsrvsetctxdata */
#define RESERVED_BIT1  0x00400000
#define TPREGEXMATCH   0x00800000 /* tpbroadcast */
#define TPNOCACHELOOK  0x01000000
#define TPNOCACHEADD   0x02000000
#define TPNOCACHEDDATA 0x04000000
#define TPNOABORT      0x08000000
#define TPNOFLAGS      0x00000000

/* rval of tpreturn() */
#define TPFAIL	  0x00000001
#define TPSUCCESS 0x00000002
#define TPEXIT	  0x08000000

/* Events of a conversation (revent) */
#define TPEV_DISCONIMM 0x0001
#define TPEV_SVCERR    0x0002
#define TPEV_SVCFAIL   0x0004
#define TPEV_SVCSUCC   0x0008
#define TPEV_SENDONLY  0x0020

/* TPEVCTL.flags */
#define TPEVSERVICE 0x00000001
#define TPEVQUEUE   0x00000002
#define TPEVTRAN    0x00000004 /* reserved */
#define TPEVPERSIST 0x00000008

/* TPINIT.flags */
#define TPU_MASK       0x00000007
#define TPU_SIG	       0x00000001 /* reserved */
#define TPU_DIP	       0x00000002
#define TPU_IGN	       0x00000004
#define TPU_THREAD     0x00000020 /* of Tuxedo; not in TPU_MASK */
#define TPSA_FASTPATH  0x00000008
#define TPSA_PROTECTED 0x00000010

/* tpexport, tpimport, tpencrypt, tpdecrypt */
#define TPEX_NOCHANGE	     0x00000004
#define TPEX_STRING	     0x00000008
#define TPIMPEXP_VERSION_MIN 1
#define TPIMPEXP_VERSION_MAX 1

/* Of Tuxedo, without effect: buffers are shared where that is possible. */
#define TPNOCOPY   0
#define TPACK_INTL 0

/* tpconvert */
#define TPTOSTRING   0x00000001
#define TPCONVCLTID  0x00000002
#define TPCONVTRANID 0x00000004
#define TPCONVXID    0x00000008
#define TPCONVMAXSTR 512 /* bytes of the text, with NUL */

/* tpsblktime, tpgblktime */
#define TPBLK_NEXT  0x00000002
#define TPBLK_ALL   0x00000004
#define TPBLK__MASK 0x00000006
#define TPBLK_SECOND	  0x00000000 /* the unit of `tout`; or */
#define TPBLK_MILLISECOND 0x00000010

/* tpgetctxt, tpsetctxt */
#define TPINVALIDCONTEXT (-1)
#define TPSINGLECONTEXT	 (-2) /* unused */
#define TPNULLCONTEXT	 0
#define TPMULTICONTEXTS	 0x00000040

/* tpchkauth */
#define TPNOAUTH  0
#define TPSYSAUTH 1
#define TPAPPAUTH 2

/* tpcommit, tpsuspend, tpscmt */
#define TPTXCOMMITDLOG	 0x00000004
#define TPTXNOOPTIM	 0x00000100
#define TPTXTMSUSPEND	 0x00000200
#define TP_CMT_LOGGED	 4
#define TP_CMT_COMPLETE	 8
#define TMTXFLAGS_IS_ABORT_ONLY 0x0001

/* tpgetcallinfo, tpsgislocked */
#define TPCI_NOEOFERR	0x00000001
#define TPPG_SINGLETON 0x00000020
#define TPPG_NONSGSUCC 0x00001000
#define TPPG_SGVERIFY 0x00002000

/* Servers; TPMYID.tpmyidtyp */
#define ATMI_SRVLIB_NOLONGJUMP 0x00000001 /* tpreturn() returns */
#define SYS_SRV_THREAD	       0x00000004
#define TPMYIDTYP_CLIENT       1
#define TPMYIDTYP_SERVER       2

/* The thread-local parts that a context carries */
#define CTXT_PRIV_NONE	0x00000000
#define CTXT_PRIV_NSTD	0x00000001
#define CTXT_PRIV_UBF	0x00000002
#define CTXT_PRIV_ATMI	0x00000004
#define CTXT_PRIV_TRAN	0x00000008
#define CTXT_PRIV_NOCHK 0x00000010
#define CTXT_PRIV_IGN	0x00000020

/* Buffer types of X/Open; only X_OCTET can be allocated, as a CARRAY */
#define X_OCTET	 "X_OCTET"
#define X_C_TYPE "X_C_TYPE"
#define X_COMMON "X_COMMON"

/* ---- tperrno ---- */
#define TPMINVAL      0
#define TPEABORT      1
#define TPEBADDESC    2
#define TPEBLOCK      3
#define TPEINVAL      4
#define TPELIMIT      5
#define TPENOENT      6
#define TPEOS	      7
#define TPEPERM	      8
#define TPEPROTO      9
#define TPESVCERR     10
#define TPESVCFAIL    11
#define TPESYSTEM     12
#define TPETIME	      13
#define TPETRAN	      14
#define TPGOTSIG      15
#define TPERMERR      16
#define TPEITYPE      17
#define TPEOTYPE      18
#define TPERELEASE    19
#define TPEHAZARD     20
#define TPEHEURISTIC  21
#define TPEEVENT      22
#define TPEMATCH      23
#define TPEDIAGNOSTIC 24
#define TPEMIB	      25
#define TPERFU26      26
#define TPERFU27      27
#define TPERFU28      28
#define TPERFU29      29
#define TPINITFAIL    30
#define TPMAXVAL      30

/* tperrordetail(), which returns none of them but the first one (strict-tuxedo) */
#define TPED_MINVAL		0
#define TPED_SVCTIMEOUT		1
#define TPED_TERM		2
#define TPED_NOUNSOLHANDLER	3
#define TPED_NOCLIENT		4
#define TPED_DOMAINUNREACHABLE	5
#define TPED_CLIENTDISCONNECTED 6
#define TPED_PERM		7
#define TPED_OTS_INTERNAL	8
#define TPED_INVALID_CERTIFICATE 9
#define TPED_INVALID_SIGNATURE	10
#define TPED_DECRYPTION_FAILURE 11
#define TPED_INVALIDCONTEXT	12
#define TPED_INVALID_XA_TRANSACTION 13
#define TPED_MAXVAL		13

/* ---- Persistent queues ---- */
#define TMQNAMELEN	15
#define TMMSGIDLEN	32
#define TMCORRIDLEN	32
#define TMMSGIDLEN_STR	45
#define TMCORRIDLEN_STR 45

/* TPQCTL.flags */
#define TPQCORRID	   0x00000001
#define TPQFAILUREQ	   0x00000002
#define TPQBEFOREMSGID	   0x00000004 /* before the message msgid */
#define TPQGETBYMSGIDOLD   0x00000008 /* deprecated */
#define TPQMSGID	   0x00000010
#define TPQPRIORITY	   0x00000020
#define TPQTOP		   0x00000040 /* before all others */
#define TPQWAIT		   0x00000080 /* reserved */
#define TPQREPLYQ	   0x00000100
#define TPQTIME_ABS	   0x00000200
#define TPQTIME_REL	   0x00000400
#define TPQGETBYCORRIDOLD  0x00000800 /* deprecated */
#define TPQPEEK		   0x00001000
#define TPQDELIVERYQOS	   0x00002000 /* reserved */
#define TPQREPLYQOS	   0x00004000 /* reserved */
#define TPQEXPTIME_ABS	   0x00008000 /* reserved */
#define TPQEXPTIME_REL	   0x00010000 /* reserved */
#define TPQEXPTIME_NONE	   0x00020000 /* reserved */
#define TPQGETBYMSGID	   0x00040008
#define TPQGETBYCORRID	   0x00080800
#define TPQASYNC	   0x00100000
#define TPQQOSDEFAULTPERSIST 0x00000001
#define TPQQOSPERSISTENT     0x00000002
#define TPQQOSNONPERSISTENT  0x00000004

/* TPQCTL.diagnostic */
#define QMEINVAL     (-1)
#define QMEBADRMID   (-2)
#define QMENOTOPEN   (-3)
#define QMETRAN	     (-4)
#define QMEBADMSGID  (-5)
#define QMESYSTEM    (-6)
#define QMEOS	     (-7)
#define QMEABORTED   (-8)
#define QMENOTA	     QMEABORTED
#define QMEPROTO     (-9)
#define QMEBADQUEUE  (-10)
#define QMENOMSG     (-11)
#define QMEINUSE     (-12)
#define QMENOSPACE   (-13)
#define QMERELEASE   (-14)
#define QMEINVHANDLE (-15)
#define QMESHARE     (-16)

/* Names of variables of the environment */
#define CONF_NDRX_XA_RES_ID	"NDRX_XA_RES_ID"
#define CONF_NDRX_XA_OPEN_STR	"NDRX_XA_OPEN_STR"
#define CONF_NDRX_XA_CLOSE_STR	"NDRX_XA_CLOSE_STR"
#define CONF_NDRX_XA_DRIVERLIB	"NDRX_XA_DRIVERLIB"
#define CONF_NDRX_XA_RMLIB	"NDRX_XA_RMLIB"
#define CONF_NDRX_XA_FLAGS	"NDRX_XA_FLAGS"
#define CONF_NDRX_XA_LAZY_INIT	"NDRX_XA_LAZY_INIT"
#define CONF_NDRX_TOUT		"NDRX_TOUT"
#define CONF_NDRX_NODEID	"NDRX_NODEID"
#define CONF_NDRX_QPREFIX	"NDRX_QPREFIX"

/* ---- Limits (characters without the NUL, unless said) ---- */
#define MAXTIDENT		    30
#define XATMI_SERVICE_NAME_LENGTH   30
#define XATMI_TYPE_LEN		    8
#define XATMI_SUBTYPE_LEN	    33
#define XATMI_EVENT_MAX		    42
#define NDRX_EVENT_EXPR_MAX	    255
#define MAX_ASYNC_CALLS		    16384 /* open tpacall()s per context */
#define MAX_CONNECTIONS		    10	  /* no limit here: tpconnect(3) */
#define NDRX_CONV_UPPER_CNT	    1000
#define NDRX_XID_SERIAL_BUFSIZE	    48
#define NDRX_MAX_RMS		    32
#define NDRX_MAX_ID_SIZE	    96
#define NDRX_QDIAG_MSG_SIZE	    256
#define NDRX_CACHE_KEY_MAX	    16384
#define NDRX_CACHE_FLAGS_MAX	    512
#define CONF_NDRX_MAX_SRVIDS_XADMIN 512
#define NDRX_DDR_CRITMAX	    15
#define NDRX_DDR_GRP_MAX	    15
#define NDRX_DDR_TRANTIMEDFLT	    30 /* seconds */
#define MAX_SVC_PER_SVR		    50 /* a server offers 256 */

/* ---- Structures ---- */

/* Identifies a context. Opaque; tpconvert() converts it to text. */
struct clientid_t {
	char clientdata[NDRX_MAX_ID_SIZE];
};
typedef struct clientid_t CLIENTID;

/* A suspended transaction. */
struct tp_tranid_t {
	short tmtxflags;
	char tmxid[NDRX_XID_SERIAL_BUFSIZE + 1];
	short tmrmid;
	short tmnodeid;
	short tmsrvid;
	char tmknownrms[NDRX_MAX_RMS + 1];
	int is_tx_initiator;
};
typedef struct tp_tranid_t TPTRANID;

/* The argument of a service function; `data` is a buffer. */
struct tpsvcinfo {
	char name[XATMI_SERVICE_NAME_LENGTH + 1]; /* of the service called */
	char *data;				  /* NULL: called with NULL */
	long len;				  /* bytes */
	long flags;				  /* TPCONV, TPNOREPLY, ... */
	int cd;					  /* conversations */
	long appkey;				  /* 0 */
	CLIENTID cltid;				  /* the caller */
	char fname[XATMI_SERVICE_NAME_LENGTH + 1]; /* function's name */
};
typedef struct tpsvcinfo TPSVCINFO;

/* The argument of tpinit(), allocated by tpalloc("TPINIT", NULL, ...). */
struct tpinfo_t {
	char usrname[MAXTIDENT + 2];
	char cltname[MAXTIDENT + 2];
	char passwd[MAXTIDENT + 2];
	char grpname[MAXTIDENT + 2];
	long flags;
	long datalen;
	long data;
};
typedef struct tpinfo_t TPINIT;
#define TPINITNEED(u) (sizeof(TPINIT) + (u)) /* u: datalen */

/* Parameters of tpenqueue() and tpdequeue(), in both directions. */
struct tpqctl_t {
	long flags;
	long deq_time; /* seconds, see TPQTIME_ABS and TPQTIME_REL */
	long priority; /* unused */
	long diagnostic;
	char diagmsg[NDRX_QDIAG_MSG_SIZE];
	char msgid[TMMSGIDLEN];
	char corrid[TMCORRIDLEN];
	char replyqueue[TMQNAMELEN + 1];
	char failurequeue[TMQNAMELEN + 1];
	CLIENTID cltid;
	long urcode;	   /* unused */
	long appkey;	   /* unused */
	long delivery_qos; /* unused */
	long reply_qos;	   /* unused */
	long exp_time;	   /* unused */
};
typedef struct tpqctl_t TPQCTL;

/* How the events of a subscription are delivered. */
struct tpevctl_t {
	long flags;
	char name1[XATMI_SERVICE_NAME_LENGTH + 1];
	char name2[XATMI_SERVICE_NAME_LENGTH + 1];
	TPQCTL qctl; /* is read with TPEVQUEUE only */
};
typedef struct tpevctl_t TPEVCTL;

/* The parts of a client id. */
struct tpmyid_t {
	char binary_name[MAXTIDENT + 2];
	pid_t pid;
	long contextid;
	int nodeid;
	int srv_id;
	int tpmyidtyp; /* TPMYIDTYP_* */
	int isconv;
	int cd;
};
typedef struct tpmyid_t TPMYID;

/* A service built into a server. A table ends with a row of NULLs. */
struct tmdsptchtbl_t {
	char *svcnm;
	char *funcnm;
	void (*p_func)(TPSVCINFO *);
	long rfu1;
	long rfu2;
};

#if defined(__cplusplus) && __cplusplus >= 201103L
/*
 * The initialisers of tmsvrargs_t in C++: those of its members, and those that
 * programs of Tuxedo write, which have _tmrunserver() and tprminit() among them;
 * neither is needed here.
 */
#define OW_TMSVRARGS                                                         \
	tmsvrargs_t() = default;                                             \
	constexpr tmsvrargs_t(                                               \
	    struct xa_switch_t *a_switch, struct tmdsptchtbl_t *a_svc = 0,   \
	    long a_flags = 0, int (*a_init)(int, char **) = 0,               \
	    void (*a_done)(void) = 0, void *a_0 = 0, void *a_1 = 0,          \
	    void *a_2 = 0, void *a_3 = 0, void *a_4 = 0,                     \
	    int (*a_thrinit)(int, char **) = 0, void (*a_thrdone)(void) = 0) \
	    : xa_switch(a_switch), svctab(a_svc), flags(a_flags),            \
	      p_tpsvrinit(a_init), p_tpsvrdone(a_done), reserved0(a_0),      \
	      reserved1(a_1), reserved2(a_2), reserved3(a_3),                \
	      reserved4(a_4), p_tpsvrthrinit(a_thrinit),                     \
	      p_tpsvrthrdone(a_thrdone)                                      \
	{                                                                    \
	}                                                                    \
	constexpr tmsvrargs_t(                                               \
	    struct xa_switch_t *a_switch, struct tmdsptchtbl_t *a_svc,       \
	    long a_flags, int (*a_init)(int, char **),                       \
	    void (*a_done)(void), int (*)(int), void *a_1, void *a_2,        \
	    void *a_3, void *a_4, int (*)(char *, void *),                   \
	    int (*a_thrinit)(int, char **), void (*a_thrdone)(void))         \
	    : xa_switch(a_switch), svctab(a_svc), flags(a_flags),            \
	      p_tpsvrinit(a_init), p_tpsvrdone(a_done), reserved0(0),        \
	      reserved1(a_1), reserved2(a_2), reserved3(a_3),                \
	      reserved4(a_4), p_tpsvrthrinit(a_thrinit),                     \
	      p_tpsvrthrdone(a_thrdone)                                      \
	{                                                                    \
	}
#endif

/* The argument of _tmstartserver(), from a generated main(). */
struct tmsvrargs_t {
	struct xa_switch_t *xa_switch;
	struct tmdsptchtbl_t *svctab;
	long flags;
	int (*p_tpsvrinit)(int, char **);
	void (*p_tpsvrdone)(void);
	void *reserved0;
	void *reserved1;
	void *reserved2;
	void *reserved3;
	void *reserved4;
	int (*p_tpsvrthrinit)(int, char **);
	void (*p_tpsvrthrdone)(void);
#if defined(__cplusplus) && __cplusplus >= 201103L
	OW_TMSVRARGS
#endif
};

/* A context, for tpgetctxt() and tpsetctxt(): a number. In C it has the type
 * that programs for Enduro/X expect; in C++ one that is compared with numbers,
 * as programs for Tuxedo do. Both are passed alike. */
#ifdef __cplusplus
typedef long TPCONTEXT_T;
#else
typedef void *TPCONTEXT_T;
#endif

#endif
