/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xid.h - the id of a branch, as XA has it and as it travels
 */
#ifndef OW_TMQUEUE_XID_H
#define OW_TMQUEUE_XID_H

#include <string.h>
#include <xa.h>

#include "libatmi/durable/message.h"

static inline struct ow_mq_xid xid_of(const XID *x)
{
	struct ow_mq_xid r;

	memset(&r, 0, sizeof(r));
	if (x->gtrid_length < 1 || x->gtrid_length > MAXGTRIDSIZE ||
	    x->bqual_length < 0 || x->bqual_length > MAXBQUALSIZE)
		return r;
	r.format = (int32_t)x->formatID;
	r.gtrid = (uint8_t)x->gtrid_length;
	r.bqual = (uint8_t)x->bqual_length;
	memcpy(r.data, x->data, (size_t)r.gtrid + r.bqual);
	return r;
}

static inline XID xid_back(const struct ow_mq_xid *x)
{
	XID r;

	memset(&r, 0, sizeof(r));
	r.formatID = x->format;
	r.gtrid_length = x->gtrid;
	r.bqual_length = x->bqual;
	memcpy(r.data, x->data, sizeof(r.data));
	return r;
}

#endif
