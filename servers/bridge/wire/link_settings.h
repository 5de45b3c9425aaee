/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link_settings.h - the settings of a bridge that has a TCP link
 */
#ifndef OW_BRIDGE_LINK_SETTINGS_H
#define OW_BRIDGE_LINK_SETTINGS_H

#include "servers/bridge/wire/settings.h"

/* Set node, cluster and connection in *o of o->tcp; the files of password and
 * TLS are there, as those of a cluster. 0, or -1 with the reason. */
int ow_br_link_settings(struct ow_br_options *o, long nodeid, char *why,
			size_t size);

#endif
