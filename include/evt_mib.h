/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evt_mib.h - fields of the system, for programs of Tuxedo that include it
 *
 * The fields that are published and exist here are those of tpadm.h; of the table
 * evt_mib itself no number is published, and none is made up (doc/compatibility.md).
 */
#ifndef EVT_MIB_H
#define EVT_MIB_H

#include <tpadm.h>

#endif
