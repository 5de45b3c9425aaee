/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admit.h - is the request in hand allowed?
 */
#ifndef OW_ADMIT_H
#define OW_ADMIT_H

#include <stdint.h>

#include "libatmi/call/context.h"
#include "libatmi/wire/msg.h"

struct ow_server;

/* There are rules: 0 with the caller's application key, or the tperrno to
 * refuse the request with. */
int ow_admit(struct ow_server *s, uint32_t row, const struct ow_msg *m,
	     long *ret_appkey);
/* Forget the rules that this thread has read. */
void ow_admit_close(struct ow_server *s);

#endif
