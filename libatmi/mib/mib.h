/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mib.h - administration by buffers: requests of MIB(5), answered from the
 * shared tables
 *
 * tpadmcall() answers in the process that asks; the server tpadmsv offers the
 * same as a service, and xadmin's mibget prints it. GET and GETNEXT read the
 * tables and ask nobody. SET is an order to ndrxd, as one of xadmin.
 *
 * A GET that finds more than fits one reply leaves a cursor: which objects were
 * found, and where the next page begins. Their values are those of the moment
 * at which their page is made. A cursor belongs to the process that answered;
 * it is forgotten with its last page, after `hold_s`, or when more than
 * `cursors` exist: the oldest first.
 */
#ifndef OW_MIB_H
#define OW_MIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ubf.h>

struct ow_domain;
struct ow_mib;

struct ow_mib_settings {
	uint32_t srvid;	  /* of the server that answers, 0: none */
	uint32_t cursors; /* kept at a time */
	uint32_t hold_s;  /* a cursor that is not used lives so long */
	size_t page;	  /* bytes; a reply ends with the object that passes
			     them */
};

#define OW_MIB_CURSORS 100
#define OW_MIB_HOLD_S  30
#define OW_MIB_PAGE    4096

/* A buffer for replies has room for `page` bytes and so many more. */
#define OW_MIB_RESERVE 8192

/* NULL: no memory. */
struct ow_mib *ow_mib_new(const struct ow_mib_settings *s);
struct ow_mib *ow_mib_free(struct ow_mib *m);

/*
 * Answer the request `in` about domain `d`, whose tables are mapped. `out` is an
 * empty buffer. Returns what TA_ERROR is set to; below 0: TA_STATUS says why.
 * May be called by several threads. SET waits for ndrxd, and attends to the
 * pings of ndrxd meanwhile.
 */
long ow_mib_answer(struct ow_mib *m, const struct ow_domain *d, UBFH *in,
		   UBFH *out);

/* Forget cursors that are too old. */
void ow_mib_tidy(struct ow_mib *m);

/* The service that has the cursor of this GETNEXT: `buf` holds 40 bytes. False:
 * the request names no cursor of another server. */
bool ow_mib_of_others(const struct ow_mib *m, const struct ow_domain *d,
		      UBFH *in, char *buf);

#endif
