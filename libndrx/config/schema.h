/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.h - a configuration validated against the RELAX NG schema
 */
#ifndef OW_CONFIG_SCHEMA_H
#define OW_CONFIG_SCHEMA_H

#include "libndrx/config/config.h"
#include "libndrx/config/source.h"

/*
 * After ow_config_read() and ow_config_check() have accepted the text. 0,
 * OW_CONFIG_BAD or -ENOMEM, both with `err` set.
 */
int ow_config_schema_check(const struct ow_config_source *source,
			   struct ow_config_error *err);

#endif
