/* SPDX-License-Identifier: Apache-2.0 */
/*
 * getter.h - the value of a member written as text
 */
#ifndef OW_CONFIG_GETTER_H
#define OW_CONFIG_GETTER_H

#include <stdbool.h>
#include <stdio.h>

#include "libndrx/config/grammar.h"

/* Nothing to write: not given and without a default, or not kept at all. */
bool ow_config_field_is_absent(const struct ow_field *f, const void *base);

/* As XML: characters escaped, times in ms, so that no precision is lost. */
void ow_config_field_xml(FILE *out, const struct ow_field *f,
			 const void *base);

/* For people: no escapes, whole seconds as such. */
void ow_config_field_text(FILE *out, const struct ow_field *f,
			  const void *base);

#endif
