/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usysfl32.h - fields of the system, for programs of Tuxedo that include it
 *
 * The fields that are published and exist here are those of tpadm.h; of the table
 * Usysfl32 itself no number is published, and none is made up (doc/compatibility.md).
 */
#ifndef USYSFL32_H
#define USYSFL32_H

#include <tpadm.h>

#endif
