/* SPDX-License-Identifier: Apache-2.0 */
/*
 * authorize.h - is the request in hand allowed?
 */
#ifndef OW_AUTHORIZE_H
#define OW_AUTHORIZE_H

#include <stdint.h>

#include "libatmi/call/context.h"
#include "libatmi/wire/msg.h"

struct ow_server;

/* There are rules: 0 with the caller's application key, or the tperrno to
 * refuse the request with. */
int ow_authorize(struct ow_server *s, uint32_t row, const struct ow_msg *m,
		 long *ret_appkey);
/* Forget the rules that this thread has read. */
void ow_authorize_close(struct ow_server *s);

#endif
