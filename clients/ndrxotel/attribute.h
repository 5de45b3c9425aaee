/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attribute.h - attributes, resources and scopes, which spans and metrics share
 */
#ifndef OW_OTEL_ATTRIBUTE_H
#define OW_OTEL_ATTRIBUTE_H

#include "clients/ndrxotel/about.h"
#include "clients/ndrxotel/json.h"

void ow_otel_attr_text(struct ow_otel_json *j, const char *key,
		       const char *value);
void ow_otel_attr_number(struct ow_otel_json *j, const char *key,
			 uint64_t value);
/* The resource: a process; without a pid, the domain as a whole. */
void ow_otel_resource(struct ow_otel_json *j, const struct ow_otel_about *a,
		      const char *program, int32_t pid);
void ow_otel_scope(struct ow_otel_json *j);

#endif
