/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - what services were seen to take and give
 *
 * A gate for HTTP with <http schema="Y"> notes some of its calls in run/schema.SRVID
 * (servers/httpgate/internal/seen/file.go). It outlives the gate. Columns are separated
 * by tabs:
 *
 *	schema 1 (version)
 *	buffer SERVICE  takes|gives  KIND (UBF VIEW STRING CARRAY JSON NULL mixed)  SAMPLES
 *	field  NAME (of a view: VIEW.MEMBER)  TYPE  SEEN (in so many samples)
 *	       LEAST  MOST (occurrences, where it was seen)
 *
 * Lines "field" belong to the buffer before them.
 */
#ifndef OW_SCHEMA_OBSERVED_H
#define OW_SCHEMA_OBSERVED_H

#include <stdint.h>

struct ow_domain;

struct ow_schema_buffer {
	long srvid; /* of the gate */
	const char *service, *direction, *kind;
	uint64_t samples;
};

struct ow_schema_field {
	const char *name, *type;
	uint64_t seen, least, most;
};

/* Call `fn` for each buffer with field NULL, then for each of its fields. Texts are
 * valid during the call, and printable. */
typedef void ow_schema_fn(const struct ow_schema_buffer *b,
			  const struct ow_schema_field *field, void *arg);
void ow_schema_each(const struct ow_domain *d, ow_schema_fn *fn, void *arg);

#endif
