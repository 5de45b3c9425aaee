/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unsol.h - unsolicited messages to clients of other nodes
 *
 * doc/design/cluster.md, "Unsolicited messages".
 */
#ifndef OW_BRIDGE_UNSOL_H
#define OW_BRIDGE_UNSOL_H

#include <stdbool.h>
#include <xatmi.h>

struct ow_bridge;
struct ow_br_frame;

/* The service function of OW_UNSOL_SERVICE. */
void ow_br_unsol(TPSVCINFO *svc);
/* Does any other bridge know these messages? Lock held. */
bool ow_br_unsol_is_known(const struct ow_bridge *b);
/* Is the frame one of them? */
bool ow_br_unsol_is(const struct ow_br_frame *f);

#endif
