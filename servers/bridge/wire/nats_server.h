/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nats_server.h - the nats-server of a TCP link, a child of the passive side
 *
 * It lives as long as the bridge, whatever ends that, and is started again when
 * it ends. It has no file: its configuration is in memory, and goes with it.
 */
#ifndef OW_BRIDGE_NATS_SERVER_H
#define OW_BRIDGE_NATS_SERVER_H

#include <stddef.h>

#include "servers/bridge/wire/settings.h"

struct ow_br_nats_server;

/* Start it, and wait until it listens, for some seconds at most: it goes on
 * trying. *o lives as long. 0, or -1 with the reason. */
int ow_br_nats_server_start(const struct ow_br_options *o,
			    struct ow_br_nats_server **ret, char *why,
			    size_t size);
/* End it. Accepts NULL. */
void ow_br_nats_server_stop(struct ow_br_nats_server *s);

/* Its configuration, to be freed; NULL: no memory. */
char *ow_br_nats_server_text(const struct ow_br_options *o);

#endif
