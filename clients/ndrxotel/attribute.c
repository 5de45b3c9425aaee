/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attribute.c - attributes, resources and scopes, which spans and metrics share
 */
#include "clients/ndrxotel/attribute.h"

#include <ndrx_config.h>
#include <stdio.h>

void ow_otel_attr_text(struct ow_otel_json *j, const char *key,
		       const char *value)
{
	ow_otel_json_attribute(j, key, "stringValue");
	ow_otel_json_text(j, NULL, value);
	ow_otel_json_attribute_end(j);
}

void ow_otel_attr_number(struct ow_otel_json *j, const char *key,
			 uint64_t value)
{
	ow_otel_json_attribute(j, key, "intValue");
	ow_otel_json_u64(j, NULL, value);
	ow_otel_json_attribute_end(j);
}

void ow_otel_resource(struct ow_otel_json *j, const struct ow_otel_about *a,
		      const char *program, int32_t pid)
{
	char instance[64];

	if (pid != 0)
		snprintf(instance, sizeof(instance), "%ld.%d", a->node,
			 (int)pid);
	else
		snprintf(instance, sizeof(instance), "%ld", a->node);
	ow_otel_json_open(j, "resource", '{');
	ow_otel_json_open(j, "attributes", '[');
	ow_otel_attr_text(j, "service.name", program);
	ow_otel_attr_text(j, "service.namespace", a->space);
	ow_otel_attr_text(j, "service.instance.id", instance);
	ow_otel_attr_text(j, "host.name", a->host);
	if (pid != 0) {
		ow_otel_attr_number(j, "process.pid", (uint64_t)pid);
		ow_otel_attr_text(j, "process.executable.name", program);
	}
	ow_otel_attr_number(j, "onewake.node.id", (uint64_t)a->node);
	ow_otel_json_close(j, ']');
	ow_otel_json_close(j, '}');
}

void ow_otel_scope(struct ow_otel_json *j)
{
	ow_otel_json_open(j, "scope", '{');
	ow_otel_json_text(j, "name", "onewake");
	ow_otel_json_text(j, "version", NDRX_VERSION);
	ow_otel_json_close(j, '}');
}
