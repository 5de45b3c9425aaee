/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsol.h - unsolicited messages to clients of other nodes
 *
 * doc/design/cluster.md, "Unsolicited messages".
 */
#ifndef OW_BRIDGE_UNSOL_H
#define OW_BRIDGE_UNSOL_H

#include <xatmi.h>

/* The service function of OW_UNSOL_SERVICE. */
void ow_br_unsol(TPSVCINFO *svc);

#endif
