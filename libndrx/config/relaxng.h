/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relaxng.h - the grammar written as a RELAX NG schema
 *
 * conf/ndrxconfig.rng is this text, checked in for editors; a unit test
 * compares the two. `cmake --build BUILD --target schema` writes the file.
 */
#ifndef OW_CONFIG_RELAXNG_H
#define OW_CONFIG_RELAXNG_H

#include <stddef.h>

/* The caller frees the text. 0 or -ENOMEM. */
int ow_config_relaxng(char **ret_text, size_t *ret_len);

#endif
