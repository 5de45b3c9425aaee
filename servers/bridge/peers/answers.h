/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers.h - has each bridge answered on both connections to NATS?
 */
#ifndef OW_BRIDGE_ANSWERS_H
#define OW_BRIDGE_ANSWERS_H

#include "servers/bridge/peers/peers.h"

/* A message was heard at the second connection: which PING has its sender
 * answered there? */
void ow_br_answers_note(struct ow_br_peers *ps, const char *subject,
			const void *data, size_t len);
/* Ask all, until all have answered on both: 0; -1 with the reason. */
int ow_br_answers_wait(struct ow_br_peers *ps, char *why, size_t size);

#endif
