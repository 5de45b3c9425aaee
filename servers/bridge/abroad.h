/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abroad.h - the function of services that other nodes offer
 */
#ifndef OW_BRIDGE_ABROAD_H
#define OW_BRIDGE_ABROAD_H

#include <xatmi.h>

/* Sends the request on, and returns: its reply is the caller's answer. */
void ow_br_abroad(TPSVCINFO *svc);

#endif
