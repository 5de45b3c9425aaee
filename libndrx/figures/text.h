/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - OpenMetrics text, appended to memory that grows
 *
 * https://github.com/OpenObservability/OpenMetrics: a family is TYPE, UNIT
 * and HELP lines, then its samples, all together; "# EOF" ends the text. When
 * memory runs out, `failed` is set and the text must not be sent.
 */
#ifndef OW_TEXT_H
#define OW_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ow_text_label {
	const char *name, *value;
};

/* A value that was counted in a bucket, and the trace that it is of. */
struct ow_text_exemplar {
	const uint8_t *trace_id, *id; /* 16 and 8 bytes */
	double value, when;	      /* seconds; of the epoch */
};

/* Takes families and samples instead: ndrxotel, which writes them as OTLP. */
struct ow_text_sink {
	void *arg;
	void (*family)(void *arg, const char *name, const char *type,
		       const char *unit, const char *help);
	/* A value that was given as a whole number, and one that was not. */
	void (*whole)(void *arg, const char *suffix,
		      const struct ow_text_label *labels, uint64_t value);
	void (*real)(void *arg, const char *suffix,
		     const struct ow_text_label *labels, double value);
	/* Of the bucket that was the last sample. */
	void (*exemplar)(void *arg, const struct ow_text_exemplar *e);
};

struct ow_text {
	char *bytes;
	size_t len, cap;
	bool failed;
	const struct ow_text_sink *sink; /* NULL: text */
};

/* Write the head of a family; `unit` may be NULL. */
void ow_text_family(struct ow_text *t, const char *name, const char *type,
		    const char *unit, const char *help);

/*
 * Write one sample: name and suffix ("_total", "", ...), labels up to one
 * without a name, value. Label values may contain any bytes.
 */
void ow_text_uint(struct ow_text *t, const char *const name[2],
		  const struct ow_text_label *labels, uint64_t value);
void ow_text_real(struct ow_text *t, const char *const name[2],
		  const struct ow_text_label *labels, double value);

/* The same of a bucket; `e`, NULL: none, is within it. */
void ow_text_bucket(struct ow_text *t, const char *const name[2],
		    const struct ow_text_label *labels, uint64_t value,
		    const struct ow_text_exemplar *e);

/* Append a finished text. */
void ow_text_bytes(struct ow_text *t, const char *bytes, size_t len);

void ow_text_end(struct ow_text *t);
void ow_text_clear(struct ow_text *t);

#endif
