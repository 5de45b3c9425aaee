/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect.h - refuse orders whose servers could not start
 *
 * Before servers that run are replaced, the files that a start needs are
 * looked at (libndrx/prepare/preflight.h). Findings go to the peer line by
 * line, or, without a peer, to the log.
 */
#ifndef OW_INSPECT_H
#define OW_INSPECT_H

#include <stdint.h>

struct ndrxd;
struct ow_config;
struct ow_ctl_cmd;
struct ow_peer;

struct ow_inspection {
	uint32_t fatal; /* these processes would not start */
	uint32_t minor; /* they would */
	char first[900]; /* the first finding, "" if there is none */
};

/* All entries of `c`. */
void ow_inspect_all(struct ow_peer *p, const struct ow_config *c,
		    struct ow_inspection *ret);

/* The entries of `c` with an id that `marks` says is to be started, and the
 * clients that differ from those in force. */
void ow_inspect_marked(struct ndrxd *d, struct ow_peer *p,
		       const struct ow_config *c, const uint8_t *marks,
		       struct ow_inspection *ret);

/* The entries of the configuration in force that `cmd` names. */
void ow_inspect_named(struct ow_peer *p, const struct ow_ctl_cmd *cmd,
		      struct ow_inspection *ret);

#endif
