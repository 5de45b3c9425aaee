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
 * Once a second: look at some of the running servers, in turn, so that each is
 * looked at within <checkpm>, but at no more than 256. One that is to be
 * replaced is stopped and started. Does nothing while an operation is in
 * progress.
 */
void ow_limits_check(struct ndrxd *d);

#endif
