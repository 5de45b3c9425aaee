/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openstr.h - items of an open string of queues:
 * datadir="FOLDER",qspace="NAME"
 */
#ifndef OW_TMQUEUE_OPENSTR_H
#define OW_TMQUEUE_OPENSTR_H

#include <stddef.h>

/* The value of `key`: 0, -ENOENT, or -EINVAL: it is too long. */
int openstr_item(const char *open_string, const char *key, char *ret,
		 size_t size);

#endif
