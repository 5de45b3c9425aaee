/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlsv.h - what servers that run SQL have in common
 */
#ifndef OW_E2E_SQLSV_H
#define OW_E2E_SQLSV_H

#include <xatmi.h>

/* The service of each of its names; a server's own. */
void serve(TPSVCINFO *s);
/* A child that lives for 15 seconds; the caller hangs. */
void leave_a_child(void);

#endif
