/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - what the reader of spans (clients/ndrxotel) shows of its work
 *
 * For `xadmin spans` and doctor; domain/snapshot.h says how. There is one
 * reader in a domain: server id 0.
 */
#ifndef OW_SPAN_SNAPSHOT_H
#define OW_SPAN_SNAPSHOT_H

#include "libatmi/domain/snapshot.h"

struct ow_span_snapshot {
	struct ow_snapshot head;
	uint64_t began_ns; /* monotonic, as all times here */
	uint64_t read;	   /* spans taken from rings */
	uint64_t dropped;  /* by processes: their ring was full */
	uint64_t torn;	   /* a process died while it wrote them */
	uint64_t left_out; /* by the choice of traces (-n, -s) */
	uint64_t overflow; /* chosen, and dropped: the receiver is slow */
	uint64_t refused;  /* by the receiver */
	uint64_t sent;
	uint64_t failures; /* of tries to send */
	uint64_t lost_ns;  /* when spans were dropped, torn or refused last */
	uint64_t sent_ns;  /* when the last were sent */
	uint32_t rings, held, waiting; /* spans held for choice, for sending */
	uint32_t pad;
	char to[160];	 /* URL or file */
	char error[160]; /* of the last try; "" */
	/* Metrics, in data points; metrics_to "": none are sent. */
	uint64_t metrics_sent, metrics_failures;
	uint64_t metrics_dropped; /* the receiver is slow, or refuses them */
	uint32_t metrics_waiting, pad2;
	char metrics_to[160], metrics_error[160];
};

struct ow_domain;

extern const struct ow_snapshot_kind ow_span_snapshot_kind;

/* For onlookers, with texts made safe; to be freed. NULL: there is no reader. */
struct ow_span_snapshot *ow_span_snapshot_get(const struct ow_domain *d);

#endif
