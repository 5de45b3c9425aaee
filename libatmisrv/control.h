/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - the server's end of ndrxd's control socket
 */
#ifndef OW_SERVER_CONTROL_H
#define OW_SERVER_CONTROL_H

#include <stdint.h>

struct ow_server;

/* Period of tries to connect while ndrxd is away. */
#define OW_CONTROL_RETRY_NS UINT64_C(250000000)

/* Connect and send HELLO, if ndrxd runs. */
void ow_control_connect(struct ow_server *s);
/* Send READY, LEAVING. */
void ow_control_ready(struct ow_server *s);
void ow_control_leaving(struct ow_server *s);
/* Handle what the socket has: packets or end of file. */
void ow_control_input(struct ow_server *s);
/* The same while the program waits in the library, for the context of the
 * server (struct ow_ctx): pings are answered although its service is not over.
 * Connects again if need be. */
void ow_control_attend(void);
/* Connect again if not connected. Called each tick. */
void ow_control_tick(struct ow_server *s);

#endif
