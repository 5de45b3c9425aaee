/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.h - orders to the process that has a branch
 */
#ifndef OW_MARIADB_ASK_H
#define OW_MARIADB_ASK_H

#include <stdbool.h>

#include "drivers/xamariadb/parked.h"

/* No process has the branch. */
#define ASK_GONE 1000

/* What it answers; ASK_GONE; XAER_RMFAIL: it has not answered, or it died
 * meanwhile. *ret_sent: becomes true when the order may have reached it. */
int ask(const XID *x, enum park_order order, bool *ret_sent);

#endif
