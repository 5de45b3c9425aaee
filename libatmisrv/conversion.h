/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conversion.h - the modes of option -x
 */
#ifndef OW_SERVER_CONVERSION_H
#define OW_SERVER_CONVERSION_H

#include <stdbool.h>

#include "libatmi/wire/msg.h"

/* A mode of -x; with a final F answers are converted to the type `from` even
 * where the request was of another type. */
struct ow_conversion {
	const char *name;
	enum ow_buf_type from, to;
};

/* The mode called `name`, NULL: there is none. */
const struct ow_conversion *ow_conversion_find(const char *name,
					       bool *ret_forced);

#endif
