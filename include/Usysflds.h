/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usysflds.h - fields of the system, for programs of Tuxedo that include it
 *
 * The fields that are published and exist here are those of tpadm.h; of the table
 * Usysflds itself no number is published, and none is made up (doc/compatibility.md).
 */
#ifndef USYSFLDS_H
#define USYSFLDS_H

#include <tpadm.h>

#endif
