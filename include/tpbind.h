/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tpbind.h - what event loops and bindings of other languages need beside ATMI
 *
 * A header of its own: programs that include xatmi.h do not get these names.
 * Its conventions hold here; all of it is ours. The same with an explicit
 * context is in oatmi.h, oatmisrv.h and oubf.h.
 */
#ifndef TPBIND_H
#define TPBIND_H

#include <xatmi.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Signals ---- */

/*
 * What a signal handler that has run does to the waits of this context, until
 * tpterm(). TPSIG_DEFAULT: it ends them, unless the call has TPSIGRSTRT, the
 * environment NDRX_SIGRSTRT=1, or the call is one of the object API.
 * TPSIG_RESTART: it ends none. TPSIG_END: it ends all whose calls have no
 * TPSIGRSTRT, those of the object API, too. Returns what was set before.
 * TPEINVAL SYS.
 */
#define TPSIG_DEFAULT 0
#define TPSIG_RESTART 1
#define TPSIG_END     2
extern int tpsetsigrstrt(int how);

/* ---- Loops of the program's own ---- */

/*
 * A descriptor of this context for poll(), epoll and their like: readable, until
 * the program has looked, when a reply, an unsolicited message or one of a
 * conversation is there. Whoever it wakes calls tpgetrply(TPGETANY |
 * TPNOBLOCK), tprecv(TPNOBLOCK) or tpchkunsol() until there is nothing
 * (TPEBLOCK, 0). It is read, written and closed by the library alone, the same
 * for all calls that are out, valid until tpterm() or the end of the context. A
 * tpgetrply() of this context with TPGETANY and TPNOBLOCK ends calls whose
 * time-out is over: TPETIME, *cd is the call. TPEPROTO (guests) TPELIMIT
 * TPEPERM TPENOENT TPEOS SYS.
 */
extern int tpreplyfd(void);
/* How long the program may wait for it, 0 to 1,000 milliseconds; then it looks,
 * as if it were readable. To be called before each wait. TPEPROTO SYS. */
extern int tpreplytimeout(void);
/* Wait in this thread, at most so many microseconds (1,000,000): 1, something is
 * there; 0, nothing has come. usec 0: it does not wait; below 5: it looks, and
 * does not sleep. Of short waits cheaper than the descriptor, which this leaves as
 * it is. TPEINVAL TPGOTSIG, and those of tpreplyfd(). */
extern int tpreplywait(long usec);

/* ---- For whom a server calls, who calls it ---- */

/*
 * From now on this context of a server calls for `name`, as if that had logged in:
 * lists of services and events hold for it, services get `appkey`, and cltid is
 * that of this context. "": for somebody who has not logged in. Once; a context
 * for each. The server has identified who it is. TPEINVAL TPEPERM (not a server) TPEPROTO (another name, or the
 * context that serves) SYS.
 */
extern int tpsetcaller(const char *name, long appkey);
/* In a service: the name as which its caller has logged in, "" if it has not or is
 * at another node. Returns its length. TPEINVAL TPEPROTO TPESYSTEM. */
extern int tpgetcaller(char *name, long size);
/* In a service: how long its caller still waits, in milliseconds; LONG_MAX: without
 * limit. TPEPROTO. */
extern long tptimeleft(void);

/* ---- Traces: W3C trace context ---- */

/* What a traceparent has. Zeros: none. */
struct tptrace {
	unsigned char trace_id[16], span_id[8], flags;
};

/*
 * The trace of which calls of this context become part, and the span that they
 * get as their parent: in a service, that which serves its request. Returns 1, 0:
 * none. TPEINVAL SYS.
 */
extern int tpgettrace(struct tptrace *trace);
/*
 * From now on calls of this context are part of `trace`, with its span_id as their
 * parent; NULL or zeros: each begins a trace. For programs that have a request of
 * somebody else in hand, in contexts of their own. TPEPROTO (the thread is in a
 * service) SYS.
 */
extern int tpsettrace(const struct tptrace *trace);

/* A piece of work of the program's own that has ended now: a request by HTTP. */
#define TPSPAN_HTTP_SERVER 1 /* that it has answered */
#define TPSPAN_HTTP_CLIENT 2 /* that it has made */
struct tpspan {
	struct tptrace trace; /* span_id: that of the span itself */
	unsigned char parent[8]; /* zeros: none */
	int kind, status;	 /* status of HTTP; 0: there was no answer */
	const char *method;	 /* GET HEAD POST PUT PATCH DELETE OPTIONS */
	const char *name; /* route, or HOST:PORT; the first 47 bytes are kept */
	long usec;	  /* how long it took */
};
/* Note it, if somebody reads spans (ndrxotel(8)); else there is no effect. TPEINVAL. */
extern int tpnotespan(const struct tpspan *span);
/* ---- Is a service late? ---- */

/*
 * What waits for a service in this domain, and how long its servers take, as
 * these have measured it. Of two readings the difference in usec over that in
 * served is how long a request took lately; a server that begins anew counts
 * from 0. TPEINVAL TPENOENT (no server here offers it) TPEPERM (guests) SYS.
 */
