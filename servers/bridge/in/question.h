/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question.h - what a tmsrv of another node asks one of this node
 */
#ifndef OW_BRIDGE_QUESTION_H
#define OW_BRIDGE_QUESTION_H

#include "servers/bridge/peers/peers.h"

/* A frame QUESTION came from `node`: its message is completed, and the name of
 * the service that takes it is in f->svc. 0, or a tperrno. */
int ow_br_question_arrive(const struct ow_br_peers *ps, uint32_t node,
		     struct ow_br_frame *f, char *message);

#endif
