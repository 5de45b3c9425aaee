/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.h - replace servers that exceed their limits or whose program changed
 *
 * Limits are <rssmax> and <vszmax>; a changed program file counts with
 * <reloadonchange>.
 */
#ifndef OW_LIMITS_H
#define OW_LIMITS_H

struct ndrxd;

/*
 * Check every running server; the first one found is replaced (stop, then
 * start), another one at the next call. Does nothing while an operation is in
 * progress.
 */
void ow_limits_check(struct ndrxd *d);

#endif
