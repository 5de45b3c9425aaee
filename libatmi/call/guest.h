/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - what a context does whose domain is another user's
 *
 * Its calls go through the gate (libatmi/gate/guest/calls.c), which is above
 * calls: so they are reached through a table.
 */
#ifndef OW_GUEST_H
#define OW_GUEST_H

struct ow_ctx;
struct ow_request;
struct tpinfo_t;

enum ow_guest_result {
	OW_GUEST_UNASKED = 1, /* NDRX_OWNER names no other user */
};

struct ow_guest_calls {
	/* Connect to the gate, and make the context a guest's: 0, UNASKED, or
	 * -1 with tperrno. c->dom holds the environment. */
	int (*join)(struct ow_ctx *c);
	/* No effect on a context that is no guest's, as the next one. */
	void (*leave)(struct ow_ctx *c);
	/* In a forked child: close the descriptor, which is the parent's. */
	void (*forked)(struct ow_ctx *c);

	/* Of a guest's context. As the functions of the public interface,
	 * whose arguments have been checked: -1 with tperrno. */
	int (*call)(struct ow_ctx *c, struct ow_request *rq, char **odata,
		    long *olen);
	int (*send)(struct ow_ctx *c, struct ow_request *rq);
	int (*getrply)(struct ow_ctx *c, int *cd, char **data, long *len,
		       long flags);
	void (*cancel)(struct ow_ctx *c, int cd);

	/* Of any context. TPNOAUTH, TPSYSAUTH, TPAPPAUTH: what the domain
	 * wants; TPNOAUTH also if it does not run. -1 with tperrno. */
	int (*login_level)(struct ow_ctx *c);
	/* Log in, if the domain wants it and the context has not: 0, or -1
	 * with tperrno (TPEPERM: refused). `info` may be NULL. */
	int (*login)(struct ow_ctx *c, const struct tpinfo_t *info);
};

/* The table, of libatmi/gate/guest/calls.c, and who hands it out: life.c. */
extern const struct ow_guest_calls ow_guest_calls;
const struct ow_guest_calls *ow_guests(void);

#endif
