/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - the text of a configuration, as it came from a file or memory
 */
#ifndef OW_CONFIG_SOURCE_H
#define OW_CONFIG_SOURCE_H

#include <stddef.h>

struct ow_config_source {
	const char *name; /* for messages, and base of entity files */
	const void *data;
	size_t len;
	int alone; /* read no entity files */
};

#endif
