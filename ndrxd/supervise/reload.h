/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reload.h - read the configuration again while servers run
 *
 * A file with an error, or with a change that a running domain cannot make,
 * changes nothing. Otherwise exactly the entries that differ are started,
 * stopped or restarted, the latter one instance after the other.
 */
#ifndef OW_RELOAD_H
#define OW_RELOAD_H

#include <stdbool.h>

struct ndrxd;
struct ow_peer;

/*
 * Read the configuration again; `dry`: only list what would be done. `p` gets
 * lines, progress and DONE; NULL (SIGHUP): the log gets the lines.
 */
void ow_reload(struct ndrxd *d, struct ow_peer *p, bool dry);

#endif
