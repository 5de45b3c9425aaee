/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload.h - a new configuration under running servers
 *
 * A file with an error, or one that asks for what cannot be done to a running
 * domain, changes nothing. Otherwise exactly what differs is started, stopped
 * or restarted, the latter one instance after the other.
 */
#ifndef OW_RELOAD_H
#define OW_RELOAD_H

#include <stdbool.h>

struct ndrxd;
struct ow_peer;

/* What a reload has in store for an instance. */
enum ow_reload_mark {
	OW_RELOAD_NOTHING = 0,
	OW_RELOAD_START,
	OW_RELOAD_STOP,
	OW_RELOAD_RESTART,
};

/*
 * Read the configuration again; `dry`: only say what would be done. `p` gets
 * lines, progress and DONE; NULL: the log does (SIGHUP).
 */
void ow_reload(struct ndrxd *d, struct ow_peer *p, bool dry);

#endif
