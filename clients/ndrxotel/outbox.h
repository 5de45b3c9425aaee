/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outbox.h - batches of spans, or of metrics, on their way to a collector or a
 * file
 *
 * A thread sends them, one after the other. The box holds so many; then the
 * oldest are dropped and counted, so a slow receiver stops nobody, and one that
 * comes back gets what is new. What it may take
 * later (no connection, 429, 502, 503, 504) is tried again, at growing
 * intervals; what it refuses is dropped and counted.
 */
#ifndef OW_OTEL_OUTBOX_H
#define OW_OTEL_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/ndrxotel/format.h"

struct ow_otel_outbox;

struct ow_otel_out_counts {
	uint64_t sent, overflow, refused, failures, sent_ns;
	uint32_t waiting;
	char error[160]; /* of the last try; "" */
};

enum ow_otel_sent {
	OW_OTEL_AGAIN = 1, /* it may be taken later */
	OW_OTEL_REFUSED,   /* it will not */
};

/* A way out. `send` runs in the thread of the box: 0 with *ret_rejected, of the
 * spans in it; AGAIN with *ret_wait_s (0: as the box likes), REFUSED; `why`.
 * `limit` runs in another one: no send goes on for much longer than until
 * `until_ns` (monotonic); NULL: none takes long. */
struct ow_otel_way {
	int (*send)(void *arg, const char *text, size_t len,
		    uint64_t *ret_rejected, unsigned *ret_wait_s, char *why,
		    size_t size);
	void (*limit)(void *arg, uint64_t until_ns);
	void (*close)(void *arg);
	void *arg;
};

/* `what` is in it ("spans"), `most` of them may wait. Takes the way over, also
 * if it fails: NULL, no memory. */
struct ow_otel_outbox *ow_otel_outbox_open(const struct ow_otel_way *way,
					   const struct ow_otel_about *about,
					   const char *what, uint32_t most);
void ow_otel_outbox_add(struct ow_otel_outbox *o, const struct ow_otel_span *s);
/* A request that is whole: `n` data points; its memory is the box's. */
void ow_otel_outbox_add_text(struct ow_otel_outbox *o, char *text, size_t len,
			     size_t n);
/* Send what was collected for a second. */
void ow_otel_outbox_tick(struct ow_otel_outbox *o, uint64_t now_ns);
void ow_otel_outbox_count(struct ow_otel_outbox *o,
			  struct ow_otel_out_counts *ret);
/* Nothing is added any more; what is left is sent until `until_ns` (monotonic).
 * Waits for nothing. */
void ow_otel_outbox_end(struct ow_otel_outbox *o, uint64_t until_ns);
/* After that: wait for its end. Accepts NULL. */
struct ow_otel_outbox *ow_otel_outbox_close(struct ow_otel_outbox *o);

/* Append each batch as a line to `path`, mode 0600: 0 or -errno. */
int ow_otel_file_open(const char *path, struct ow_otel_way *ret);
/* POST them to an OTLP/HTTP receiver. -ENOTSUP: this build has no libcurl. */
int ow_otel_http_open(const char *url, struct ow_otel_way *ret, char *why,
		      size_t size);

#endif
