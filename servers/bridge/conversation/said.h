/* SPDX-License-Identifier: Apache-2.0 */
/*
 * said.h - what bridges say of conversations to each other
 */
#ifndef OW_BRIDGE_SAID_H
#define OW_BRIDGE_SAID_H

#include "servers/bridge/conversation/conversations.h"

/* Free it, and what it owns. */
void ow_br_said_free(struct ow_br_said *s);
/* It belongs to no conversation: tell the other bridge that it is over, if that
 * may not know. */
void ow_br_conv_refuse(struct ow_br_convs *t, const struct ow_br_said *s);
/* The thread could not begin: nobody will hear `list`, which is freed. */
void ow_br_convs_refuse_all(struct ow_br_convs *t, struct ow_br_said *list);
/* An item for the link; NULL: no memory. */
struct ow_br_out *ow_br_conv_out(const struct ow_br_conv *k,
				 enum ow_br_kind kind, size_t len);
/* Send it, which is taken, if the link is still the one. */
void ow_br_conv_send(struct ow_br_convs *t, const struct ow_br_origin *link,
		     struct ow_br_out *o);
/* Say something without data. */
void ow_br_conv_say(struct ow_br_convs *t, const struct ow_br_conv *k,
		    enum ow_conv_op op);
/* What a frame carries, as content of a message. */
void ow_br_conv_content(struct ow_br_said *s, struct ow_content *ret);
/* Answer the request of one of ours; `s` NULL: with `tperr`, -1: it need not be
 * told. */
void ow_br_conv_answer(uint64_t number, int tperr, struct ow_br_said *s);

#endif