struct tpload {
	long waiting; /* requests in its queue */
	long servers; /* that take them; each dispatch thread is one */
	long served;  /* requests that these have served, */
	long usec;    /* and the microseconds of all of them together */
	long busy;    /* all servers are in a request, of any service, for so
			 many microseconds at least; 0: one is free */
};
extern int tpsvcload(const char *svc, struct tpload *load);

/* ---- Callbacks that get a pointer of the program, `data` ---- */

/* As tpadvertise(), and the same errors. The function's name for others is that
 * of the service. TPEMATCH: another function, or another pointer. */
extern int tpadvertise_cb(char *svc_nm, void (*fn)(TPSVCINFO *, void *),
			  void *data);

/* As tpext_addperiodcb() and tpext_addb4pollcb(), whose place they take; the
 * same functions take them off. tpext_addpollerfd() has a pointer. */
extern int tpext_addperiod_cb(int secs, int (*fn)(void *), void *data);
extern int tpext_addb4poll_cb(int (*fn)(void *), void *data);

/* As tpsetunsol(), whose place it takes; fn NULL: none. Returns 0. TPEPROTO
 * SYS. */
extern int tpsetunsol_cb(void (*fn)(char *, long, long, void *), void *data);

/*
 * Run a server: main() returns what this does, its exit status; -1: TPEINVAL.
 * Any function may be NULL; thrinit and thrdone run in each dispatch thread.
 * tpreturn(), tpforward() and tpcontinue() return to the service, which
 * returns then. *server stays as it is until the end.
 */
#define TPSERVER_LONGJMP 1L /* they leave the service by longjmp() */
#define TPSERVER_THREADS 2L /* services may run in several threads at once */
struct tpserver {
	int (*init)(int argc, char **argv, void *data);
	void (*done)(void *data);
	int (*thrinit)(int argc, char **argv, void *data);
	void (*thrdone)(void *data);
	void *data;
	long flags;
};
extern int tprunserver(int argc, char **argv, const struct tpserver *server);

/* ---- Fields in bulk ---- */

/*
 * One occurrence of a field, or one element of a member of a structure. `data`
 * points into the buffer or structure and is valid until its next change.
 */
struct Bfield {
	BFLDID id;	  /* VIEW: 0 */
	BFLDOCC occ;	  /* putting into UBF: -1 adds one */
	int type;	  /* BFLD_*, of what `data` points to */
	int parent;	  /* element that is the buffer around it; -1: none */
	const char *name; /* VIEW: of the member; of a field of type BFLD_VIEW:
			     of the view; else NULL */
	char *data;	  /* UBFH * for BFLD_UBF, char ** for BFLD_PTR; NULL: a
			     null element of a structure */
	long len;	  /* bytes, without the NUL of a string */
};

/*
 * Fill `fields` from a buffer, in the order of ids and occurrences; the fields
 * of an embedded buffer follow it. Returns how many there are; if these are
 * more than `max`, the first `max` were filled in. Nothing is copied. BEINVAL
 * BNOTFLD BALIGNERR BBADVIEW.
 */
extern int Bgetfields(UBFH *p_ub, struct Bfield *fields, int max);

/*
 * The fields become all that the buffer has. `type` may be another one than
 * that of the field: the value is converted, but what CBadd() would change is
 * BEINVAL: a number beyond the range of the field, a text that is not one number
 * of its kind, or has several bytes for a char. Of strings the NUL counts, `len`
 * does not; a value without NUL is a BFLD_CARRAY. An element of type BFLD_UBF
 * without data is made of the elements behind it whose parent it is; with data
 * it is copied, and these are passed over. On failure *bad (may be NULL) is the
 * number of the element, -1: none, its name is in the text, and the buffer has the
 * fields before it. BNOSPACE BEINVAL BBADFLD BTYPERR BEBADOP BMALLOC BBADVIEW
 * BNOTFLD BALIGNERR.
 */
extern int Bputfields(UBFH *p_ub, const struct Bfield *fields, int n,
		      int *bad);

/* The same in *data, a buffer of tpalloc() or NULL, which is made as large as
 * it takes and may move. TPEINVAL (Berror and Bstrerror() say more) TPELIMIT
 * SYS. */
extern int tpputfields(char **data, const struct Bfield *fields, int n,
		       int *bad);

/*
 * The same for the structure `cstruct` of a view: elements in use, in the order
 * of the view file, null ones without data. Putting makes all members null
 * first, and raises count members. BEINVAL BBADVIEW BNOCNAME BNOSPACE BVFSYNTAX
 * BVFOPEN BTYPERR BEBADOP.
 */
extern int Bvgetfields(char *cstruct, char *view, struct Bfield *fields,
		       int max);
extern int Bvputfields(char *cstruct, char *view, const struct Bfield *fields,
		       int n, int *bad);

/* ---- Errors ---- */

/*
 * The last error of this thread: returns tperrno (0: none). `text` (may be
 * NULL), of `size` bytes, gets what tpstrerror() says of it, cut off where it
 * does not fit, and always with a NUL; *urcode (may be NULL) tpurcode. Changes
 * none of them, never fails.
 */
extern int tplasterror(char *text, long size, long *urcode);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
